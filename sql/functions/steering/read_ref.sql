-- office_internal.read_ref: what a person names (I2): everything, workspace:acme, a task (t97), a run (r4812), an agent (agent:builder, or
-- its bare name), a routine (routine:daily), or any of these and a wakeup by uuid. Answers kind, id, and the workspaces concerned.
-- Refuses what is not there or not seen (not_found); everything from others than operators (forbidden).
create or replace function office_internal.read_ref(ref text, out kind text, out id uuid, out workspace_ids uuid[])
language plpgsql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  if lower(ref) = 'everything' then
    perform office_internal.need_operator();
    kind := 'everything';
    -- Deleted workspaces too: what holds everything must not be left on one of them.
    workspace_ids := array(select g.workspace_id from office_internal.gates as g);
    return;
  elsif ref like 'workspace:%' then
    kind := 'workspace';
    id := office_internal.find_workspace(split_part(ref, ':', 2));
  elsif ref like 'routine:%' then
    kind := 'routine';
    id := office_internal.find_routine(ref);
  elsif ref ~* '^t[0-9]+$' then
    kind := 'task';
    id := office_internal.find_task(ref);
  elsif ref ~* '^r[0-9]+$' then
    kind := 'run';
    id := office_internal.find_run(ref);
  elsif office_internal.is_uuid(ref) then
    select k.kind, ref::uuid into kind, id
    from (
      select 'run', r.workspace_id from office.runs as r where r.id = ref::uuid
      union all
      select 'task', t.workspace_id from office.tasks as t where t.id = ref::uuid and t.deleted_at is null
      union all
      select 'agent', a.workspace_id from office.agents as a where a.id = ref::uuid and a.deleted_at is null
      union all
      select 'wakeup', w.workspace_id from office.wakeups as w where w.id = ref::uuid
      union all
      select 'routine', o.workspace_id from office.routines as o where o.id = ref::uuid and o.deleted_at is null
      union all
      select 'workspace', s.id from office.workspaces as s where s.id = ref::uuid and s.deleted_at is null
    ) as k (kind, workspace_id)
    where k.workspace_id in (select office.visible_workspaces());
    if kind is null then
      perform office_internal.refuse(
        'not_found', format('Nothing here has the id "%s".', ref),
        'A run, task, agent, routine, wakeup or workspace that you can see has another.',
        jsonb_build_object('given', ref)
      );
    end if;
  else
    kind := 'agent';
    id := office_internal.find_agent(regexp_replace(coalesce(ref, ''), '^agent:', ''));
  end if;
  workspace_ids := array(
    select r.workspace_id from office.runs as r where kind = 'run' and r.id = read_ref.id
    union all
    select t.workspace_id from office.tasks as t where kind = 'task' and t.id = read_ref.id
    union all
    select a.workspace_id from office.agents as a where kind = 'agent' and a.id = read_ref.id
    union all
    select w.workspace_id from office.wakeups as w where kind = 'wakeup' and w.id = read_ref.id
    union all
    select o.workspace_id from office.routines as o where kind = 'routine' and o.id = read_ref.id
    union all
    select read_ref.id where kind = 'workspace'
  );
end
$$;

comment on function office_internal.read_ref(text) is 'What a reference means: kind, id, workspaces.';
