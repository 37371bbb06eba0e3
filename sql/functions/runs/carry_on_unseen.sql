-- office_internal.carry_on_unseen: event wakeups that joined a run after its prompt was built have not been seen: one follow-up run
-- carries them (Q5), or the scope's open queued run takes them in. Not when a person stopped or dropped the run, its agent is
-- stopped, or its task was closed or given to another: then they are cancelled with that reason. The caller holds the gate.
create or replace function office_internal.carry_on_unseen(ended_run_ids uuid[])
returns void
language plpgsql volatile
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_run record;
  v_into office.runs;
  v_reason text;
  v_first office.wakeups;
begin
  for v_run in
    select r.*, a.shown_wakeups
    from office.runs as r
    join office.attempts as a on a.id = r.attempt_id
    where r.id = any(ended_run_ids) and r.status <> 'interrupted' and a.shown_wakeups < r.coalesced_count and not r.solo
    order by r.id
  loop
    select * into v_first
    from office.wakeups as w
    where w.run_id = v_run.id and w.position > v_run.shown_wakeups and w.class = 'event'
    order by w.position
    limit 1;
    continue when v_first.id is null;
    select case
      when v_run.cancel_reason in ('stopped', 'dropped') then v_run.cancel_reason
      when g.status = 'stopped' or g.deleted_at is not null then 'agent_stopped'
      when t.deleted_at is not null then 'task_not_found'
      when t.id is not null and office_internal.is_closed(t) and (v_first.addresses <> 'mentioned' or t.archived_at is not null)
        then 'task_terminal'
      when t.id is not null and v_first.addresses = 'assignee' and t.assignee_agent_id is distinct from v_run.agent_id
        then 'assignee_changed'
    end into v_reason
    from office.agents as g
    left join office.tasks as t on t.id = v_run.task_id
    where g.id = v_run.agent_id;
    if v_reason is not null then
      update office.wakeups as w
      set status = 'cancelled', reason = v_reason
      where w.run_id = v_run.id and w.position > v_run.shown_wakeups and w.class = 'event' and w.status in ('claimed', 'coalesced');
      continue;
    end if;
    select * into v_into
    from office.runs as r
    where r.agent_id = v_run.agent_id and r.scope_id = v_run.scope_id and r.status = 'queued' and not r.solo and r.answered_at is null;
    if v_into.id is null then
      insert into office.runs (
        workspace_id, agent_id, task_id, routine_id, executor_id, reason, class, depth, coalesced_count, requested_at
      )
      values (
        v_run.workspace_id, v_run.agent_id, v_run.task_id, v_run.routine_id,
        (select x.executor_id from office_internal.usual_executor(v_run.agent_id, v_run.task_id) as x),
        v_first.source, 'event', v_run.depth, 0, v_first.requested_at
      )
      returning * into v_into;
      update office.wakeups as w set status = 'claimed' where w.id = v_first.id and w.status = 'coalesced';
    end if;
    update office.runs as r
    set coalesced_count = v_into.coalesced_count
        + office_internal.move_wakeups(v_run.id, v_into.id, v_into.coalesced_count, v_run.shown_wakeups),
      depth = greatest(r.depth, v_run.depth),
      reason = case when r.class = 'periodic' then v_first.source else r.reason end,
      class = 'event'
    where r.id = v_into.id;
    update office.runs as r
    set coalesced_count = (select count(*) from office.wakeups as w where w.run_id = r.id)
    where r.id = v_run.id;
    perform office_internal.park_runs(array[v_into.id]);
  end loop;
end
$$;

comment on function office_internal.carry_on_unseen(uuid[]) is 'Carries wakeups that ended runs have not shown into follow-up runs.';
