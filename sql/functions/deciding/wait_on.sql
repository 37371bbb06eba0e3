-- office_internal.wait_on: of attempts whose programs have just ended, those that do not end with them (D9): while a request is open the
-- run stays waiting; when the program ended well, or because of a pause (P1), and was not told what was decided, the run is queued to go
-- on with it. The attempt has no program from then on (left_at). One that was launched again since is left alone. Called again it
-- changes nothing. The caller holds the gates.
create or replace function office_internal.wait_on(attempt_ids uuid[], well boolean, launches numeric[] default null)
returns void
language plpgsql volatile
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_now timestamptz := office_internal.wall_clock();
  v_pending uuid[];
  v_untold uuid[];
  v_paused uuid[];
begin
  v_pending := array(
    select d.attempt_id
    from office.decisions as d
    where d.attempt_id = any(attempt_ids) and d.status = 'pending' and d.kind in ('question', 'permission', 'publish')
  );
  v_untold := array(
    select d.attempt_id
    from office.decisions as d
    where d.attempt_id = any(attempt_ids) and d.status <> 'pending' and d.told_at is null
      and d.kind in ('question', 'permission', 'publish')
  );
  if cardinality(v_pending) = 0 and cardinality(v_untold) = 0 then
    return;
  end if;
  with left_over as (
    update office.attempts as a
    set left_at = v_now
    from office.runs as r
    where r.attempt_id = a.id and a.ended_at is null and a.left_at is null
      and not exists (select from unnest(attempt_ids, launches) as l (id, launch) where l.id = a.id and l.launch <> a.launch)
      and (
        (a.id = any(v_pending) and r.status is not distinct from 'waiting')
        or (a.id = any(v_untold) and r.status is not distinct from 'running' and well)
        or (a.id = any(v_untold) and r.status is not distinct from 'stopping' and r.stop_reason = 'paused')
      )
    returning r.*
  ),
  told as (
    insert into office.activity (workspace_id, at, kind, agent_id, task_id, run_id, attempt_id)
    select l.workspace_id, v_now, 'program_left', l.agent_id, l.task_id, l.id, l.attempt_id
    from left_over as l
  ),
  queued as (
    update office.runs as r
    set status = 'queued', answered_at = v_now
    from left_over as l
    where r.id = l.id and r.status is not distinct from 'running'
  )
  select array_agg(l.id) filter (where l.status = 'stopping') into v_paused from left_over as l;
  perform office_internal.end_stopped(v_paused);
end
$$;

comment on function office_internal.wait_on(uuid[], boolean, numeric[])
is 'Keeps attempts alive whose program ended before an answer reached it.';
