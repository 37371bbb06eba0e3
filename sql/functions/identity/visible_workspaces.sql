-- office.visible_workspaces: the workspaces that the caller may see; every policy asks it, once a statement (I6).
-- Refuses nobody (no_identity): an empty list would look like an empty office.
create or replace function office.visible_workspaces()
returns setof uuid
language plpgsql stable parallel safe security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_account uuid := office_internal.caller();
  v_me record;
begin
  select * into v_me from office_internal.identity();
  if v_me.is_operator then
    return query select w.id from office.workspaces as w where w.deleted_at is null;
  elsif v_me.agent_id is not null then
    return query select a.workspace_id from office.agents as a where a.id = v_me.agent_id;
  else
    return query
      select m.workspace_id
      from office.members as m
      join office.workspaces as w on w.id = m.workspace_id and w.deleted_at is null
      where m.account_id = v_account;
  end if;
end
$$;

comment on function office.visible_workspaces() is 'Ids of the workspaces that the caller may see.';
