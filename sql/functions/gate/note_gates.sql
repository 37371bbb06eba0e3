-- office_internal.note_gates: notes that a gate function is at work, for the statement that called it, so that the guards of the office's
-- tables can tell it from a hand-written statement, which may come next in the same transaction. A note, not a lock: need_gates asks
-- the locks themselves.
create or replace function office_internal.note_gates()
returns void
language plpgsql volatile
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  perform set_config('office.gates', statement_timestamp()::text, true);
end
$$;

comment on function office_internal.note_gates() is 'Notes that this statement is a gate function''s.';
