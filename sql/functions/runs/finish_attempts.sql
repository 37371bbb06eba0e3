-- office.finish_attempts: programs ended well, many at once: [{"attempt_id", "result", "exit_code", "launch"}, …] (Q16); of a launch
-- that is not the attempt's last nothing is taken. A run that was asked to stop ends as its stop says, whatever its program
-- says (P1, P2). Repeating the same end is a no-op; what cannot be ended says so in refused and holds up no other.
-- Refuses malformed input (invalid). What an end entails is the triggers' (Q17).
-- Takes the gates of all, in ascending order.
create or replace function office.finish_attempts(ends jsonb)
returns table (attempt_id uuid, run_id uuid, status text, outcome text, refused text)
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
  v_stopped uuid[];
begin
  perform office_internal.check_array('ends', ends);
  if exists (
    select from jsonb_array_elements(ends) as e (item)
    where not coalesce(office_internal.is_uuid(e.item ->> 'attempt_id'), false)
      or jsonb_typeof(coalesce(nullif(e.item -> 'result', 'null'), '{}')) <> 'object'
      or jsonb_typeof(coalesce(e.item -> 'exit_code', '0')) not in ('number', 'null')
      or jsonb_typeof(coalesce(e.item -> 'launch', 'null')) not in ('number', 'null')
      or case when jsonb_typeof(e.item -> 'exit_code') = 'number'
        then (e.item ->> 'exit_code')::numeric not between -2147483648 and 2147483647 end
  ) then
    perform office_internal.refuse(
      'invalid', 'An end has an attempt_id, and may have a result (an object), an exit_code and a launch (numbers).',
      'As [{"attempt_id": "…", "result": {"summary": "…"}}].', jsonb_build_object('field', 'ends')
    );
  end if;
  v_ids := array(select (e.item ->> 'attempt_id')::uuid from jsonb_array_elements(ends) as e (item));
  v_launches := array(select (e.item ->> 'launch')::numeric from jsonb_array_elements(ends) as e (item));
  perform office_internal.take_gates_of_attempts(v_ids);
  perform office_internal.wait_on(v_ids, true, v_launches);
  v_now := office_internal.wall_clock();
  -- The attempt says how, then the run's own update lets the triggers do the rest.
  with ended as (
    update office.attempts as a
    set ended_at = v_now,
      outcome = case when r.status = 'stopping' then 'stopped' else 'succeeded' end,
      result = coalesce(nullif(e.item -> 'result', 'null'), '{}'),
      exit_code = (e.item ->> 'exit_code')::numeric::integer
    from jsonb_array_elements(ends) as e (item)
    join office.attempts as named on named.id = (e.item ->> 'attempt_id')::uuid
      and named.launch = coalesce((e.item ->> 'launch')::numeric, named.launch)
    join office.runs as r on r.id = named.run_id and r.attempt_id = named.id
    -- Those alone, so that no plan reads all attempts to find them.
    where a.id = any(v_ids) and a.id = named.id and a.ended_at is null and a.left_at is null
      -- "is true", so that no index of live runs is walked for it.
      and (r.status in ('claimed', 'running', 'waiting', 'stopping')) is true
    returning a.run_id, a.outcome
  ),
  finished as (
    update office.runs as r
    set status = 'finished', outcome = 'succeeded', ended_at = v_now
    from ended
    where r.id = ended.run_id and ended.outcome = 'succeeded'
  )
  select array_agg(ended.run_id) filter (where ended.outcome = 'stopped') into v_stopped from ended;
  perform office_internal.end_stopped(v_stopped);
  return query
    select
      w.id, a.run_id, r.status, r.outcome,
      case
        when a.id is null then 'not_found'
        when a.launch <> w.launch then 'attempt_superseded'
        when a.outcome in ('succeeded', 'stopped') or a.left_at is not null and a.ended_at is null then null
        when r.attempt_id = a.id and r.ended_at is not null then 'already_ended'
        else 'attempt_superseded'
      end
    from unnest(v_ids, v_launches) with ordinality as w (id, launch, nth)
    left join office.attempts as a on a.id = w.id
    left join office.runs as r on r.id = a.run_id
    order by w.nth;
end
$$;

comment on function office.finish_attempts(jsonb) is 'Ends many attempts well: an array of {attempt_id, result, exit_code, launch}.';
