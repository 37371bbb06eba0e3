-- office.move_task: moves a task to a state, or to a stage of its workflow, by name (T4). State, stage and event are one
-- move. Where a check must pass first, that is asked for, and the task is moved when it has (T15).
-- Refuses moves that task_moves does not hold (move_refused), names that are neither (not_found). Takes no gate.
create or replace function office.move_task(task text, target text)
returns office.task_reference
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_task uuid := office_internal.task_to_change(task);
  v_stage uuid;
  v_state text;
begin
  select s.state into v_state from office.task_states as s where s.state = lower(move_task.target);
  if v_state is null then
    select g.id, g.state into v_stage, v_state
    from office.stages as g
    join office.tasks as t on t.workflow_id = g.workflow_id
    where t.id = v_task and lower(g.name) = lower(move_task.target);
    if v_state is null then
      perform office_internal.not_found(
        'state', move_task.target, (select array_agg(s.state order by s.position) from office.task_states as s),
        (select 'States: ' || string_agg(s.state, ', ' order by s.position) || '.' from office.task_states as s)
      );
    end if;
  end if;
  -- It is moved once its check has passed (T15).
  if office_internal.request_check(v_task, v_state, v_stage) then
    return office_internal.task_card(v_task);
  end if;
  update office.tasks as t
  set state = v_state, stage_id = coalesce(v_stage, t.stage_id)
  where t.id = v_task;
  return office_internal.task_card(v_task);
end
$$;

comment on function office.move_task(text, text) is 'Moves a task to a state or stage.';
