-- office.release_task: an operator frees a task's lock, when what holds it does not end (T10). Runs that wait for it may be claimed. A live
-- run that held it is not stopped: it works on without the lock, and its end frees no other's; whoever wants it stopped says so
-- (office.stop). Answers the task, and the run that held it.
-- Refuses others than operators (forbidden), unknown tasks (not_found), one that is not locked (conflict). Takes the gate.
create or replace function office.release_task(task text)
returns table (released text, held_by text)
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_account uuid := office_internal.need_person();
  v_task office.tasks;
  v_run uuid;
begin
  perform office_internal.need_operator();
  select * into v_task from office.tasks as t where t.id = office_internal.find_task(release_task.task);
  perform office_internal.take_gates(array[v_task.workspace_id]);
  delete from office.checkouts as c where c.task_id = v_task.id returning c.checkout_run_id into v_run;
  if v_run is null then
    perform office_internal.refuse(
      'conflict', format('t%s is not locked.', v_task.number), 'select * from office.up_next; says what its runs wait for.',
      jsonb_build_object('task', 't' || v_task.number)
    );
  end if;
  perform office_internal.remember(v_task.workspace_id, 'task_released', '{}', v_account, r.agent_id, v_task.id, v_run)
  from office.runs as r
  where r.id = v_run;
  return query select 't' || v_task.number, 'r' || r.number from office.runs as r where r.id = v_run;
end
$$;

comment on function office.release_task(text) is 'Frees a task''s lock, whoever holds it; the run that held it works on without.';
