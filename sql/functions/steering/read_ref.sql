-- office_internal.read_ref: what a person names to steer it (I2): everything, workspace:acme, a task (t97), a run (r4812 or its uuid), an
-- agent (agent:builder, or its bare name). Answers kind, id, and the workspaces concerned.
-- Refuses what is not there (not_found); everything from others than operators (forbidden).
create or replace function office_internal.read_ref(ref text, out kind text, out id uuid, out workspace_ids uuid[])
language plpgsql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  if lower(ref) = 'everything' then
    perform office_internal.need_operator();
    kind := 'everything';
    workspace_ids := array(select office.visible_workspaces());
  elsif ref like 'workspace:%' then
    kind := 'workspace';
    id := office_internal.find_workspace(split_part(ref, ':', 2));
    workspace_ids := array[id];
  elsif ref ~* '^t[0-9]+$' then
    kind := 'task';
    id := office_internal.find_task(ref);
    workspace_ids := array(select t.workspace_id from office.tasks as t where t.id = read_ref.id);
  elsif ref ~* '^r[0-9]+$' or office_internal.is_uuid(ref) then
    kind := 'run';
    id := office_internal.find_run(ref);
    workspace_ids := array(select r.workspace_id from office.runs as r where r.id = read_ref.id);
  else
    kind := 'agent';
    id := office_internal.find_agent(regexp_replace(coalesce(ref, ''), '^agent:', ''));
    workspace_ids := array(select a.workspace_id from office.agents as a where a.id = read_ref.id);
  end if;
end
$$;

comment on function office_internal.read_ref(text) is 'What a reference means to steering: kind, id, workspaces.';
