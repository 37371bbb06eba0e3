-- office_internal.find_task: a task by number (t97) or uuid, among what the caller sees (I2).
-- Refuses what is not there or was deleted (not_found).
create or replace function office_internal.find_task(ref text)
returns uuid
language plpgsql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_id uuid;
begin
  if ref ~* '^t[0-9]{1,18}$' then
    select t.id into v_id
    from office.tasks as t
    where t.number = substr(ref, 2)::bigint and t.deleted_at is null
      and t.workspace_id in (select office.visible_workspaces());
  elsif office_internal.is_uuid(ref) then
    select t.id into v_id
    from office.tasks as t
    where t.id = ref::uuid and t.deleted_at is null and t.workspace_id in (select office.visible_workspaces());
  end if;
  if v_id is null then
    perform office_internal.refuse(
      'not_found', format('No task "%s".', ref), 'A task is named by its number, as t97; officectl task list shows them.',
      jsonb_build_object('noun', 'task', 'given', ref)
    );
  end if;
  return v_id;
end
$$;

comment on function office_internal.find_task(text) is 'Id of a task that the caller sees.';
