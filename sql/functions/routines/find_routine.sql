-- office_internal.find_routine: a routine by name, workspace/name or uuid, with or without "routine:" before it, among what the
-- caller sees (I2). Refuses what is not there (not_found), and a name that several workspaces have (ambiguous).
create or replace function office_internal.find_routine(ref text)
returns uuid
language plpgsql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_name text := regexp_replace(coalesce(ref, ''), '^routine:', '');
  v_workspace uuid;
  v_ids uuid[];
begin
  if position('/' in v_name) > 0 then
    v_workspace := office_internal.find_workspace(split_part(v_name, '/', 1));
    v_name := substr(v_name, position('/' in v_name) + 1);
  end if;
  if office_internal.is_uuid(v_name) then
    v_ids := array(select r.id from office.routines as r where r.id = v_name::uuid and r.deleted_at is null
      and (v_workspace is null or r.workspace_id = v_workspace) and office_internal.can_see(r.workspace_id));
  else
    v_ids := array(
      select r.id
      from office.visible_workspaces() as v (id)
      join office.routines as r on r.workspace_id = v.id and lower(r.name) = lower(v_name) and r.deleted_at is null
      where v_workspace is null or v.id = v_workspace
    );
  end if;
  if cardinality(v_ids) = 1 then
    return v_ids[1];
  end if;
  if cardinality(v_ids) > 1 then
    perform office_internal.refuse(
      'ambiguous', format('More than one workspace has a routine "%s".', v_name), 'Name it workspace/routine.',
      jsonb_build_object('field', 'routine', 'given', ref)
    );
  end if;
  perform office_internal.not_found(
    'routine',
    v_name,
    (
      select array_agg(r.name)
      from office.routines as r
      where r.deleted_at is null
        and (v_workspace is null or r.workspace_id = v_workspace)
        and r.workspace_id in (select office.visible_workspaces())
    ),
    'officectl routine list shows the routines.'
  );
  return null;
end
$$;

comment on function office_internal.find_routine(text) is 'Id of a routine that the caller sees.';
