-- office.confirm_cleanup: a launcher says that nothing an attempt started is left, and how many processes it had to kill (K15). What
-- an ended attempt worked on is free from now on (P7).
-- Refuses an unknown attempt (not_found), a negative count (invalid), one whose program may still run (conflict) or runs again
-- (attempt_superseded). Takes the gate.
create or replace function office.confirm_cleanup(attempt_id uuid, killed integer default 0, launch integer default null)
returns void
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
as $$
declare
  v_attempt office.attempts;
begin
  if coalesce(killed, -1) < 0 then
    perform office_internal.refuse(
      'invalid', 'killed is a number from 0.', 'How many processes were killed.', jsonb_build_object('field', 'killed')
    );
  end if;
  perform office_internal.take_gates_of_attempts(array[confirm_cleanup.attempt_id]);
  select * into v_attempt from office.attempts as a where a.id = confirm_cleanup.attempt_id;
  if v_attempt.id is null or confirm_cleanup.launch <> v_attempt.launch then
    perform office_internal.attempt_is_over(confirm_cleanup.attempt_id);
  end if;
  if v_attempt.ended_at is null and v_attempt.left_at is null then
    perform office_internal.refuse(
      'conflict', 'This attempt has not ended: its program may still run.', 'Tell its end first: finish_attempt, fail_attempt.',
      jsonb_build_object('attempt', v_attempt.id)
    );
  end if;
  update office.attempts as a
  set cleaned_at = coalesce(a.cleaned_at, office_internal.wall_clock()), killed = coalesce(a.killed, confirm_cleanup.killed)
  where a.id = confirm_cleanup.attempt_id;
  delete from office.resources as h where h.attempt_id = confirm_cleanup.attempt_id and h.ended_at is not null;
  -- An answered run waits for this.
  insert into office_internal.signals (workspace_id, kind)
  select r.workspace_id, 'look'
  from office.runs as r
  where r.attempt_id = confirm_cleanup.attempt_id and r.status = 'queued' and r.answered_at is not null;
end
$$;

comment on function office.confirm_cleanup(uuid, integer, integer) is 'Confirms that nothing an attempt started is left.';
