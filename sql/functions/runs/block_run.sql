-- office_internal.block_run: ends a run that only a person can help, and says so to people and to the one who leads (Q23).
-- The caller holds the gate and has ended the attempt.
create or replace function office_internal.block_run(run_id uuid, error text)
returns void
language plpgsql volatile
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  update office.runs as r set status = 'blocked', ended_at = office_internal.wall_clock() where r.id = block_run.run_id;
  perform office_internal.escalate(block_run.run_id, 'run.blocked', 'is blocked', error);
end
$$;

comment on function office_internal.block_run(uuid, text) is 'Blocks a run, with an inbox item.';
