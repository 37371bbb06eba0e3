-- office.start_attempts: a worker says that attempts' programs run, many at once: [{"attempt_id", "pid", "engine_session", "launch"}, …]
-- (Q16). One whose attempt was launched again since is refused; without a launch the attempt's own is meant.
-- Their assignees' tasks go from todo to in_progress, by change signal, and wake nobody (T5); agent sessions are noted (N1). Answers
-- each run's status: 'stopping' tells the launcher to stop at once. Starting again is a no-op; what cannot start says so in refused and
-- holds up no other. Refuses malformed input (invalid). Takes the gates of all, in ascending order.
create or replace function office.start_attempts(starts jsonb)
returns table (attempt_id uuid, run_id uuid, status text, refused text)
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
as $$
#variable_conflict use_column
declare
  v_ids uuid[];
  v_launches numeric[];
  v_now timestamptz;
begin
  perform office_internal.check_array('starts', starts);
  if exists (
    select from jsonb_array_elements(starts) as e (item)
    where not coalesce(office_internal.is_uuid(e.item ->> 'attempt_id'), false)
      or jsonb_typeof(coalesce(e.item -> 'engine_session', 'null')) not in ('string', 'null')
      or jsonb_typeof(coalesce(e.item -> 'pid', 'null')) not in ('number', 'null')
      or jsonb_typeof(coalesce(e.item -> 'launch', 'null')) not in ('number', 'null')
      or case when jsonb_typeof(e.item -> 'pid') = 'number' then (e.item ->> 'pid')::numeric not between 0 and 2147483647 end
  ) then
    perform office_internal.refuse(
      'invalid', 'A start has an attempt_id, and may have a pid and a launch (numbers) and an engine_session (a text).',
      'As [{"attempt_id": "…", "pid": 4711}].', jsonb_build_object('field', 'starts')
    );
  end if;
  v_ids := array(select (e.item ->> 'attempt_id')::uuid from jsonb_array_elements(starts) as e (item));
  v_launches := array(select (e.item ->> 'launch')::numeric from jsonb_array_elements(starts) as e (item));
  perform office_internal.take_gates_of_attempts(v_ids);
  v_now := office_internal.wall_clock();
  with told as materialized (
    select distinct on (a.id)
      a.id, r.id as run_id, r.status, (e.item ->> 'pid')::numeric::integer as pid, e.item ->> 'engine_session' as engine_session
    from jsonb_array_elements(starts) as e (item)
    -- Those alone, so that no plan reads all attempts to find them.
    join office.attempts as a on a.id = any(v_ids) and a.id = (e.item ->> 'attempt_id')::uuid and a.ended_at is null
      and a.launch = coalesce((e.item ->> 'launch')::numeric, a.launch)
    join office.runs as r on r.attempt_id = a.id and r.id = a.run_id
  ),
  noted as (
    update office.attempts as a
    set started_at = coalesce(a.started_at, v_now),
      -- Only what was launched anew has a program again; a late word of the one that has left does not bring it back.
      left_at = case when told.status <> 'claimed' then a.left_at end,
      pid = coalesce(told.pid, a.pid),
      engine_session = coalesce(told.engine_session, a.engine_session)
    from told
    where a.id = told.id and a.ended_at is null
  ),
  started as (
    update office.runs as r
    set status = 'running'
    from told
    where r.id = told.run_id and r.status is not distinct from 'claimed'
    returning r.workspace_id, r.task_id, r.attempt_id, r.agent_id
  )
  insert into office_internal.changes (workspace_id, kind, task_id, from_state, to_state, attempt_id, agent_id)
  select s.workspace_id, 'move_task', t.id, 'todo', 'in_progress', s.attempt_id, s.agent_id
  from started as s
  join office.tasks as t on t.id = s.task_id and t.state = 'todo' and t.assignee_agent_id = s.agent_id;
  if exists (
    select from office.attempts as a join office.runs as r on r.id = a.run_id where a.id = any(v_ids) and r.session_id is not null
  ) then
    perform office_internal.note_sessions(v_ids);
  end if;
  return query
    select
      w.id, a.run_id, r.status,
      case
        when a.id is null then 'not_found'
        when r.id is null or a.ended_at is not null or a.launch <> w.launch then 'attempt_superseded'
      end
    from unnest(v_ids, v_launches) with ordinality as w (id, launch, nth)
    left join office.attempts as a on a.id = w.id
    left join office.runs as r on r.id = a.run_id and r.attempt_id = a.id
    order by w.nth;
end
$$;

comment on function office.start_attempts(jsonb)
is 'Says that many attempts'' programs run: an array of {attempt_id, pid, engine_session, launch}.';
