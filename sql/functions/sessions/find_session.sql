-- office_internal.find_session: an agent session by number (s12) or uuid, among what the caller sees (I2); refuses what is not there
-- (not_found).
create or replace function office_internal.find_session(ref text)
returns uuid
language plpgsql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_id uuid;
begin
  if ref ~* '^s[0-9]{1,18}$' then
    select s.id into v_id
    from office.agent_sessions as s
    where s.number = substr(ref, 2)::bigint and s.workspace_id in (select office.visible_workspaces());
  elsif office_internal.is_uuid(ref) then
    select s.id into v_id
    from office.agent_sessions as s
    where s.id = ref::uuid and s.workspace_id in (select office.visible_workspaces());
  end if;
  if v_id is null then
    perform office_internal.refuse(
      'not_found', format('No agent session "%s".', ref),
      'A session is named by its number, as s12; select * from office.sessions; shows them. One begins with the first run of an agent '
      || 'on a task.',
      jsonb_build_object('noun', 'session', 'given', ref)
    );
  end if;
  return v_id;
end
$$;

comment on function office_internal.find_session(text) is 'Id of an agent session that the caller sees.';
