-- office.add_member: lets an account into a workspace. Its owner and operators only (forbidden). Again: the role is changed.
create or replace function office.add_member(workspace text, account text, role text default 'member')
returns void
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_caller uuid := office_internal.need_person();
  v_workspace uuid := office_internal.find_workspace(workspace);
  v_account uuid := office_internal.find_account(account);
begin
  if not (select me.is_operator from office_internal.identity() as me) and not exists (
    select from office.members as m
    where m.workspace_id = v_workspace and m.account_id = v_caller and m.role = 'owner'
  ) then
    perform office_internal.refuse('forbidden', 'Only an owner of the workspace lets others in.', 'Ask its owner.');
  end if;
  if add_member.role not in ('owner', 'member') or add_member.role is null then
    perform office_internal.refuse(
      'invalid', format('No role "%s".', add_member.role), 'owner or member.', jsonb_build_object('field', 'role')
    );
  end if;
  insert into office.members (workspace_id, account_id, role)
  values (v_workspace, v_account, add_member.role)
  on conflict on constraint members_pkey do update set role = excluded.role;
end
$$;

comment on function office.add_member(text, text, text) is 'Lets an account into a workspace.';
