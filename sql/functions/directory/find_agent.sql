-- office_internal.find_agent: an agent by name, workspace/name or uuid, among what the caller sees (I2).
-- Refuses what is not there, or not in the workspace that it must be in (not_found), and a name that several have (ambiguous).
create or replace function office_internal.find_agent(ref text, workspace_id uuid default null)
returns uuid
language plpgsql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_workspace uuid := workspace_id;
  v_name text := ref;
  v_ids uuid[];
begin
  if position('/' in ref) > 0 then
    v_workspace := office_internal.find_workspace(split_part(ref, '/', 1));
    v_name := substr(ref, position('/' in ref) + 1);
    if v_workspace <> workspace_id then
      perform office_internal.refuse(
        'not_found', format('Agent %s is of another workspace.', ref), 'A workspace''s work is done by its own agents.',
        jsonb_build_object('noun', 'agent', 'given', ref)
      );
    end if;
  end if;
  -- Each by its own index: an "or" of both would read every agent, and a name is found among many workspaces as among few.
  if office_internal.is_uuid(v_name) then
    v_ids := array(select a.id from office.agents as a where a.id = v_name::uuid and a.deleted_at is null
      and (v_workspace is null or a.workspace_id = v_workspace) and office_internal.can_see(a.workspace_id));
  elsif v_workspace is not null then
    v_ids := array(select a.id from office.agents as a where a.workspace_id = v_workspace and lower(a.name) = lower(v_name)
      and a.deleted_at is null and office_internal.can_see(a.workspace_id));
  else
    v_ids := array(
      select a.id
      from office.visible_workspaces() as v (id)
      join office.agents as a on a.workspace_id = v.id and lower(a.name) = lower(v_name) and a.deleted_at is null
    );
  end if;
  if cardinality(v_ids) = 1 then
    return v_ids[1];
  end if;
  if cardinality(v_ids) > 1 then
    perform office_internal.refuse(
      'ambiguous', format('More than one workspace has an agent "%s".', v_name), 'Name it workspace/agent.',
      jsonb_build_object('field', 'agent', 'given', ref)
    );
  end if;
  perform office_internal.not_found(
    'agent',
    v_name,
    (
      select array_agg(a.name)
      from office.agents as a
      where a.deleted_at is null
        and (v_workspace is null or a.workspace_id = v_workspace)
        and a.workspace_id in (select office.visible_workspaces())
    ),
    'officectl agent list shows the agents.'
  );
  return null;
end
$$;

comment on function office_internal.find_agent(text, uuid) is 'Id of an agent that the caller sees.';
