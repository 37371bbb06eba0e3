-- office_internal.fire_slots: fires what is due of one trigger, whose row and whose routine's the caller has locked (R9, R10). A slot
-- that raises is a failed routine run, and holds up nothing; one that has fired before is passed by. Answers how many fired and failed,
-- and the slot after now. What means "try again" is raised on.
create or replace function office_internal.fire_slots(
  routine office.routines,
  fired_by office.routine_triggers,
  now_at timestamptz,
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
  v_first boolean := true;
begin
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
  foreach v_slot in array v_due.slots loop
    -- The clock was set back, or a hand the cursor: a slot fires once (R11, R20).
    continue when exists (
      select from office.routine_runs as f where f.trigger_id = (fired_by).id and f.slot = date_trunc('minute', v_slot)
    );
    begin
      perform office_internal.fire(
        routine, fired_by, 'cron', now_at, date_trunc('minute', v_slot),
        missed_ticks => case when v_first and v_due.dropped > 0 then v_due.dropped end,
        missed_since => case when v_first and v_due.dropped > 0 then v_due.dropped_since end
      );
      fired := fired + 1;
    exception
      when serialization_failure or deadlock_detected or lock_not_available or query_canceled or read_only_sql_transaction
        or admin_shutdown
      then
        raise;
      when others then
        insert into office.routine_runs (
          workspace_id, routine_id, trigger_id, source, slot, status, error, fired_at, ended_at
        )
        values (
          (routine).workspace_id, (routine).id, (fired_by).id, 'cron', date_trunc('minute', v_slot), 'failed',
          office_internal.one_line(sqlerrm), now_at, now_at
        );
        failed := failed + 1;
    end;
    v_first := false;
  end loop;
end
$$;

comment on function office_internal.fire_slots(office.routines, office.routine_triggers, timestamptz) is 'Fires a trigger''s due slots.';
