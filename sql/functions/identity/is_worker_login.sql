-- office_internal.is_worker_login: whether the login has the workers' role: it serves every workspace and needs no account for that.
create or replace function office_internal.is_worker_login()
returns boolean
language plpgsql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  return office_internal.login_has_role('worker');
end
$$;

comment on function office_internal.is_worker_login() is 'True for logins of workers.';
