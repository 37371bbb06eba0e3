-- office_internal.settle_unlaunchable: blocks runs for which nobody says what to launch, with an inbox item (Q13.8, Q23). A run that
-- froze nothing when it was made takes what is set by now. The caller holds the gates.
create or replace function office_internal.settle_unlaunchable(run_ids uuid[])
returns void
language plpgsql volatile
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  if not exists (
    select from office.runs as r
    where r.id = any(run_ids) and r.status is not distinct from 'queued' and r.parked is null and r.executor_id is null
  ) then
    return;
  end if;
  update office.runs as r
  set executor_id = (select x.executor_id from office_internal.usual_executor(r.agent_id, r.task_id) as x)
  where r.id = any(run_ids) and r.status is not distinct from 'queued' and r.parked is null and r.executor_id is null;
  perform office_internal.keep_choices(run_ids);
  with blocked as (
    update office.runs as r
    set status = 'blocked', ended_at = office_internal.wall_clock()
    where r.id = any(run_ids) and r.status is not distinct from 'queued' and r.parked is null and r.executor_id is null
    returning r.*
  )
  insert into office.inbox_items (workspace_id, kind, title, body, agent_id, task_id, run_id, dedup_key)
  select
    b.workspace_id, 'run.blocked', format('r%s of %s has nothing to launch', b.number, a.name),
    format(
      'Neither its task, its agent, its project nor its workspace names an executor, or its agent''s profile is disabled. Set one: '
      || 'select * from office.update_agent(%L, ''{"executor": {"command": ["…"]}}''); then retry: select * from office.retry_run(%L);',
      a.name, 'r' || b.number
    ),
    b.agent_id, b.task_id, b.id, format('run.blocked:%s', b.id)
  from blocked as b
  join office.agents as a on a.id = b.agent_id
  on conflict do nothing;
end
$$;

comment on function office_internal.settle_unlaunchable(uuid[]) is 'Blocks runs without an executor, with an inbox item.';
