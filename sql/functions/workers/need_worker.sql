-- office_internal.need_worker: a worker that lives. Refuses an unknown one (not_found), one that ended (worker_expired).
create or replace function office_internal.need_worker(worker_id uuid)
returns office.workers
language plpgsql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_worker office.workers;
begin
  select * into v_worker from office.workers as w where w.id = need_worker.worker_id;
  if v_worker.id is null then
    perform office_internal.refuse(
      'not_found', format('No worker "%s".', need_worker.worker_id), 'Register first: select * from office.register_worker(''host'');',
      jsonb_build_object('noun', 'worker', 'given', need_worker.worker_id)
    );
  end if;
  if v_worker.ended_at is not null then
    perform office_internal.refuse(
      'worker_expired', format('This worker ended: %s.', v_worker.end_reason), 'Stop what it runs, then register a new one.',
      jsonb_build_object('worker', v_worker.id, 'reason', v_worker.end_reason)
    );
  end if;
  return v_worker;
end
$$;

comment on function office_internal.need_worker(uuid) is 'A living worker''s row.';
