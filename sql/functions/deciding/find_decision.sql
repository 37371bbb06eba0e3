-- office_internal.find_decision: a decision by number (d12) or uuid, among what the caller sees (I2); refuses what is not there
-- (not_found).
create or replace function office_internal.find_decision(ref text)
returns uuid
language plpgsql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_id uuid;
begin
  if ref ~* '^d[0-9]{1,18}$' then
    select d.id into v_id
    from office.decisions as d
    where d.number = substr(ref, 2)::bigint and d.workspace_id in (select office.visible_workspaces());
  elsif office_internal.is_uuid(ref) then
    select d.id into v_id
    from office.decisions as d
    where d.id = ref::uuid and d.workspace_id in (select office.visible_workspaces());
  end if;
  if v_id is null then
    perform office_internal.refuse(
      'not_found', format('No decision "%s".', ref),
      'A decision is named by its number, as d12; select * from office.needs_me; shows them.',
      jsonb_build_object('noun', 'decision', 'given', ref)
    );
  end if;
  return v_id;
end
$$;

comment on function office_internal.find_decision(text) is 'Id of a decision that the caller sees.';
