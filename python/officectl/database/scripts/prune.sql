-- Drops the functions and triggers of ours that this transaction did not define, for no file defines them any more,
-- and all policies, which the grants make anew. `create or replace` writes the catalog row, so a row that is older
-- than this transaction was not defined by it. To be run before the grants: a grant writes the row as well.

do $$
declare
  v_age constant integer := age(pg_catalog.pg_current_xact_id()::xid);
  v_statement text;
  v_functions text;
begin
  for v_statement in
    select format('drop policy %I on %I.%I', p.polname, n.nspname, c.relname)
    from pg_catalog.pg_policy p
    join pg_catalog.pg_class c on c.oid = p.polrelid
    join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    where n.nspname in ('office', 'office_internal')
  loop
    execute v_statement;
  end loop;

  for v_statement in
    select format('drop trigger %I on %I.%I', t.tgname, n.nspname, c.relname)
    from pg_catalog.pg_trigger t
    join pg_catalog.pg_class c on c.oid = t.tgrelid
    join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    where n.nspname in ('office', 'office_internal') and not t.tgisinternal and age(t.xmin) > v_age
  loop
    raise notice 'officectl: %', v_statement;
    execute v_statement;
  end loop;

  -- In one statement, because they may need each other.
  select string_agg(p.oid::regprocedure::text, ', ')
  into v_functions
  from pg_catalog.pg_proc p
  join pg_catalog.pg_namespace n on n.oid = p.pronamespace
  where n.nspname in ('office', 'office_internal') and age(p.xmin) > v_age;

  if v_functions is not null then
    raise notice 'officectl: drop routine %', v_functions;
    execute 'drop routine ' || v_functions;
  end if;
end
$$;
