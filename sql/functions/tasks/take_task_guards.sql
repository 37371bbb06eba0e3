-- office_internal.take_task_guards: one transaction at a time a workspace ties tasks together (T8): of two halves of a cycle that are added
-- at once the second sees the first, if it looks in a new statement; above READ COMMITTED it gets 40001. Nothing else touches these rows.
create or replace function office_internal.take_task_guards(workspace_ids uuid[])
returns void
language plpgsql volatile
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  insert into office_internal.blocker_guards (workspace_id, xid)
  select w.id, '0' from unnest(workspace_ids) as w (id) order by w.id
  on conflict do nothing;
  -- Once a transaction.
  update office_internal.blocker_guards as g
  set xid = pg_current_xact_id()
  from (
    select l.workspace_id from office_internal.blocker_guards as l
    where l.workspace_id = any(workspace_ids) and l.xid <> pg_current_xact_id()
    order by l.workspace_id
    for no key update
  ) as l
  where g.workspace_id = l.workspace_id;
end
$$;

comment on function office_internal.take_task_guards(uuid[]) is 'Serialises who ties tasks of these workspaces together.';
