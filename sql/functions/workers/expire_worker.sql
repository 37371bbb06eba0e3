-- office.expire_worker: an operator says that a worker is dead: its runs are settled as if its lease had run out (Q22).
-- Answers how many. Refuses others than operators (forbidden), an unknown worker (not_found). Takes the gates of its runs.
create or replace function office.expire_worker(worker_id uuid)
returns integer
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  perform office_internal.need_operator();
  if not exists (select from office.workers as w where w.id = expire_worker.worker_id) then
    perform office_internal.need_worker(expire_worker.worker_id);
  end if;
  return office_internal.settle_worker(expire_worker.worker_id, 'expired');
end
$$;

comment on function office.expire_worker(uuid) is 'Settles the runs of a worker that is known to be dead.';
