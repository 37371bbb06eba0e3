-- office.tick: one pass over the triggers that are due, by their time (R9): each fires and is armed again in this one transaction, so
-- that whatever stops, it is due or done. Rows that somebody else has locked, another tick or a person's open transaction, stay due and
-- are left to the next call. The slots of a routine that is paused, or of an account whose routines are off, are passed over, and not
-- caught up later (R2). Of the routines of one person's assistants at most five fire in a pass. Answers what it did, what is due next, and
-- in how many seconds to call again: then, or on the full minute, for what is made meanwhile.
-- Any number of processes may tick; nothing due: nothing is written. Refuses nothing. Takes no gate, and waits for no row.
create or replace function office.tick(now timestamptz default null)
returns table (fired integer, failed integer, passed_over integer, next_due_at timestamptz, call_in double precision)
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
as $$
declare
  v_now timestamptz := coalesce(now, office_internal.wall_clock());
  v_each constant integer := 1000;
  v_looked integer := 0;
  v_trigger office.routine_triggers;
  v_routine office.routines;
  v_status text;
  v_person text;
  v_persons jsonb := '{}'::jsonb;
  v_done record;
  v_fires office_internal.fire[] := '{}'::office_internal.fire[];
  v_failed integer;
  v_routines uuid[] := '{}'::uuid[];
  v_armed uuid[] := '{}'::uuid[];
  v_next_at timestamptz[] := '{}'::timestamptz[];
  v_passed_at timestamptz[] := '{}'::timestamptz[];
begin
  fired := 0;
  failed := 0;
  passed_over := 0;
  -- There should be none: an enabled one without a cursor is armed, and does not fire (R9).
  if exists (
    select from office.routine_triggers as t where t.next_run_at is null and t.enabled and t.kind in ('schedule', 'once')
  ) then
    update office.routine_triggers as t
    set next_run_at = case when t.kind = 'once' then t.fire_at else office_internal.next_fire(t.cron, t.timezone, v_now) end
    where t.id = any(array(
      select d.id
      from office.routine_triggers as d
      where d.next_run_at is null and d.enabled and d.kind in ('schedule', 'once')
      limit v_each
      for no key update skip locked
    ));
  end if;
  for v_trigger in
    select t.*
    from office.routine_triggers as t
    where t.next_run_at <= v_now
    order by t.next_run_at
    for no key update skip locked
  loop
    exit when v_looked >= v_each;
    select r.* into v_routine
    from office.routines as r
    where r.id = v_trigger.routine_id
    for no key update skip locked;
    continue when not found;
    v_person := (
      select a.created_by_account_id from office.agents as a where a.id = v_routine.assignee_agent_id and a.role = 'assistant'
    );
    continue when (v_persons ->> v_person)::integer >= 5;
    v_looked := v_looked + 1;
    v_status := office_internal.routine_status(v_routine);
    if v_status <> 'active' then
      passed_over := passed_over + 1;
      if v_trigger.passed_over_at is null then
        perform office_internal.remember(
          v_routine.workspace_id, 'routine_passed_over',
          jsonb_build_object(
            'routine', v_routine.name, 'routine_id', v_routine.id, 'status', v_status, 'slot', v_trigger.next_run_at
          ),
          null, v_routine.assignee_agent_id
        );
      end if;
      v_armed := v_armed || v_trigger.id;
      v_next_at := v_next_at
        || case when v_trigger.kind <> 'once' then office_internal.next_fire(v_trigger.cron, v_trigger.timezone, v_now) end;
      v_passed_at := v_passed_at || coalesce(v_trigger.passed_over_at, v_trigger.next_run_at);
      continue;
    end if;
    if v_person is not null then
      v_persons := v_persons || jsonb_build_object(v_person, coalesce((v_persons ->> v_person)::integer, 0) + 1);
    end if;
    -- A second trigger of a routine meets what the first has fired (R14).
    if v_routine.id = any(v_routines) then
      v_failed := office_internal.store_or_fail(v_fires);
      fired := fired - v_failed;
      failed := failed + v_failed;
      v_fires := '{}';
      v_routines := '{}';
    end if;
    begin
      select s.* into v_done from office_internal.fire_slots(v_routine, v_trigger, v_now) as s;
      if cardinality(v_done.fires) > 0 then
        v_fires := v_fires || v_done.fires[1];
      end if;
      v_routines := v_routines || v_routine.id;
      v_armed := v_armed || v_trigger.id;
      v_next_at := v_next_at || v_done.next_at;
      v_passed_at := v_passed_at || null::timestamptz;
      fired := fired + v_done.fired;
      failed := failed + v_done.failed;
    exception
      when serialization_failure or deadlock_detected or lock_not_available or query_canceled or read_only_sql_transaction
        or admin_shutdown
      then
        raise;
      -- Its expression or zone is not what it was when it was stored: it would be due for ever.
      when others then
        failed := failed + 1;
        perform office_internal.give_up_trigger(v_routine, v_trigger, sqlerrm);
    end;
  end loop;
  if v_looked > 0 then
    v_failed := office_internal.store_or_fail(v_fires);
    fired := fired - v_failed;
    failed := failed + v_failed;
    update office.routine_triggers as t
    set enabled = t.kind <> 'once', next_run_at = n.next_at, passed_over_at = n.passed_at,
      last_fired_at = case when n.passed_at is null then v_now else t.last_fired_at end
    from unnest(v_armed, v_next_at, v_passed_at) as n (id, next_at, passed_at)
    where t.id = n.id;
  end if;
  next_due_at := (select t.next_run_at from office.routine_triggers as t where t.next_run_at is not null order by t.next_run_at limit 1);
  call_in := case
    when v_looked >= v_each then 0
    when next_due_at <= v_now then 1
    else extract(epoch from least(next_due_at, date_trunc('minute', v_now) + interval '1 minute') - v_now)
  end;
  return next;
end
$$;

comment on function office.tick(timestamptz)
is 'Fires the routines that are due; call it on the minute, from as many processes as you like: select * from office.tick();';
