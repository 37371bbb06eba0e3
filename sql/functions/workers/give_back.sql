-- office.give_back: what a worker claimed and neither carries nor has started is queued again, no retry counted: the answer of its
-- claim was lost on the way, and nobody else would ever launch it (Q22). Between claims only: the worker names all it carries.
-- Answers how many. Refuses an unknown worker (not_found). Takes the gates of those runs.
create or replace function office.give_back(worker_id uuid, carried_attempt_ids uuid[])
returns integer
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_runs uuid[];
begin
  perform office_internal.need_worker(give_back.worker_id);
  perform office_internal.take_gates(array(
    select distinct r.workspace_id
    from office.runs as r
    where r.worker_id = give_back.worker_id and r.status in ('claimed', 'stopping')
  ));
  v_runs := array(
    select r.id
    from office.runs as r
    join office.attempts as a on a.id = r.attempt_id and (a.started_at is null or a.left_at is not null)
    where r.worker_id = give_back.worker_id and r.status in ('claimed', 'stopping')
      and not a.id = any(coalesce(give_back.carried_attempt_ids, '{}'))
  );
  perform office_internal.let_go(v_runs, 'its launch was lost on the way');
  -- Nobody launched them, so nothing of them can be left.
  update office.attempts as a
  set cleaned_at = office_internal.wall_clock(), killed = 0
  where a.run_id = any(v_runs) and a.worker_id = give_back.worker_id and (a.started_at is null or a.left_at is not null)
    and a.cleaned_at is null;
  return cardinality(v_runs);
end
$$;

comment on function office.give_back(uuid, uuid[]) is 'Queues again what a worker claimed and does not carry.';
