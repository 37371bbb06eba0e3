-- office_internal.entail_ends: what the end of attempts and runs entails, in the same transaction, whoever made it (Q17):
-- the attempt, wakeups that were not seen (Q5), the wakeups' statuses, continuation summaries (C5), what results ask for (X8),
-- the tasks' locks, activity, and a signal to look again. The run's end came first, its locks go after. The caller holds the gates.
--   over_run_ids   runs whose attempt is over (ended, or queued again)      ended_run_ids   runs that ended
create or replace function office_internal.entail_ends(over_run_ids uuid[], ended_run_ids uuid[])
returns void
language plpgsql volatile
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_now timestamptz := office_internal.wall_clock();
begin
  -- Whoever ended the run by hand did not end its attempt.
  update office.attempts as a
  set ended_at = v_now,
    outcome = case r.status
      when 'finished' then 'succeeded'
      when 'cancelled' then case when r.cancel_reason = 'stopped' then 'stopped' else 'cancelled' end
      when 'queued' then 'released'
      else r.status
    end
  from office.runs as r
  where r.id = any(over_run_ids) and a.id = r.attempt_id and a.ended_at is null;
  if cardinality(ended_run_ids) > 0 then
    -- One that ended before it was launched had not shown anything: nothing came too late for it. Only a hand lets one that was queued
    -- again succeed: what its last attempt was not shown is carried on.
    perform office_internal.carry_on_unseen(array(
      select r.id from office.runs as r
      where r.id = any(ended_run_ids) and (r.id = any(over_run_ids) or r.cancel_reason = 'dropped' or r.outcome = 'succeeded')
    ));
    update office.wakeups as w
    set status = case
        when r.status in ('failed', 'blocked') then 'failed'
        when r.status = 'cancelled' then 'cancelled'
        when r.outcome in ('checkout_lost', 'budget_blocked') then 'skipped'
        else 'finished'
      end,
      reason = case when r.result <> 'succeeded' then r.result end
    from office.runs as r
    where w.run_id = any(ended_run_ids) and w.status = 'claimed' and r.id = w.run_id and r.status <> 'interrupted';
    perform office_internal.renew_summaries(ended_run_ids);
    -- What its result asks for comes after the end, as the agent (X8). What is no list is one thing, which is refused.
    insert into office_internal.changes (workspace_id, kind, attempt_id, agent_id, action)
    select r.workspace_id, 'action', a.id, r.agent_id, k.action
    from office.runs as r
    join office.attempts as a on a.id = r.attempt_id and jsonb_typeof(a.result -> 'actions') <> 'null'
    cross join lateral jsonb_array_elements(
      case when jsonb_typeof(a.result -> 'actions') = 'array' then a.result -> 'actions' else jsonb_build_array(a.result -> 'actions') end
    ) with ordinality as k (action, nth)
    where r.id = any(ended_run_ids) and r.outcome is not distinct from 'succeeded'
    order by r.ended_at, r.number, k.nth;
  end if;
  -- Most runs hold none: a statement that deletes nothing would fire its triggers.
  if exists (select from office.checkouts as c where c.checkout_run_id = any(over_run_ids)) then
    delete from office.checkouts as c where c.checkout_run_id = any(over_run_ids);
  end if;
  perform office_internal.let_resources_go(over_run_ids);
  -- Its session's next may go (N2).
  insert into office_internal.signals (workspace_id, kind, task_id)
  select distinct q.workspace_id, 'task_holds', q.task_id
  from office.runs as r
  join office.runs as q on q.task_id = r.task_id and q.parked = 'session'
  where r.id = any(over_run_ids || ended_run_ids);
  if exists (
    select from office.runs as r
    where r.id = any(ended_run_ids) and r.task_id is not null and r.cancel_reason in ('stopped', 'dropped')
  ) then
    perform office_internal.give_tasks_back(ended_run_ids);
  end if;
  insert into office.activity (workspace_id, at, kind, agent_id, task_id, run_id, attempt_id, detail)
  select r.workspace_id, v_now, 'run_ended', r.agent_id, r.task_id, r.id, r.attempt_id, jsonb_build_object('result', r.result)
  from office.runs as r
  where r.id = any(ended_run_ids);
  insert into office_internal.signals (workspace_id, kind)
  select distinct r.workspace_id, 'look'
  from office.runs as r
  where r.id = any(over_run_ids);
  perform pg_notify('office_end', '');
end
$$;

comment on function office_internal.entail_ends(uuid[], uuid[]) is 'Does what ends of attempts and runs entail.';
