-- office.wake_agent: a trigger function that wakes an agent for each row of one's own tables (Q28):
--   create trigger … after insert on tickets for each row execute function office.wake_agent('triage');
-- Arguments: the agent, and its workspace where the name alone does not say it. The key is the table and the primary key (for partitions
-- the partitioned table's), so that one row wakes once; the row is the context. In the inserting transaction: rolled back with it, and
-- however many rows it has, one notification. Who inserts is who asks (I6). Whoever makes the trigger needs EXECUTE on this function
-- (office_client has it); who inserts needs to be somebody here, and no right on any function.
-- Refuses another kind of trigger, another number of arguments, a table without a primary key (invalid); what wake refuses, nobody too
-- (no_identity): then the insert fails. Takes no gate and locks nothing but its key.
create or replace function office.wake_agent()
returns trigger
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
as $$
declare
  v_table regclass := coalesce(pg_partition_root(tg_relid), tg_relid);
  v_row jsonb;
  v_name text;
  v_values jsonb;
  v_key text;
begin
  if tg_op <> 'INSERT' or tg_when <> 'AFTER' or tg_level <> 'ROW' then
    perform office_internal.refuse(
      'invalid', format('wake_agent is for AFTER INSERT … FOR EACH ROW; trigger "%s" is another.', tg_name),
      'For other events call office.wake in a trigger function of your own.', jsonb_build_object('field', 'trigger', 'given', tg_name)
    );
  end if;
  if tg_nargs not in (1, 2) then
    perform office_internal.refuse(
      'invalid', format('Trigger "%s" gives wake_agent %s arguments.', tg_name, tg_nargs),
      'execute function office.wake_agent(''AGENT'') or (''AGENT'', ''WORKSPACE'').',
      jsonb_build_object('field', 'trigger', 'given', tg_name)
    );
  end if;
  v_row := to_jsonb(new);
  select format('%I.%I', n.nspname, c.relname), (
    select jsonb_agg(v_row -> a.attname order by k.nth)
    from pg_index as i
    cross join lateral unnest(i.indkey::int2[]) with ordinality as k (attnum, nth)
    join pg_attribute as a on a.attrelid = i.indrelid and a.attnum = k.attnum
    where i.indrelid = v_table and i.indisprimary
  )
  into v_name, v_values
  from pg_class as c
  join pg_namespace as n on n.oid = c.relnamespace
  where c.oid = v_table;
  if v_values is null then
    perform office_internal.refuse(
      'invalid', format('Table %s has no primary key: its rows cannot be told apart.', v_name),
      format('alter table %s add primary key (…);', v_name), jsonb_build_object('field', 'table', 'given', v_name)
    );
  end if;
  v_key := v_name || ':' || case when jsonb_array_length(v_values) = 1 then v_values ->> 0 else v_values::text end;
  if length(v_key) > 500 then
    v_key := v_name || ':sha256:' || encode(sha256(convert_to(v_values::text, 'UTF8')), 'hex');
  end if;
  perform office_internal.store_requests(
    array[office_internal.read_request(tg_argv[0], 'user', jsonb_build_object('context', v_row), v_key, tg_argv[1])]
  );
  return null;
end
$$;

comment on function office.wake_agent()
is 'Trigger function: wakes an agent for each row inserted into a table of your own; the row is its context.';
