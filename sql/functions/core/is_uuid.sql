-- office_internal.is_uuid: whether a text has the form of a uuid, so that a reference can be told from a name without a cast error.
create or replace function office_internal.is_uuid(given text)
returns boolean
language sql immutable parallel safe
return given ~* '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$';

comment on function office_internal.is_uuid(text) is 'True for a text of the form of a uuid.';
