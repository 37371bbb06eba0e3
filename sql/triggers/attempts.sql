-- Triggers of office.attempts: a hand-written statement takes all gates first, and every row needs its gate (A6); an attempt holds the
-- keys of what its run works on from its first moment (S4), and of its budgets what it is expected to spend (B2), but for one that was
-- over by then (claim_error): its end freed none; what it asked of people closes with it (D4), and counts as told once its program was
-- started again with the answers (S3); one that something names is not removed.

create or replace function office_internal.attempts_hold()
returns trigger
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  insert into office.resources (attempt_id, key, run_id, workspace_id, taken_at)
  select n.id, k.key, n.run_id, n.workspace_id, n.claimed_at
  from new_rows as n
  join office_internal.keys_of(array(select r.run_id from new_rows as r)) as k on k.run_id = n.run_id
  where n.ended_at is null;
  if exists (select from office.budgets as b where b.removed_at is null) then
    perform office_internal.reserve_budgets(array(select n.id from new_rows as n where n.ended_at is null));
  end if;
  return null;
end
$$;
comment on function office_internal.attempts_hold() is 'Notes the keys that new attempts hold, and what they reserve of budgets.';

create or replace function office_internal.attempts_follow_update()
returns trigger
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_ended uuid[] := array(
    select n.id from new_rows as n join old_rows as o on o.id = n.id where n.ended_at is not null and o.ended_at is null
  );
  v_resumed uuid[] := array(
    select n.id from new_rows as n join old_rows as o on o.id = n.id where n.left_at is null and o.left_at is not null
  );
begin
  if cardinality(v_ended) > 0 then
    perform office_internal.close_decisions(v_ended);
    perform office_internal.release_reservations(v_ended);
  end if;
  -- A hand that ends an attempt ends what its run did with it: else the run would keep its slot, and nobody could end it (Q17). The run
  -- of an attempt that any other end has closed is live no more.
  if cardinality(v_ended) > 0 and office_internal.is_by_hand() then
    update office.runs as r
    set status = case a.outcome
        when 'succeeded' then 'finished' when 'stopped' then 'cancelled' when 'released' then 'queued' else a.outcome
      end,
      answered_at = null
    from office.attempts as a
    where a.id = any(v_ended) and r.id = a.run_id and r.attempt_id = a.id
      and (r.status in ('claimed', 'running', 'waiting', 'stopping') or (r.status = 'queued' and r.answered_at is not null));
  end if;
  if cardinality(v_resumed) > 0 then
    update office.decisions as d
    set told_at = office_internal.wall_clock()
    where d.attempt_id = any(v_resumed) and d.status <> 'pending' and d.told_at is null and d.kind in ('question', 'permission', 'publish');
  end if;
  return null;
end
$$;
comment on function office_internal.attempts_follow_update()
is 'Closes what ended attempts had asked, frees what they held, and ends runs whose attempt a hand ended.';

create or replace function office_internal.attempts_follow_delete()
returns trigger
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  perform office_internal.close_decisions(array(select o.id from old_rows as o));
  perform office_internal.release_reservations(array(select o.id from old_rows as o));
  return null;
end
$$;
comment on function office_internal.attempts_follow_delete() is 'Closes what attempts had asked that are gone.';

create or replace function office_internal.attempts_kept()
returns trigger
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  if exists (select from office.attempt_prompts as p where p.attempt_id = old.id) then
    perform office_internal.refuse(
      'conflict', 'A prompt still names this attempt.', 'Remove it first.', jsonb_build_object('attempt', old.id)
    );
  end if;
  return old;
end
$$;
comment on function office_internal.attempts_kept() is 'Keeps an attempt while something names it.';

create or replace trigger attempts_gate
before update or delete on office.attempts
for each statement execute function office_internal.guard_gate();

create or replace trigger attempts_kept
before delete on office.attempts
for each row execute function office_internal.attempts_kept();

create or replace trigger attempts_held_update
after update on office.attempts
referencing old table as old_rows
for each statement execute function office_internal.guard_rows();

create or replace trigger attempts_held_delete
after delete on office.attempts
referencing old table as old_rows
for each statement execute function office_internal.guard_rows();

create or replace trigger attempts_follow_update
after update on office.attempts
referencing old table as old_rows new table as new_rows
for each statement execute function office_internal.attempts_follow_update();

create or replace trigger attempts_follow_delete
after delete on office.attempts
referencing old table as old_rows
for each statement execute function office_internal.attempts_follow_delete();

create or replace trigger attempts_hold
after insert on office.attempts
referencing new table as new_rows
for each statement execute function office_internal.attempts_hold();
