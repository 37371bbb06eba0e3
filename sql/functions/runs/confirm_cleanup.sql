-- office.confirm_cleanup: a launcher says that nothing an attempt started is left, and how many processes it had to kill (K15). What
-- an ended attempt worked on is free from now on (P7); a live one's goes with its end.
-- Refuses an unknown attempt (not_found), a negative count (invalid). Takes the gate.
create or replace function office.confirm_cleanup(attempt_id uuid, killed integer default 0)
returns void
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
as $$
begin
  if coalesce(killed, -1) < 0 then
    perform office_internal.refuse(
      'invalid', 'killed is a number from 0.', 'How many processes were killed.', jsonb_build_object('field', 'killed')
    );
  end if;
  perform office_internal.take_gates_of_attempts(array[confirm_cleanup.attempt_id]);
  update office.attempts as a
  set cleaned_at = coalesce(a.cleaned_at, office_internal.wall_clock()), killed = coalesce(a.killed, confirm_cleanup.killed)
  where a.id = confirm_cleanup.attempt_id;
  if not found then
    perform office_internal.attempt_is_over(confirm_cleanup.attempt_id);
  end if;
  delete from office.resources as h where h.attempt_id = confirm_cleanup.attempt_id and h.ended_at is not null;
  -- An answered run waits for this.
  insert into office_internal.signals (workspace_id, kind)
  select r.workspace_id, 'look'
  from office.runs as r
  where r.attempt_id = confirm_cleanup.attempt_id and r.status = 'queued' and r.answered_at is not null;
end
$$;

comment on function office.confirm_cleanup(uuid, integer) is 'Confirms that nothing an attempt started is left.';
