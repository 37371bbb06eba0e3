-- office_internal.find_project: a project of a workspace by name or uuid; refuses what is not there (not_found).
create or replace function office_internal.find_project(ref text, workspace_id uuid)
returns uuid
language plpgsql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_id uuid;
begin
  select p.id into v_id
  from office.projects as p
  where p.deleted_at is null
    and p.workspace_id = find_project.workspace_id
    and (lower(p.name) = lower(ref) or (office_internal.is_uuid(ref) and p.id::text = lower(ref)));
  if v_id is null then
    perform office_internal.not_found(
      'project',
      ref,
      (
        select array_agg(p.name)
        from office.projects as p
        where p.deleted_at is null and p.workspace_id = find_project.workspace_id
      ),
      'officectl project list shows the projects.'
    );
  end if;
  return v_id;
end
$$;

comment on function office_internal.find_project(text, uuid) is 'Id of a project.';
