-- office_internal.fire_slots: makes the fires that are due of one trigger, whose row and whose routine's the caller has locked (R9, R10). A
-- slot that raises is a failed routine run, and holds up nothing; one that has fired before is passed by. Answers the last fire, if any,
-- which is still to be stored; how many there were, and how many failed; and the slot after now. What means "try again" is raised on.
create or replace function office_internal.fire_slots(
  routine office.routines,
  fired_by office.routine_triggers,
  now_at timestamptz,
  out fires office_internal.fire[],
  out fired integer,
  out failed integer,
  out next_at timestamptz
)
language plpgsql volatile
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_due record;
  v_slot timestamptz;
  v_run office.routine_runs;
  v_failed integer;
begin
  fires := '{}'::office_internal.fire[];
  fired := 0;
  failed := 0;
  if (fired_by).kind = 'once' then
    select array[(fired_by).next_run_at] as slots, 0 as dropped, null::timestamptz as dropped_since into v_due;
  else
    select d.* into v_due
    from office_internal.due_slots(
      (fired_by).cron, (fired_by).timezone, (fired_by).next_run_at, now_at,
      case when (routine).catch_up_policy = 'skip_missed' then 1 else (routine).catch_up_max end
    ) as d;
    next_at := v_due.next_at;
    if (routine).catch_up_policy = 'skip_missed' then
      v_due.dropped := 0;
    end if;
  end if;
  v_run.workspace_id := (routine).workspace_id;
  v_run.routine_id := (routine).id;
  v_run.trigger_id := (fired_by).id;
  v_run.source := 'cron';
  v_run.fired_at := now_at;
  foreach v_slot in array v_due.slots loop
    v_run.slot := date_trunc('minute', v_slot);
    -- The clock was set back, or a hand the cursor: a slot fires once (R11, R20).
    continue when exists (select from office.routine_runs as f where f.trigger_id = v_run.trigger_id and f.slot = v_run.slot);
    -- Each meets those before it as they are stored (R14).
    v_failed := office_internal.store_or_fail(fires);
    fired := fired - v_failed;
    failed := failed + v_failed;
    begin
      fires[1] := office_internal.make_fire(
        routine, fired_by, v_run.source, now_at, v_run.slot,
        missed_ticks => case when v_slot = v_due.slots[1] and v_due.dropped > 0 then v_due.dropped end,
        missed_since => case when v_slot = v_due.slots[1] and v_due.dropped > 0 then v_due.dropped_since end
      );
      fired := fired + 1;
    exception
      when serialization_failure or deadlock_detected or lock_not_available or query_canceled or read_only_sql_transaction
        or admin_shutdown
      then
        raise;
      when others then
        fires[1] := office_internal.failed_fire(v_run, sqlerrm);
        failed := failed + 1;
    end;
  end loop;
end
$$;

comment on function office_internal.fire_slots(office.routines, office.routine_triggers, timestamptz) is 'Makes a trigger''s due fires.';
