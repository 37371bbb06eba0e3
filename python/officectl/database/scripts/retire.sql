-- Views are made anew by every deploy: a view cannot be replaced by one with other columns.
-- Not cascade: a view of somebody else's that reads one of ours is refused by name, not dropped.

do $$
declare
  v_views text;
begin
  select string_agg(format('%I.%I', n.nspname, c.relname), ', ')
  into v_views
  from pg_catalog.pg_class c
  join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  where n.nspname in ('office', 'office_internal') and c.relkind = 'v';

  if v_views is not null then
    execute 'drop view ' || v_views;
  end if;
end
$$;
