-- office_internal.take_gates: the gates of some workspaces, in ascending id (A6). What comes after sees all that was
-- committed under them before. Held until the caller commits.
-- Refuses any isolation but READ COMMITTED (isolation): a later statement's snapshot must be newer than the lock.
create or replace function office_internal.take_gates(workspace_ids uuid[])
returns void
language plpgsql volatile
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  perform office_internal.need_read_committed();
  perform from office_internal.gates as g where g.workspace_id = any(workspace_ids) order by g.workspace_id for no key update;
  perform office_internal.note_gates();
end
$$;

comment on function office_internal.take_gates(uuid[]) is 'Takes the gates of these workspaces, waiting for them.';
