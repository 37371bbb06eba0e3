-- office.create_workspace: a workspace with its system workflows and its gate (T4). Operators only (forbidden);
-- refuses a name in use (name_taken) and an unknown zone (invalid).
create or replace function office.create_workspace(name text, owner text default null, timezone text default 'UTC')
returns office.workspace_reference
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_owner uuid;
  v_id uuid;
begin
  perform office_internal.need_operator();
  perform office_internal.check_name('workspace', create_workspace.name);
  -- The view reads every file of the zones: not for the usual one.
  if create_workspace.timezone is distinct from 'UTC'
    and not exists (select from pg_timezone_names as z where z.name = create_workspace.timezone)
  then
    perform office_internal.refuse(
      'invalid', format('No time zone "%s".', create_workspace.timezone), 'As Europe/Berlin, or UTC.',
      jsonb_build_object('field', 'timezone')
    );
  end if;
  v_owner := case when owner is null then office_internal.caller() else office_internal.find_account(owner) end;
  begin
    insert into office.workspaces (name, owner_account_id, timezone)
    values (create_workspace.name, v_owner, create_workspace.timezone)
    returning id into v_id;
  exception when unique_violation then
    perform office_internal.name_taken('workspace', create_workspace.name);
  end;
  insert into office.members (workspace_id, account_id, role) values (v_id, v_owner, 'owner');
  return (v_id, create_workspace.name)::office.workspace_reference;
end
$$;

comment on function office.create_workspace(text, text, text) is 'Makes a workspace with its system workflows.';
