-- office_internal.find_profile: a profile of a workspace by name or uuid; refuses what is not there (not_found).
create or replace function office_internal.find_profile(ref text, workspace_id uuid)
returns uuid
language plpgsql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_id uuid;
begin
  select p.id into v_id
  from office.profiles as p
  where p.deleted_at is null
    and p.workspace_id = find_profile.workspace_id
    and (lower(p.name) = lower(ref) or (office_internal.is_uuid(ref) and p.id::text = lower(ref)));
  if v_id is null then
    perform office_internal.not_found(
      'profile',
      ref,
      (
        select array_agg(p.name)
        from office.profiles as p
        where p.deleted_at is null and p.workspace_id = find_profile.workspace_id
      ),
      'select name from office.profiles; lists them.'
    );
  end if;
  return v_id;
end
$$;

comment on function office_internal.find_profile(text, uuid) is 'Id of a profile.';
