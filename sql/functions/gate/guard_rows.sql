-- office_internal.guard_rows: the trigger after a statement on one of the office's tables: what it changed or removed was under its
-- workspaces' gates (A6). Its transition table is called old_rows.
create or replace function office_internal.guard_rows()
returns trigger
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  perform office_internal.need_gates(array(select distinct o.workspace_id from old_rows as o));
  return null;
end
$$;

comment on function office_internal.guard_rows() is 'Refuses a change of the office''s tables without the gates.';
