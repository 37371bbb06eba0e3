-- office_internal.ask_about_interrupted: a person decides what becomes of runs that were interrupted: retry or drop (P3). A taskless
-- periodic run is only marked: its next tick is its retry. The caller holds the gates.
create or replace function office_internal.ask_about_interrupted(run_ids uuid[], why text)
returns void
language plpgsql volatile
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  insert into office.decisions (workspace_id, kind, agent_id, task_id, run_id, attempt_id, prompt, choices, asked_at)
  select
    r.workspace_id, 'interrupted', r.agent_id, r.task_id, r.id, r.attempt_id,
    format('r%s of %s was interrupted: %s. What its program had done is unknown.', r.number, a.name, ask_about_interrupted.why),
    '[{"id": "retry", "text": "Try again"}, {"id": "drop", "text": "Leave it"}]', office_internal.wall_clock()
  from office.runs as r
  join office.agents as a on a.id = r.agent_id
  where r.id = any(run_ids) and r.status is not distinct from 'interrupted' and (r.class = 'event' or r.task_id is not null)
  order by r.id;
end
$$;

comment on function office_internal.ask_about_interrupted(uuid[], text) is 'Asks what becomes of interrupted runs.';
