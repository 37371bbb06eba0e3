-- office_internal.is_worker_login: whether the login has the workers' role: it serves every workspace and needs no account for that.
create or replace function office_internal.is_worker_login()
returns boolean
language sql stable parallel safe
return pg_has_role(session_user, 'office_worker', 'member');

comment on function office_internal.is_worker_login() is 'True for logins of workers.';
