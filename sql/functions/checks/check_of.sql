-- office_internal.check_of: the command that must pass before a task is in a state (T15): that of the stage which it would come into, else
-- its project's; null: none, or the state needs none.
create or replace function office_internal.check_of(task office.tasks, target text)
returns jsonb
language plpgsql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  if target not in ('in_review', 'done') then
    return null;
  end if;
  return coalesce(
    (
      select s.check_command
      from office.stages as s
      where s.workflow_id = (task).workflow_id and s.state = check_of.target
      order by (s.id = (task).stage_id) desc, s.position
      limit 1
    ),
    (select j.check_command from office.projects as j where j.id = (task).project_id)
  );
end
$$;

comment on function office_internal.check_of(office.tasks, text) is 'The command that must pass before a task is in a state.';
