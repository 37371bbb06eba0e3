-- office_internal.task_of_document: the task whose documents are meant (X2): the one named; from inside a run that names none its task's
-- parent, or the task where that has none. Refuses unknown ones (not_found) and a call that names none and has none (missing); where it is
-- to be written what is neither the run's to change nor its task's parent (forbidden).
create or replace function office_internal.task_of_document(ref text, writing boolean)
returns uuid
language plpgsql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_me record;
  v_own office.tasks;
  v_task uuid;
begin
  perform office_internal.caller();
  select * into v_me from office_internal.identity();
  select t.* into v_own
  from office.attempts as a
  join office.runs as r on r.id = a.run_id
  join office.tasks as t on t.id = r.task_id
  where a.id = v_me.attempt_id;
  v_task := case when ref is not null then office_internal.find_task(ref) else coalesce(v_own.parent_id, v_own.id) end;
  if v_task is null then
    perform office_internal.refuse(
      'missing', 'Which task''s document?', 'Name one, as t97.', jsonb_build_object('field', 'task')
    );
  end if;
  if writing and v_task is distinct from v_own.parent_id then
    return office_internal.task_to_change(v_task::text);
  end if;
  return v_task;
end
$$;

comment on function office_internal.task_of_document(text, boolean) is 'Id of the task whose documents are meant.';
