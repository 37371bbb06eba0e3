-- office_internal.need_gate: the workspace's gate is this transaction's, or becomes so now; when it is another's: 55P03, try again. The
-- lock itself is asked, not the note of it, which anybody could write (A6).
create or replace function office_internal.need_gate(workspace_id uuid)
returns void
language plpgsql volatile
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  perform from office_internal.gates as g where g.workspace_id = need_gate.workspace_id for no key update nowait;
end
$$;

comment on function office_internal.need_gate(uuid) is 'Takes the workspace''s gate if this transaction does not hold it; never waits.';
