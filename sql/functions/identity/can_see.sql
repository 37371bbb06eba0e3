-- office_internal.can_see: whether the caller sees a workspace: visible_workspaces for one, whatever their number.
create or replace function office_internal.can_see(workspace_id uuid)
returns boolean
language plpgsql stable parallel safe security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_me record;
begin
  select * into v_me from office_internal.identity();
  if v_me.account_id is null and v_me.agent_id is null then
    -- Refuses, and says what can be done.
    perform office_internal.caller();
  end if;
  return (
    select case
      when v_me.is_operator then true
      when v_me.agent_id is not null
        then exists (select from office.agents as a where a.id = v_me.agent_id and a.workspace_id = can_see.workspace_id)
      else exists (select from office.members as m where m.workspace_id = can_see.workspace_id and m.account_id = v_me.account_id)
    end
    from office.workspaces as w
    where w.id = can_see.workspace_id and (w.deleted_at is null or v_me.agent_id is not null)
  ) is true;
end
$$;

comment on function office_internal.can_see(uuid) is 'True for a workspace that the caller sees.';
