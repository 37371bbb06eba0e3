-- office.carry_out: does what the office wants changed in people's tables, in order, each as an update that names the state it
-- expects, as whoever caused it (A6); what a run's result asks for as its agent, by the functions that it calls while it runs,
-- each recorded as action_done or action_refused (X8). What is no longer so, or refused, is dropped, with activity. Rows that
-- somebody else has locked are left for the next call. Answers how many changes were worked off. Takes no gate.
create or replace function office.carry_out(max_changes integer default 100)
returns integer
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_change office_internal.changes;
  v_done integer := 0;
  v_problem text;
  v_found boolean;
  v_stage uuid;
begin
  for v_change in
    select c.*
    from office_internal.changes as c
    order by c.id
    limit greatest(least(coalesce(max_changes, 100), 10000), 0)
    for no key update skip locked
  loop
    if v_change.kind = 'pause_agent' then
      perform from office.agents as a where a.id = v_change.agent_id for no key update skip locked;
      continue when not found and exists (select from office.agents as a where a.id = v_change.agent_id);
      -- Another session has a change of this agent that comes first.
      continue when exists (
        select
        from office_internal.changes as c
        where c.agent_id = v_change.agent_id and c.kind = 'pause_agent' and c.id < v_change.id
      );
    else
      perform from office.tasks as t where t.id = v_change.task_id for no key update skip locked;
      continue when not found and exists (select from office.tasks as t where t.id = v_change.task_id);
    end if;
    perform set_config('office.carrying', v_change.id::text, true);
    v_problem := null;
    -- Where a check has passed, the stage that it was asked for with.
    v_stage := (
      select c.stage_id
      from office.task_checks as c
      where c.task_id = v_change.task_id and c.status = 'passed' and v_change.kind = 'move_task' and c.target = v_change.to_state
      order by c.number desc
      limit 1
    );
    begin
      if v_change.kind = 'action' then
        perform office_internal.do_action(v_change.action, v_change.agent_id, v_change.attempt_id);
        v_found := true;
      elsif v_change.kind = 'pause_agent' then
        update office.agents as a
        set status = v_change.to_state, status_reason = v_change.reason, paused_by = coalesce(v_change.paused_by, 'failures')
        where a.id = v_change.agent_id and a.status = v_change.from_state
          -- Whoever has paused it lets it go, and nobody else.
          and (v_change.from_state <> 'paused' or a.paused_by is not distinct from v_change.paused_by);
        v_found := found;
      elsif v_change.kind = 'review_task' then
        v_found := office_internal.give_verdict(v_change.task_id, v_change.round, v_change.to_state, v_change.reason);
      elsif exists (select from office.tasks as t where t.id = v_change.task_id and t.state = v_change.from_state)
        and office_internal.request_check(v_change.task_id, v_change.to_state, v_stage)
      then
        -- It is moved once its check has passed (T15).
        v_found := true;
      else
        update office.tasks as t
        set state = v_change.to_state, stage_id = coalesce(v_stage, t.stage_id)
        where t.id = v_change.task_id and t.state = v_change.from_state;
        v_found := found;
      end if;
      if not v_found then
        v_problem := 'it is no longer so';
      end if;
    exception
      when serialization_failure or deadlock_detected or lock_not_available or read_only_sql_transaction then
        raise;
      when others then
        -- One that somebody's trigger refuses must not hold up the others for ever.
        v_problem := sqlerrm;
    end;
    if v_change.kind = 'action' then
      perform office_internal.remember(
        v_change.workspace_id, case when v_problem is null then 'action_done' else 'action_refused' end,
        jsonb_strip_nulls(jsonb_build_object('action', v_change.action, 'reason', v_problem)),
        null, v_change.agent_id, v_change.task_id, r.id, v_change.attempt_id
      )
      from office.attempts as a
      join office.runs as r on r.id = a.run_id
      where a.id = v_change.attempt_id;
    elsif v_problem is not null then
      perform office_internal.remember(
        v_change.workspace_id, 'change_dropped',
        jsonb_build_object(
          'kind', v_change.kind, 'expected', v_change.from_state, 'wanted', v_change.to_state, 'reason', v_problem
        ),
        v_change.account_id, v_change.agent_id, v_change.task_id, null, v_change.attempt_id
      );
      -- The lane was closed ahead of the row, which stays as it is.
      if v_change.kind = 'pause_agent' then
        perform office_internal.leave_signal(v_change.workspace_id, 'agent', null, v_change.agent_id);
      end if;
    end if;
    perform set_config('office.carrying', '', true);
    delete from office_internal.changes as c where c.id = v_change.id;
    v_done := v_done + 1;
  end loop;
  return v_done;
end
$$;

comment on function office.carry_out(integer) is 'Carries out what the office wants changed in people''s tables.';
