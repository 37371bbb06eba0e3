-- office.drain_worker: a worker shuts down (P3). It claims nothing more; what it had not started is queued again, what still runs
-- is interrupted, what was stopping is cancelled; it ends. Answers how many runs it let go. Again: 0.
-- Refuses an unknown worker (not_found). Takes the gates of its runs.
create or replace function office.drain_worker(worker_id uuid)
returns integer
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  if not exists (select from office.workers as w where w.id = drain_worker.worker_id) then
    perform office_internal.need_worker(drain_worker.worker_id);
  end if;
  return office_internal.settle_worker(drain_worker.worker_id, 'drained');
end
$$;

comment on function office.drain_worker(uuid) is 'Ends a worker in good order; answers how many runs it let go.';
