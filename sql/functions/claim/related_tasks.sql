-- office_internal.related_tasks: a task's relations as paragraphs of a prompt (C1): its parts, what it is part of, what it waits for and
-- what waits for it, its documents and its whole's, by name; of each at most 20, then how many more. Those of which there are none are
-- left out.
create or replace function office_internal.related_tasks(task_id uuid, parent_id uuid)
returns text[]
language plpgsql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_parts uuid[] := array(
    select t.id from office.tasks as t where t.parent_id = related_tasks.task_id and t.deleted_at is null order by t.number
  );
  v_waits_for uuid[] := array(
    select t.id
    from office.task_blockers as b
    join office.tasks as t on t.id = b.blocker_task_id
    where b.task_id = related_tasks.task_id and t.deleted_at is null
    order by t.number
  );
  v_wait_for_it uuid[] := array(
    select t.id
    from office.task_blockers as b
    join office.tasks as t on t.id = b.task_id
    where b.blocker_task_id = related_tasks.task_id and t.deleted_at is null
    order by t.number
  );
begin
  return array_remove(array[
    case when v_parts <> '{}' then 'Parts:' || office_internal.task_list(v_parts, false) end,
    case when related_tasks.parent_id is not null then 'Part of:' || office_internal.task_list(array[related_tasks.parent_id], false) end,
    case when v_waits_for <> '{}' then 'Waits for:' || office_internal.task_list(v_waits_for, false) end,
    case when v_wait_for_it <> '{}' then 'What waits for it:' || office_internal.task_list(v_wait_for_it, false) end,
    'Documents of the whole (officectl agent document NAME):' || office_internal.document_list(related_tasks.parent_id),
    'Documents of this task (officectl agent document NAME --task TASK):' || office_internal.document_list(related_tasks.task_id)
  ], null);
end
$$;

comment on function office_internal.related_tasks(uuid, uuid) is 'A task''s parts, parent, blockers and dependants, for its prompt.';
