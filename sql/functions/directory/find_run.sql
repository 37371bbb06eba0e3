-- office_internal.find_run: a run by number (r4812) or uuid, among what the caller sees (I2); refuses what is not there (not_found).
create or replace function office_internal.find_run(ref text)
returns uuid
language plpgsql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_id uuid;
begin
  if ref ~* '^r[0-9]{1,18}$' then
    select r.id into v_id
    from office.runs as r
    where r.number = substr(ref, 2)::bigint and r.workspace_id in (select office.visible_workspaces());
  elsif office_internal.is_uuid(ref) then
    select r.id into v_id
    from office.runs as r
    where r.id = ref::uuid and r.workspace_id in (select office.visible_workspaces());
  end if;
  if v_id is null then
    perform office_internal.refuse(
      'not_found', format('No run "%s".', ref), 'A run is named by its number, as r4812; officectl run list shows them.',
      jsonb_build_object('noun', 'run', 'given', ref)
    );
  end if;
  return v_id;
end
$$;

comment on function office_internal.find_run(text) is 'Id of a run that the caller sees.';
