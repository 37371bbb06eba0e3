-- office.finish_check: how a check ended (T15). exit_code 0: it has passed, and the move that it was for is carried out; the tree's
-- identity is kept with it. Anything else, null too: it has failed; the task stays, and its output goes back to the assignee as one
-- changes_requested, after max_check_rounds failures in a row to the inbox. tree: the identity, where it was the same before and after.
-- A run of the task that was claimed meanwhile may have changed what was looked at: the check is requested again, and is run once that is
-- over. A task that somebody has moved meanwhile stays where he put it: the check is dropped.
-- Refuses a check that is not this worker's to tell of (check_superseded). Takes the workspace's gate.
create or replace function office.finish_check(
  check_id uuid,
  worker_id uuid,
  exit_code integer default null,
  output text default null,
  tree text default null
)
returns text
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_now timestamptz;
  v_check office.task_checks;
  v_task office.tasks;
  v_moved boolean;
  v_failures integer;
  v_wakeup uuid;
begin
  select * into v_check from office.task_checks as c where c.id = finish_check.check_id;
  perform office_internal.take_gates(array_remove(array[v_check.workspace_id], null));
  v_now := office_internal.wall_clock();
  select * into v_check from office.task_checks as c where c.id = finish_check.check_id;
  select * into v_task from office.tasks as t where t.id = v_check.task_id;
  update office.task_checks as c
  set status = 'requested', worker_id = null, started_at = null
  where c.id = finish_check.check_id and c.status is not distinct from 'running' and c.worker_id = finish_check.worker_id
    and (
      exists (select from office.checkouts as k where k.task_id = c.task_id)
      or exists (select from office.runs as r where r.task_id = c.task_id and r.claimed_at > c.started_at)
    );
  if found then
    return 'requested';
  end if;
  -- That it is in progress may have been on its way when its agent completed it (T5).
  v_moved := v_task.state is distinct from coalesce(v_check.from_state, v_task.state)
    and (v_check.from_state, v_task.state) is distinct from ('todo', 'in_progress');
  update office.task_checks as c
  set
    status = case when v_moved then 'dropped' when finish_check.exit_code is not distinct from 0 then 'passed' else 'failed' end,
    ended_at = v_now,
    exit_code = finish_check.exit_code, tree = left(finish_check.tree, 200),
    -- The end says most; cut between characters.
    output = case
      when octet_length(finish_check.output) <= 65536 then finish_check.output
      else right(finish_check.output, 16384)
    end
  where c.id = finish_check.check_id and c.status is not distinct from 'running' and c.worker_id = finish_check.worker_id
  returning * into v_check;
  if not found then
    perform office_internal.refuse(
      'check_superseded', 'This check is no longer this worker''s to tell of.', 'Leave it: another runs it, or has told how it ended.',
      jsonb_build_object('check_id', finish_check.check_id)
    );
  end if;
  perform office_internal.remember(
    v_check.workspace_id, 'check_' || v_check.status,
    jsonb_strip_nulls(jsonb_build_object('target', v_check.target, 'exit_code', exit_code)),
    v_check.account_id, v_check.agent_id, v_check.task_id, null, v_check.attempt_id
  );
  if v_check.status = 'dropped' then
    return v_check.status;
  end if;
  if v_check.status = 'passed' then
    update office.inbox_items as i set closed_at = v_now where i.task_id = v_task.id and i.kind = 'task.check' and i.closed_at is null;
    insert into office_internal.changes (workspace_id, kind, task_id, from_state, to_state, account_id, agent_id, attempt_id)
    values (
      v_check.workspace_id, 'move_task', v_task.id, v_task.state, v_check.target, v_check.account_id, v_check.agent_id, v_check.attempt_id
    );
    return v_check.status;
  end if;
  select count(*) into v_failures
  from office.task_checks as c
  where c.task_id = v_task.id and c.status = 'failed' and c.number > coalesce((
    select max(p.number) from office.task_checks as p where p.task_id = v_task.id and p.status in ('passed', 'used')
  ), 0);
  if v_failures < office_internal.setting('max_check_rounds', v_task.workspace_id)::integer
    and v_task.assignee_agent_id is not null and office_internal.is_woken_for(v_task.id)
  then
    insert into office.wakeups (
      workspace_id, agent_id, source, class, addresses, task_id, payload, idempotency_key, depth, account_id, attempt_id, requested_at
    )
    values (
      v_task.workspace_id, v_task.assignee_agent_id, 'changes_requested', 'event', 'assignee', v_task.id,
      jsonb_build_object('task_id', v_task.id, 'round', v_failures, 'comment_ids', '[]'::jsonb, 'check_id', v_check.id),
      format('changes_requested:%s:check:%s', v_task.id, v_check.id), v_check.depth, v_check.account_id, v_check.attempt_id, office.now()
    )
    returning id into v_wakeup;
    insert into office_internal.signals (workspace_id, kind, wakeup_id, account_id, attempt_id, depth)
    values (v_task.workspace_id, 'wakeup', v_wakeup, v_check.account_id, v_check.attempt_id, v_check.depth);
  else
    insert into office.inbox_items (workspace_id, kind, title, body, agent_id, task_id, dedup_key)
    values (
      v_task.workspace_id, 'task.check', format('The check of t%s fails', v_task.number),
      format(
        E'"%s" is not %s: its check has failed %s times in a row. Look at it: select output from office.task_checks where id = %L;\n'
        || 'Once it is mended: select * from office.complete_task(%L);',
        v_task.title, v_check.target, v_failures, v_check.id, 't' || v_task.number
      ),
      v_task.assignee_agent_id, v_task.id, format('task.check:%s:%s', v_task.id, v_check.id)
    )
    on conflict do nothing;
  end if;
  return v_check.status;
end
$$;

comment on function office.finish_check(uuid, uuid, integer, text, text) is 'Says how a check ended: exit_code 0 lets the task move.';
