-- office_internal.guard_workspace: the trigger by which what a workspace has stays in it, for a hand-written UPDATE too (A10). Refuses
-- the change (invalid); the trigger's argument says what it is.
create or replace function office_internal.guard_workspace()
returns trigger
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  if new.workspace_id <> old.workspace_id then
    perform office_internal.refuse(
      'invalid', format('%s stays in its workspace.', tg_argv[0]), 'Make a new one there.', jsonb_build_object('field', 'workspace_id')
    );
  end if;
  return new;
end
$$;

comment on function office_internal.guard_workspace() is 'Refuses to move a thing to another workspace.';
