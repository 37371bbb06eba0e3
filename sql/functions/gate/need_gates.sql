-- office_internal.need_gates: these workspaces' gates are this transaction's, or become so now; when one is another's: 55P03, try
-- again. The locks themselves are asked, not the note of them, which anybody could write (A6).
create or replace function office_internal.need_gates(workspace_ids uuid[])
returns void
language plpgsql volatile
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  perform from office_internal.gates as g where g.workspace_id = any(workspace_ids) for no key update nowait;
end
$$;

comment on function office_internal.need_gates(uuid[]) is 'Makes sure that this transaction holds these gates.';
