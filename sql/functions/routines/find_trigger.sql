-- office_internal.find_trigger: a trigger of a routine that the caller sees, by its uuid or a webhook's public id.
-- Refuses what is not there (not_found).
create or replace function office_internal.find_trigger(ref text)
returns uuid
language plpgsql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_id uuid;
begin
  select t.id into v_id
  from office.routine_triggers as t
  join office.routines as r on r.id = t.routine_id and r.deleted_at is null
  where t.id = case when office_internal.is_uuid(ref) then ref::uuid end and office_internal.can_see(t.workspace_id);
  if v_id is null then
    select t.id into v_id
    from office.routine_triggers as t
    join office.routines as r on r.id = t.routine_id and r.deleted_at is null
    where t.public_id = ref and office_internal.can_see(t.workspace_id);
  end if;
  if v_id is null then
    perform office_internal.not_found('trigger', coalesce(ref, ''), null, 'officectl routine show NAME shows its triggers.');
  end if;
  return v_id;
end
$$;

comment on function office_internal.find_trigger(text) is 'Id of a trigger that the caller sees.';
