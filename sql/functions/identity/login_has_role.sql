-- office_internal.login_has_role: whether the login has one of the four roles (I5): reader, client, worker or operator. The role's
-- name is the one that this office was deployed with; with a single role the owner stands for each. A role that the server does
-- not have (the office was restored elsewhere) is nobody's.
create or replace function office_internal.login_has_role(word text)
returns boolean
language plpgsql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  return coalesce(
    (
      select pg_has_role(
        session_user,
        case when d.single_role then n.nspowner else to_regrole(d.role_prefix || '_' || login_has_role.word)::oid end,
        'member'
      )
      from office_internal.deployment as d
      join pg_namespace as n on n.nspname = 'office'
      where d.singleton
    ),
    false
  );
end
$$;

comment on function office_internal.login_has_role(text) is 'True for logins that have one of this office''s four roles.';
