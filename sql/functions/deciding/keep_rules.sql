-- office_internal.keep_rules: the rules that these answers save ("always allow this here"): called for answers that won, and for no other
-- (D3, D8). A later one about the same replaces it. The caller holds the gates.
create or replace function office_internal.keep_rules(decision_ids uuid[])
returns void
language plpgsql volatile
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  if coalesce(cardinality(decision_ids), 0) = 0 then
    return;
  end if;
  insert into office.permission_rules as p (workspace_id, agent_id, project_id, bound_to, covers, choice, decision_id, made_at)
  select distinct on (d.agent_id, k.covers, k.project_id, k.bound_to)
    d.workspace_id, d.agent_id, k.project_id, k.bound_to, k.covers, d.choice, d.id, d.decided_at
  from office.decisions as d
  cross join lateral (
    select
      coalesce(d.operation ->> 'covers', encode(d.operation_digest, 'hex')) as covers,
      office_internal.project_of_task(d.task_id) as project_id,
      case office_internal.scope_of_choice(d) when 'session' then office_internal.session_of_run(d.run_id) end as bound_to
  ) as k
  where d.id = any(decision_ids) and office_internal.scope_of_choice(d) in ('session', 'always')
  order by d.agent_id, k.covers, k.project_id, k.bound_to, d.decided_at desc, d.id
  on conflict (agent_id, covers, project_id, bound_to) do update
    set choice = excluded.choice, decision_id = excluded.decision_id, made_at = excluded.made_at;
end
$$;

comment on function office_internal.keep_rules(uuid[]) is 'Saves the rules that answers make.';
