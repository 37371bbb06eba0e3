-- office_internal.is_operator_login: whether the login is the office's owner or has the operators' role (I6).
create or replace function office_internal.is_operator_login()
returns boolean
language plpgsql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  return (select pg_has_role(session_user, n.nspowner, 'member') from pg_namespace as n where n.nspname = 'office')
    or office_internal.login_has_role('operator');
end
$$;

comment on function office_internal.is_operator_login() is 'True for the owner of the office and for operators.';
