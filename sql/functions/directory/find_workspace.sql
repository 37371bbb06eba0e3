-- office_internal.find_workspace: a workspace by name or uuid; without one, the only one that the caller sees (I2).
-- Refuses what the caller cannot see (not_found) and a choice among several (ambiguous).
create or replace function office_internal.find_workspace(ref text)
returns uuid
language plpgsql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_ids uuid[];
  v_names text[];
begin
  -- Each by its own index: among many workspaces a name is found as among few.
  if office_internal.is_uuid(ref) then
    v_ids := array(select w.id from office.workspaces as w where w.id = ref::uuid and office_internal.can_see(w.id));
  elsif ref <> '' then
    v_ids := array(
      select w.id
      from office.workspaces as w
      where lower(w.name) = lower(ref) and w.deleted_at is null and office_internal.can_see(w.id)
    );
  else
    select array_agg(w.id), array_agg(w.name order by w.name) into v_ids, v_names
    from office.visible_workspaces() as v (id)
    join office.workspaces as w on w.id = v.id;
  end if;
  if cardinality(v_ids) = 1 then
    return v_ids[1];
  end if;
  if cardinality(v_ids) > 1 then
    perform office_internal.refuse(
      'ambiguous',
      format('Which workspace: %s?', array_to_string(v_names, ', ')),
      'Name it, as the argument workspace or before the name: acme/builder.',
      jsonb_build_object('field', 'workspace', 'choices', to_jsonb(v_names))
    );
  end if;
  perform office_internal.not_found(
    'workspace',
    coalesce(ref, ''),
    (select array_agg(w.name) from office.visible_workspaces() as v (id) join office.workspaces as w on w.id = v.id),
    'officectl workspace list shows those you can see.'
  );
  return null;
end
$$;

comment on function office_internal.find_workspace(text) is 'Id of a workspace that the caller sees.';
