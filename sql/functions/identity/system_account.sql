-- office_internal.system_account: the account that the office itself acts as.
create or replace function office_internal.system_account()
returns uuid
language sql immutable parallel safe
return '00000000-0000-7000-8000-000000000001'::uuid;

comment on function office_internal.system_account() is 'Id of the account "system".';
