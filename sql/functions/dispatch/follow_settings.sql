-- office_internal.follow_settings: makes these workspaces' gates say what their settings say; that slots changed is activity (K9, I9).
-- The caller holds the gates.
create or replace function office_internal.follow_settings(workspace_ids uuid[])
returns void
language plpgsql volatile
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  insert into office.activity (workspace_id, at, kind, detail)
  select
    g.workspace_id, office_internal.wall_clock(), 'limit_changed',
    jsonb_build_object('limit', 'max_concurrent_runs', 'from', g.slots, 'to', s.slots)
  from unnest(workspace_ids) as w (id)
  join office_internal.gates as g on g.workspace_id = w.id
  cross join lateral (select office_internal.setting('max_concurrent_runs', w.id)::integer as slots) as s
  where g.slots <> s.slots;
  update office_internal.gates as g
  set slots = s.slots, excess = greatest(office_internal.count_active(g.workspace_id) - s.slots, 0),
    attempt_limits = office_internal.launch_limits(w.id),
    project_folders = office_internal.setting('project_folders', w.id) = 'on',
    linked_sessions = office_internal.setting('linked_sessions', w.id) = 'on'
  from unnest(workspace_ids) as w (id)
  cross join lateral (select office_internal.setting('max_concurrent_runs', w.id)::integer as slots) as s
  where g.workspace_id = w.id;
end
$$;

comment on function office_internal.follow_settings(uuid[]) is 'Brings gates up to date with their workspaces'' settings.';
