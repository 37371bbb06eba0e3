-- Takes back what earlier deploys granted, so that the grants, which come next, say all that holds: from the four roles as they were
-- called, and the columns that the owner was granted as a single role. What others were granted by hand is not ours.

do $$
declare
  v_statement text;
begin
  for v_statement in
    with ours as (
      select n.oid from pg_catalog.pg_namespace n where n.nspname in ('office', 'office_internal')
    ),
    granted (rights, acl) as (
      select 'all on schema ' || n.oid::regnamespace, n.nspacl
      from ours join pg_catalog.pg_namespace n using (oid)
      union all
      select 'all on table ' || c.oid::regclass, c.relacl
      from ours join pg_catalog.pg_class c on c.relnamespace = ours.oid
      union all
      select format('all (%I) on table %s', a.attname, c.oid::regclass), a.attacl
      from ours join pg_catalog.pg_class c on c.relnamespace = ours.oid join pg_catalog.pg_attribute a on a.attrelid = c.oid
      where not a.attisdropped
      union all
      select 'all on routine ' || p.oid::regprocedure, p.proacl
      from ours join pg_catalog.pg_proc p on p.pronamespace = ours.oid
      union all
      select 'all on type ' || t.oid::regtype, t.typacl
      from ours join pg_catalog.pg_type t on t.typnamespace = ours.oid
    )
    select distinct format('revoke %s from %I', g.rights, r.rolname)
    from granted g
    cross join lateral pg_catalog.aclexplode(g.acl) a
    join pg_catalog.pg_roles r on r.oid = a.grantee
    join office_internal.deployment d on d.singleton
    where r.rolname = any(array[d.role_prefix || '_reader', d.role_prefix || '_client', d.role_prefix || '_worker', d.role_prefix || '_operator'])
      or (r.rolname = current_user and g.rights like 'all (%')
  loop
    execute v_statement;
  end loop;
end
$$;
