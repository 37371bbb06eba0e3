-- office_internal.is_woken_for: whether events of this task wake its agent (T3, T6): it lives; it is an office task, by project
-- or by its workflow; and it stands in a stage that starts work.
create or replace function office_internal.is_woken_for(task_id uuid)
returns boolean
language plpgsql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  return (
    select t.archived_at is null and t.deleted_at is null
      and (t.project_id is not null or f.kind in ('office', 'routine'))
      and coalesce(s.auto_start_agent, true)
    from office.tasks as t
    join office.workflows as f on f.id = t.workflow_id
    left join office.stages as s on s.id = t.stage_id
    where t.id = is_woken_for.task_id
  );
end
$$;

comment on function office_internal.is_woken_for(uuid) is 'True for an office task whose events wake its agent.';
