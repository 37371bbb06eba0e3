-- office_internal.check_parent: refuses a parent that is not there or of another workspace (invalid), one that is archived or deleted,
-- which would have taken the part with it (conflict, T14), and one that is a part of the task itself, in however many steps
-- (parent_cycle). Whoever archives the parent meanwhile waits for the part, or the part for him. Called by the table's trigger.
create or replace function office_internal.check_parent(task office.tasks)
returns void
language plpgsql volatile
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_parent office.tasks;
begin
  select * into v_parent from office.tasks as p where p.id = (task).parent_id for share;
  if v_parent.workspace_id is distinct from (task).workspace_id then
    perform office_internal.refuse(
      'invalid', 'A task and its parent are of one workspace.', 'Make a task of its own there.', jsonb_build_object('field', 'parent')
    );
  end if;
  if v_parent.archived_at is not null or v_parent.deleted_at is not null then
    perform office_internal.refuse(
      'conflict', format('t%s is archived, with all its parts.', v_parent.number), 'Make it a part of a task that is open.',
      jsonb_build_object('field', 'parent', 'task', 't' || v_parent.number)
    );
  end if;
  -- A new task has no parts yet.
  if not exists (select from office.tasks as t where t.id = (task).id) then
    return;
  end if;
  perform office_internal.take_task_guards(array[(task).workspace_id]);
  if exists (
    with recursive above as (
      select p.id, p.parent_id from office.tasks as p where p.id = (task).parent_id
      union
      select p.id, p.parent_id from above join office.tasks as p on p.id = above.parent_id
    )
    select from above where above.id = (task).id
  ) then
    perform office_internal.refuse(
      'parent_cycle', format('t%s would be a part of itself.', (task).number), 'Make it a part of a task that is none of its own parts.',
      jsonb_build_object('field', 'parent', 'task', 't' || (task).number)
    );
  end if;
end
$$;

comment on function office_internal.check_parent(office.tasks) is 'Refuses a parent that a task cannot have.';
