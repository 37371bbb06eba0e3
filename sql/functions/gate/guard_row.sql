-- office_internal.guard_row: the trigger before a row of the office's tables changes or goes: only under its workspace's gate (A6).
create or replace function office_internal.guard_row()
returns trigger
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  perform office_internal.need_gate(old.workspace_id);
  return coalesce(new, old);
end
$$;
comment on function office_internal.guard_row() is 'Lets a row of the office change only under its workspace''s gate.';
