-- office.heartbeat: a worker lives: its one lease for all its runs is renewed (Q22). Answers what to do, a row an attempt:
-- 'stop' those that were asked to stop, or that used up what one attempt may (S6; how it ends fail_attempt knows), 'answered' those whose
-- live program has not been told yet what was decided (D9; asking again counts as being told), 'waiting' those that wait for a person
-- (no minute of theirs is counted meanwhile), 'show' those whose run took more in and whose program takes another prompt
-- (next_prompt; Q5), 'lost' those that it names and that are no longer its own: kill their programs.
-- Refuses an unknown worker (not_found), one whose lease was lost and settled (worker_expired).
-- Takes no gate: one update of the worker's row.
create or replace function office.heartbeat(worker_id uuid, attempt_ids uuid[] default '{}')
returns table (attempt_id uuid, instruction text, detail jsonb)
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
as $$
declare
  v_now timestamptz := office_internal.wall_clock();
begin
  update office.workers as w
  set beat_at = v_now,
    lease_until = v_now + make_interval(secs => office_internal.setting('worker_lease_seconds')::integer)
  where w.id = heartbeat.worker_id and w.ended_at is null;
  if not found then
    perform office_internal.need_worker(heartbeat.worker_id);
  end if;
  return query
    select r.attempt_id, 'stop', jsonb_build_object('run', 'r' || r.number)
    from office.runs as r
    where r.worker_id = heartbeat.worker_id and r.status = 'stopping'
    union all
    select r.attempt_id, 'stop', jsonb_build_object('run', 'r' || r.number, 'reason', office_internal.limit_reached(m.attempt_id))
    from office_internal.limits_reached as m
    join office.runs as r on r.attempt_id = m.attempt_id
    where m.attempt_id = any(heartbeat.attempt_ids) and r.worker_id = heartbeat.worker_id and r.status = 'running'
    union all
    select r.attempt_id, 'answered', jsonb_build_object('run', 'r' || r.number, 'answers', office_internal.told_answers(r.attempt_id))
    from office.runs as r
    where r.worker_id = heartbeat.worker_id and r.status in ('running', 'waiting')
      and exists (
        select
        from office.decisions as d
        where d.attempt_id = r.attempt_id and d.status <> 'pending' and d.told_at is null
          and d.kind in ('question', 'permission', 'publish')
      )
      and exists (select from office.attempts as a where a.id = r.attempt_id and a.left_at is null)
    union all
    select r.attempt_id, 'waiting', jsonb_build_object('run', 'r' || r.number)
    from office.runs as r
    where r.worker_id = heartbeat.worker_id and r.status = 'waiting'
    union all
    select r.attempt_id, 'show', jsonb_build_object('run', 'r' || r.number, 'wakeups', r.coalesced_count - a.shown_wakeups)
    from office.runs as r
    join office.attempts as a on a.id = r.attempt_id and a.shown_wakeups < r.coalesced_count and a.left_at is null
    where r.worker_id = heartbeat.worker_id and r.status in ('running', 'waiting') and office_internal.takes_prompts(r.executor_id)
    union all
    select n.id, 'lost', '{}'::jsonb
    from unnest(heartbeat.attempt_ids) as n (id)
    where not exists (
      select
      from office.attempts as a
      where a.id = n.id and a.worker_id = heartbeat.worker_id and a.ended_at is null
    );
end
$$;

comment on function office.heartbeat(uuid, uuid[])
is 'Renews a worker''s lease; answers which of its attempts to stop, which have an answer or more to show, and which it has lost.';
