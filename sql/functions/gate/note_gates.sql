-- office_internal.note_gates: remembers for this transaction whose gates it holds, so that the guards of the office's
-- tables can tell a gate function from a hand-written statement. The setting is a note, not a lock: need_gates asks the
-- lock itself.
create or replace function office_internal.note_gates(workspace_ids uuid[])
returns void
language plpgsql volatile
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  perform set_config(
    'office.gates',
    coalesce(current_setting('office.gates', true), '') || ' ' || array_to_string(workspace_ids, ' '),
    true
  );
end
$$;

comment on function office_internal.note_gates(uuid[]) is 'Notes that this transaction holds these gates.';
