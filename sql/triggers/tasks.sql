-- Triggers of office.tasks. Whoever changes a task, by function or by hand, meets the same states, and leaves the same
-- activity and signals (T2, T5, T6). Nothing of the office's is touched here (A6).

create or replace function office_internal.tasks_check()
returns trigger
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_stage_state text;
begin
  if tg_op = 'INSERT' then
    if new.state not in ('proposed', 'todo') and not (
      new.state = 'in_progress' and exists (select from office.workflows as f where f.id = new.workflow_id and f.kind = 'routine')
    ) then
      perform office_internal.refuse(
        'invalid', format('A new task cannot be %s.', new.state), 'proposed or todo.', jsonb_build_object('field', 'state')
      );
    end if;
  else
    -- A drag may name the stage only; the state follows it, and else it the state.
    if new.stage_id is distinct from old.stage_id and new.stage_id is not null and new.state = old.state then
      select s.state into v_stage_state from office.stages as s where s.id = new.stage_id and s.workflow_id = new.workflow_id;
      if v_stage_state is null then
        perform office_internal.refuse(
          'invalid', 'A task stands in a stage of its own workflow.', 'Name a stage of that workflow.',
          jsonb_build_object('field', 'stage')
        );
      end if;
      new.state := v_stage_state;
    end if;
    if new.state <> old.state and not exists (
      select from office.task_moves as m where m.from_state = old.state and m.to_state = new.state
    ) then
      perform office_internal.refuse(
        'move_refused',
        format('A task cannot go from %s to %s.', old.state, new.state),
        (select format('From %s it can go to: %s.', old.state, string_agg(m.to_state, ', ' order by m.to_state))
          from office.task_moves as m where m.from_state = old.state),
        jsonb_build_object(
          'field', 'state', 'from', old.state, 'to', new.state,
          'allowed', (select jsonb_agg(m.to_state order by m.to_state) from office.task_moves as m where m.from_state = old.state)
        )
      );
    end if;
    -- Each time that it comes into review is a round of its own, and only the state says so (T9).
    new.review_round := old.review_round + case when new.state = 'in_review' and old.state <> 'in_review' then 1 else 0 end;
    if old.state = 'in_review' and new.state <> 'in_review' then
      new.wake_after_approval := false;
    end if;
    if new.state = 'done' and old.state <> 'done' and office_internal.needs_approval(new)
      and not (old.state = 'in_review' and office_internal.is_approved(old))
    then
      perform office_internal.refuse(
        'move_refused', 'This task is done only after an approval.',
        case
          when old.state = 'in_review' then 'Whoever approves it says so: office.review_task.'
          else 'Move it to in_review: office.complete_task does.'
        end,
        jsonb_build_object('field', 'state', 'from', old.state, 'to', new.state)
      );
    end if;
    if new.state <> old.state and not (
      office_internal.is_checked(new, new.state)
      -- Nor by taking it out of its project in the same statement.
      and ((new.project_id, new.workflow_id) is not distinct from (old.project_id, old.workflow_id)
        or office_internal.is_checked(old, new.state))
    ) then
      perform office_internal.refuse(
        'check_needed', format('This task is %s only after its check has passed.', new.state),
        format('select * from office.complete_task(%L); has it checked, and moves it then.', 't' || new.number),
        jsonb_build_object('field', 'state', 'from', old.state, 'to', new.state)
      );
    end if;
    if old.requested_by_account_id is not null then
      new := office_internal.answer_of_request(old, new);
    end if;
  end if;
  if (tg_op = 'INSERT' or new.workflow_id <> old.workflow_id) and not exists (
    select from office.workflows as f where f.id = new.workflow_id and f.workspace_id = new.workspace_id
  ) then
    perform office_internal.refuse(
      'invalid', 'A task and its workflow are of one workspace.', 'Name a workflow of the task''s workspace.',
      jsonb_build_object('field', 'workflow')
    );
  end if;
  if tg_op = 'INSERT' or (new.state, new.workflow_id, new.stage_id) is distinct from (old.state, old.workflow_id, old.stage_id) then
    new.stage_id := (
      select s.id
      from office.stages as s
      where s.workflow_id = new.workflow_id and s.state = new.state
      order by (s.id = new.stage_id) desc, s.position
      limit 1
    );
  end if;
  if new.parent_id is not null and (tg_op = 'INSERT' or new.parent_id is distinct from old.parent_id) then
    perform office_internal.check_parent(new);
  end if;
  if new.project_id is not null and (tg_op = 'INSERT' or new.project_id is distinct from old.project_id)
    and not exists (select from office.projects as p where p.id = new.project_id and p.workspace_id = new.workspace_id)
  then
    perform office_internal.refuse(
      'invalid', 'A task and its project are of one workspace.', 'Name a project of the task''s workspace.',
      jsonb_build_object('field', 'project')
    );
  end if;
  if new.assignee_agent_id is not null and (tg_op = 'INSERT' or new.assignee_agent_id is distinct from old.assignee_agent_id)
    and not exists (select from office.agents as a where a.id = new.assignee_agent_id and a.workspace_id = new.workspace_id)
  then
    perform office_internal.refuse(
      'invalid', 'A task and its agent are of one workspace.', 'Assign an agent of the task''s workspace.',
      jsonb_build_object('field', 'assignee')
    );
  end if;
  if new.assignee_agent_id is not null then
    new.owner := 'agent';
  elsif new.owner = 'agent' then
    new.owner := 'unassigned';
  end if;
  if tg_op = 'INSERT' or new.executor is distinct from old.executor then
    new.executor_id := office_internal.keep_executor(new.executor);
  end if;
  if new.assignee_agent_id is not null and (tg_op = 'INSERT' or new.assignee_agent_id is distinct from old.assignee_agent_id)
    and new.executor_id is null and not exists (
      select from office_internal.usual_executor(new.assignee_agent_id) as x where x.executor_id is not null
    )
    -- The project's, which the task is not tied to yet. Who has a profile launches that alone.
    and not exists (
      select
      from office.agents as a
      join office.projects as j on j.id = new.project_id
      where a.id = new.assignee_agent_id and a.profile_id is null and j.executor_id is not null
    )
  then
    perform office_internal.refuse(
      'no_executor',
      'Nothing could be launched for this task.',
      'Give its agent an executor: select * from office.update_agent(''NAME'', ''{"executor": {"command": ["…"]}}'');',
      jsonb_build_object('field', 'assignee')
    );
  end if;
  return new;
end
$$;
comment on function office_internal.tasks_check() is 'Guards every change of a task: states, stage, owner, executor.';

create or replace function office_internal.tasks_tell()
returns trigger
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_doer record;
  v_event uuid;
  v_moved uuid;
  v_closed boolean := new.archived_at is not null or new.deleted_at is not null or new.state in ('done', 'cancelled');
  v_was_closed boolean := false;
begin
  select * into v_doer from office_internal.doer();
  if tg_op = 'INSERT' then
    v_event := office_internal.remember(
      new.workspace_id, 'task_created', jsonb_build_object('state', new.state),
      v_doer.account_id, v_doer.agent_id, new.id, null, v_doer.attempt_id
    );
    if new.assignee_agent_id is not null then
      perform office_internal.leave_signal(new.workspace_id, 'task_assigned', new.id, new.assignee_agent_id, v_event);
    end if;
    perform office_internal.enter_stage(new, v_event);
    return null;
  end if;
  v_was_closed := old.archived_at is not null or old.deleted_at is not null or old.state in ('done', 'cancelled');
  if new.assignee_agent_id is distinct from old.assignee_agent_id then
    v_event := office_internal.remember(
      new.workspace_id, 'task_assigned', jsonb_build_object('from', old.assignee_agent_id, 'to', new.assignee_agent_id),
      v_doer.account_id, v_doer.agent_id, new.id, null, v_doer.attempt_id
    );
    if old.assignee_agent_id is not null then
      perform office_internal.leave_signal(new.workspace_id, 'task_unassigned', new.id, old.assignee_agent_id, v_event);
    end if;
    if new.assignee_agent_id is not null then
      perform office_internal.leave_signal(new.workspace_id, 'task_assigned', new.id, new.assignee_agent_id, v_event);
    end if;
  end if;
  if new.state <> old.state then
    v_moved := office_internal.remember(
      new.workspace_id, 'task_moved', jsonb_build_object('from', old.state, 'to', new.state),
      v_doer.account_id, v_doer.agent_id, new.id, null, v_doer.attempt_id
    );
    if (new.state = 'in_progress' and old.state <> 'in_review') or (old.state = 'proposed' and new.state = 'todo') then
      perform office_internal.leave_signal(new.workspace_id, 'task_started', new.id, new.assignee_agent_id, v_moved);
    elsif new.state = 'in_review' then
      perform office_internal.leave_signal(new.workspace_id, 'task_in_review', new.id, new.assignee_agent_id, v_moved);
    elsif old.state = 'in_review' and new.state in ('in_progress', 'blocked') then
      perform office_internal.leave_signal(new.workspace_id, 'task_returned', new.id, new.assignee_agent_id, v_moved);
    elsif old.state in ('done', 'cancelled') and new.state = 'todo' then
      perform office_internal.leave_signal(new.workspace_id, 'task_reopened', new.id, new.assignee_agent_id, v_moved);
    end if;
  end if;
  if new.stage_id is distinct from old.stage_id then
    v_event := coalesce(v_moved, office_internal.remember(
      new.workspace_id, 'task_staged', jsonb_build_object('from', old.stage_id, 'to', new.stage_id),
      v_doer.account_id, v_doer.agent_id, new.id, null, v_doer.attempt_id
    ));
    perform office_internal.enter_stage(new, v_event);
    -- From a stage that held its agent back into one that starts it, in the same state: as if it were set going (T4, T6).
    if v_moved is null and exists (select from office.stages as s where s.id = new.stage_id and s.auto_start_agent) then
      perform office_internal.leave_signal(new.workspace_id, 'task_started', new.id, new.assignee_agent_id, v_event);
    end if;
  end if;
  if v_closed and not v_was_closed then
    v_event := office_internal.remember(
      new.workspace_id, 'task_closed',
      jsonb_build_object('state', new.state, 'archived', new.archived_at is not null, 'deleted', new.deleted_at is not null),
      v_doer.account_id, v_doer.agent_id, new.id, null, v_doer.attempt_id
    );
    perform office_internal.leave_signal(new.workspace_id, 'task_closed', new.id, new.assignee_agent_id, v_event);
  end if;
  -- What is archived or deleted takes its parts with it, and theirs, in one statement: their own turns find nothing left (T14).
  if (new.archived_at is not null and old.archived_at is null) or (new.deleted_at is not null and old.deleted_at is null) then
    update office.tasks as t
    set archived_at = coalesce(t.archived_at, new.archived_at), deleted_at = coalesce(t.deleted_at, new.deleted_at)
    where t.id = any(array(
      with recursive parts as (
        select p.id from office.tasks as p
        where p.parent_id = new.id
          and ((new.archived_at is not null and p.archived_at is null) or (new.deleted_at is not null and p.deleted_at is null))
        union
        select p.id from parts
        join office.tasks as p on p.parent_id = parts.id
        where (new.archived_at is not null and p.archived_at is null) or (new.deleted_at is not null and p.deleted_at is null)
      )
      select parts.id from parts
    ));
  end if;
  -- One that is open again blocks others again; one that is gone after it was closed ends its sessions and stops its runs (N1, T14).
  if new.snoozed_until is distinct from old.snoozed_until or new.project_id is distinct from old.project_id
    or (v_was_closed and (
      not v_closed or (new.deleted_at, new.archived_at, new.state) is distinct from (old.deleted_at, old.archived_at, old.state)
    ))
  then
    perform office_internal.leave_signal(new.workspace_id, 'task_holds', new.id);
  end if;
  return null;
end
$$;
comment on function office_internal.tasks_tell() is 'Leaves activity and signals of a task''s change; closes its parts with it.';

create or replace function office_internal.tasks_keep()
returns trigger
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  update office.tasks as t set deleted_at = office.now() where t.id = old.id and t.deleted_at is null;
  return null;
end
$$;
comment on function office_internal.tasks_keep() is 'Turns a DELETE of a task into deleted_at (A6).';

create or replace trigger tasks_belong
before update on office.tasks
for each row execute function office_internal.guard_workspace('A task');

create or replace trigger tasks_check
before insert or update on office.tasks
for each row execute function office_internal.tasks_check();

create or replace trigger tasks_tell
after insert or update on office.tasks
for each row execute function office_internal.tasks_tell();

create or replace trigger tasks_keep
before delete on office.tasks
for each row execute function office_internal.tasks_keep();
