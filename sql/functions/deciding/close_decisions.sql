-- office_internal.close_decisions: the work of these attempts is over: what they had asked and is open expires with it, whatever ended
-- it (D4). Approvals stay, and so does the question what becomes of an interrupted run. The caller holds the gates.
create or replace function office_internal.close_decisions(attempt_ids uuid[])
returns void
language plpgsql volatile
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  update office.decisions as d
  set status = 'expired', reason = 'Its work ended.', decided_at = office_internal.wall_clock()
  where d.attempt_id = any(attempt_ids) and d.status is not distinct from 'pending' and d.kind in ('question', 'permission', 'publish');
end
$$;

comment on function office_internal.close_decisions(uuid[]) is 'Expires what ended attempts had asked.';
