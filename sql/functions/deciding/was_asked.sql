-- office_internal.was_asked: whether this attempt has asked the same thing before (D1). Void requests do not count.
create or replace function office_internal.was_asked(asked office.decisions)
returns boolean
language plpgsql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  return exists (
    select
    from office.decisions as d
    where d.attempt_id = (asked).attempt_id and d.fingerprint = (asked).fingerprint and d.status <> 'void'
  );
end
$$;

comment on function office_internal.was_asked(office.decisions) is 'Whether an attempt has asked the same thing before.';
