-- Triggers of office.runs: what holds for every change of a run, by function or by hand.
--   runs_gate    before a hand-written statement: all gates, so that nobody claims or ends meanwhile (A6)
--   runs_check   each row: the state machine, and what goes with a status (Q9); agent and scope are fixed, and there is at most one
--                open queued run a scope (Q4)
--   runs_kept    a run that something names is not removed; its receipts and checkpoints go with it
--   runs_wait    each row that begins or ends to wait for a resource: its keys are noted, and it is looked at once more (S4)
--   runs_follow  after the statement: the gates were held; what an end entails (Q17), then the lanes (A15), in one order for every
--                way in
-- The moves of every run's life, claimed, started, finished well, come complete from their functions, and meet no trigger of a row.

create or replace function office_internal.runs_check()
returns trigger
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_other office.runs;
  v_same office.runs;
  v_by_person boolean;
begin
  if (new.workspace_id, new.agent_id, new.task_id, new.routine_id, new.solo)
    is distinct from (old.workspace_id, old.agent_id, old.task_id, old.routine_id, old.solo)
  then
    perform office_internal.refuse(
      'move_refused', format('r%s keeps its agent and what it is about.', old.number), 'Stop it, and wake whom you mean: office.wake.',
      jsonb_build_object('run', 'r' || old.number)
    );
  end if;
  -- What a hand parks is looked at by the office at once; what it cannot look at is refused in words.
  if (new.due_at is not null and new.parked is null)
    or new.parked not in ('retry', 'window', 'snooze', 'blocker', 'checkout', 'resource', 'provider', 'budget', 'session')
  then
    perform office_internal.refuse(
      'invalid', format('r%s cannot be held back so.', old.number), 'Pause what it is of: office.pause.',
      jsonb_build_object('run', 'r' || old.number, 'field', case when new.parked is null then 'due_at' else 'parked' end)
    );
  end if;
  if not isfinite(new.requested_at) then
    perform office_internal.refuse(
      'invalid', format('r%s was asked for at some time.', old.number), 'Give a time, to be before or after others.',
      jsonb_build_object('field', 'requested_at')
    );
  end if;
  if new.executor_id is distinct from old.executor_id and new.executor_id is not null
    and not exists (select from office.executors as x where x.id = new.executor_id)
  then
    perform office_internal.refuse(
      'not_found', 'No such executor.', 'select id, body from office.executors; shows them.', jsonb_build_object('field', 'executor_id')
    );
  end if;
  if new.status = old.status then
    if old.ended_at is not null then
      -- What joined it by its key is counted; nothing else of an ended run changes. Generated columns are not in NEW yet.
      v_same := new;
      v_same.coalesced_count := old.coalesced_count;
      v_same.depth := old.depth;
      v_same.scope_id := old.scope_id;
      v_same.result := old.result;
      if v_same is distinct from old then
        perform office_internal.refuse(
          'move_refused', format('r%s has ended: it changes no more.', old.number),
          'An interrupted, failed or blocked run can be tried again: office.retry_run.',
          jsonb_build_object('run', 'r' || old.number, 'status', old.status)
        );
      end if;
    end if;
  elsif not exists (select from office.run_moves as m where m.from_status = old.status and m.to_status = new.status) then
    perform office_internal.refuse(
      'move_refused',
      format('A run cannot go from %s to %s.', old.status, new.status),
      coalesce(
        (select format('From %s it can go to: ', old.status) || string_agg(m.to_status, ', ' order by m.to_status) || '.'
          from office.run_moves as m where m.from_status = old.status),
        format('%s is final.', old.status)
      ),
      jsonb_build_object('run', 'r' || new.number, 'from', old.status, 'to', new.status)
    );
  -- A run leaves queued towards a launch with a new attempt, or with the same one after an answer (S3): by the claim, and no other way
  -- (Q11).
  elsif new.status = 'claimed'
    and ((new.attempt_id is distinct from old.attempt_id) = (old.answered_at is not null) or office_internal.is_by_hand())
  then
    perform office_internal.refuse(
      'move_refused', format('r%s cannot be claimed by hand.', new.number), 'Only office.claim_runs claims.',
      jsonb_build_object('run', 'r' || new.number, 'from', old.status, 'to', new.status)
    );
  -- Its attempt is over: a hand that says that it runs again would leave it without one.
  elsif old.status = 'interrupted' and new.status = 'running' and office_internal.is_by_hand() then
    perform office_internal.refuse(
      'move_refused', format('r%s cannot be taken back by hand.', new.number), 'Try it again: office.retry_run.',
      jsonb_build_object('run', 'r' || new.number, 'from', old.status, 'to', new.status)
    );
  end if;
  -- Nothing but an open request makes a run wait, and its answer go on (D9): else it would keep its slot for ever.
  if office_internal.is_by_hand() and (
    (new.answered_at is not null and old.answered_at is null and not exists (
      select from office.attempts as a where a.id = new.attempt_id and a.ended_at is null and a.left_at is not null
    ))
    or (new.status = 'waiting' and old.status <> 'waiting' and not exists (
      select
      from office.decisions as d
      where d.attempt_id = new.attempt_id and d.status = 'pending' and d.kind in ('question', 'permission', 'publish')
    ))
  ) then
    perform office_internal.refuse(
      'move_refused', format('r%s has asked nothing that could be answered.', new.number),
      'Its agent asks, from inside the run: office.ask; people answer: office.answer.',
      jsonb_build_object('run', 'r' || new.number, 'from', old.status, 'to', new.status)
    );
  end if;
  if new.status = 'queued' and old.ended_at is not null then
    -- Tried again: its failures are forgotten, and its wakeups wait for it once more (P4, Q10).
    new.retry_count := 0;
    new.scheduled_retry_at := null;
    new.claimed_at := null;
    update office.wakeups as w
    set status = 'claimed', reason = null
    where w.run_id = new.id and w.status = 'failed';
  end if;
  if new.status = 'queued' and old.status <> 'queued' and new.answered_at is null and not new.solo then
    -- Going back to queued meets the run that came for its scope meanwhile: the older stays and takes the younger in (Q4).
    -- Wakeups first: the younger's end would settle those that it still has. A generated column is not in NEW yet.
    select r.* into v_other
    from office.runs as r
    where r.agent_id = new.agent_id and r.scope_id = old.scope_id and r.id <> new.id and r.status = 'queued'
      and not r.solo and r.answered_at is null;
    -- People do not wait behind the back-off of the run that takes theirs in (Q21).
    v_by_person := v_other.id is not null and exists (
      select
      from office.wakeups as w
      join office.wakeup_sources as s on s.source = w.source
      where w.run_id = case when v_other.number > new.number then v_other.id else new.id end
        and w.attempt_id is null and (s.person_caused or w.payload ->> 'fire' = 'manual')
    );
    if v_other.number > new.number then
      if v_by_person then
        new.scheduled_retry_at := null;
        new.parked := null;
        new.due_at := null;
      end if;
      new.coalesced_count := new.coalesced_count + office_internal.move_wakeups(v_other.id, new.id, new.coalesced_count, 0);
      new.depth := greatest(new.depth, v_other.depth);
      update office.runs as r
      set status = 'cancelled', cancel_reason = 'merged', coalesced_count = 0
      where r.id = v_other.id;
      if v_other.class = 'event' then
        new.class := 'event';
        new.reason := v_other.reason;
      end if;
    elsif v_other.number < new.number then
      update office.runs as r
      set coalesced_count = v_other.coalesced_count
          + office_internal.move_wakeups(new.id, v_other.id, v_other.coalesced_count, 0),
        depth = greatest(r.depth, new.depth),
        class = case when new.class = 'event' then 'event' else r.class end,
        reason = case when new.class = 'event' then new.reason else r.reason end,
        scheduled_retry_at = case
          when v_by_person and coalesce(new.scheduled_retry_at, '-infinity') < r.scheduled_retry_at then new.scheduled_retry_at
          else r.scheduled_retry_at
        end
      where r.id = v_other.id;
      perform office_internal.park_runs(array[v_other.id]);
      new.status := 'cancelled';
      new.cancel_reason := 'merged';
      new.coalesced_count := 0;
    end if;
  end if;
  if new.status <> 'queued' then
    new.parked := null;
    new.due_at := null;
    new.answered_at := null;
  end if;
  if new.parked is distinct from old.parked then
    new.parked_at := case when new.parked is not null then office_internal.wall_clock() end;
  end if;
  if new.parked is distinct from 'budget' then
    new.parked_budget_id := null;
  end if;
  if new.parked is null then
    new.parked_detail := null;
  end if;
  new.stop_reason := case
    when new.status = 'stopping' then coalesce(new.stop_reason, 'stopped')
    when new.status = 'cancelled' then new.stop_reason
  end;
  new.stopping_at := case when new.status = 'stopping' then office_internal.wall_clock() end;
  if new.status in ('finished', 'failed', 'cancelled', 'interrupted', 'blocked') then
    new.ended_at := coalesce(new.ended_at, office_internal.wall_clock());
    -- A hand-written end need not know the columns that go with its status.
    new.outcome := case when new.status = 'finished' then coalesce(new.outcome, 'succeeded') end;
    new.cancel_reason := case when new.status = 'cancelled'
      then coalesce(new.cancel_reason, case when old.status = 'interrupted' then 'dropped' else 'stopped' end) end;
  else
    new.ended_at := null;
    new.outcome := null;
    new.cancel_reason := null;
  end if;
  return new;
end
$$;
comment on function office_internal.runs_check() is 'Guards every change of a run, and fills in what goes with its status.';

create or replace function office_internal.runs_follow_insert()
returns trigger
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  perform office_internal.follow_runs(array(select distinct n.agent_id from new_rows as n), '{}');
  perform office_internal.keep_choices(array(select n.id from new_rows as n));
  return null;
end
$$;
comment on function office_internal.runs_follow_insert()
is 'Brings lanes up to date with new runs, and freezes what they may choose among.';

create or replace function office_internal.runs_follow_update()
returns trigger
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_by_hand boolean := office_internal.is_by_hand();
  v_changed record;
begin
  if not exists (select from old_rows) then
    return null;
  end if;
  perform office_internal.need_gates(array(select distinct o.workspace_id from old_rows as o));
  -- Both tables of a transition brought together by grouping: it costs the same a row however many there are.
  select
    -- An attempt is over when its run is active no more: to go on after an answer is active.
    coalesce(array_agg(x.id) filter (where x.was_active and not x.is_active), '{}') as over_run_ids,
    -- An interrupted run that is dropped ends a second time.
    coalesce(array_agg(x.id) filter (where x.becomes <> x.was and x.has_ended), '{}') as ended_run_ids,
    coalesce(array_agg(x.id) filter (where x.becomes <> x.was and x.had_ended), '{}') as revived_run_ids,
    coalesce(array_agg(x.id) filter (where x.becomes <> x.was and x.becomes in ('failed', 'blocked')), '{}') as lost_run_ids,
    coalesce(array_agg(x.id) filter (where x.was_parked is not null and x.is_parked is distinct from x.was_parked), '{}')
      as freed_run_ids,
    coalesce(array_agg(x.id) filter (where x.becomes = 'waiting' and x.was <> 'waiting'), '{}') as quiet_run_ids,
    coalesce(array_agg(x.id) filter (
      where x.was in ('claimed', 'running', 'stopping') and (x.becomes = 'waiting' or (x.becomes = 'queued' and x.is_active))
    ), '{}') as resting_run_ids,
    coalesce(array_agg(x.id) filter (
      where x.becomes in ('claimed', 'running', 'stopping') and (x.was = 'waiting' or (x.was = 'queued' and x.was_active))
    ), '{}') as going_on_run_ids,
    -- Active before and after, a run is the same to its lane.
    coalesce(array_agg(distinct x.agent_id) filter (
      where not (x.was_active and x.is_active)
        and (x.becomes <> x.was or x.is_parked is distinct from x.was_parked or x.is_active <> x.was_active or x.moved)
    ), '{}') as agent_ids,
    coalesce(array_agg(distinct x.workspace_id) filter (where x.becomes = 'queued' and (x.is_active or v_by_hand)), '{}') as look_at
  into v_changed
  from (
    select
      r.id, (array_agg(r.agent_id))[1] as agent_id, (array_agg(r.workspace_id))[1] as workspace_id,
      min(r.status) filter (where not r.fresh) as was, min(r.status) filter (where r.fresh) as becomes,
      min(r.parked) filter (where not r.fresh) as was_parked, min(r.parked) filter (where r.fresh) as is_parked,
      bool_or(r.active) filter (where not r.fresh) as was_active, bool_or(r.active) filter (where r.fresh) as is_active,
      bool_or(r.ended) filter (where not r.fresh) as had_ended, bool_or(r.ended) filter (where r.fresh) as has_ended,
      min(r.requested_at) <> max(r.requested_at) as moved
    from (
      select
        u.*, u.ended_at is not null as ended,
        u.status in ('claimed', 'running', 'waiting', 'stopping') or (u.status = 'queued' and u.answered_at is not null) as active
      from (
        select false as fresh, o.id, o.workspace_id, o.agent_id, o.status, o.parked, o.answered_at, o.ended_at, o.requested_at
        from old_rows as o
        union all
        select true, n.id, n.workspace_id, n.agent_id, n.status, n.parked, n.answered_at, n.ended_at, n.requested_at
        from new_rows as n
      ) as u
    ) as r
    group by r.id
  ) as x;
  if cardinality(v_changed.over_run_ids) > 0 or cardinality(v_changed.ended_run_ids) > 0 then
    perform office_internal.entail_ends(v_changed.over_run_ids, v_changed.ended_run_ids);
  end if;
  if cardinality(v_changed.lost_run_ids) > 0 or cardinality(v_changed.revived_run_ids) > 0 then
    perform office_internal.follow_lost_runs(v_changed.lost_run_ids, v_changed.revived_run_ids);
  end if;
  -- Whoever waits for a person makes no requests meanwhile; an answer lets it go on (S6).
  if cardinality(v_changed.quiet_run_ids) > 0 or cardinality(v_changed.going_on_run_ids) > 0 then
    perform office_internal.follow_providers(v_changed.quiet_run_ids, v_changed.going_on_run_ids);
  end if;
  -- … and works for none of its minutes.
  if cardinality(v_changed.resting_run_ids) > 0 or cardinality(v_changed.going_on_run_ids) > 0 then
    perform office_internal.count_worked(v_changed.resting_run_ids, v_changed.going_on_run_ids);
  end if;
  -- Whoever moves an ended run on has answered what it asked of people.
  if cardinality(v_changed.revived_run_ids) > 0 then
    update office.inbox_items as i
    set closed_at = office.now()
    where i.run_id = any(v_changed.revived_run_ids) and i.closed_at is null;
    update office.decisions as d
    set status = 'void', reason = 'Its run was retried, dropped or carried on.'
    where d.run_id = any(v_changed.revived_run_ids) and d.kind = 'interrupted' and d.status is not distinct from 'pending';
  end if;
  -- What it waited for, and how long, is part of its story (I9).
  if cardinality(v_changed.freed_run_ids) > 0 then
    insert into office.activity (workspace_id, at, kind, agent_id, task_id, run_id, detail)
    select
      o.workspace_id, office_internal.wall_clock(), 'run_waited', o.agent_id, o.task_id, o.id,
      jsonb_build_object('hold', o.parked, 'since', o.parked_at, 'due', o.due_at, 'reason', o.parked_detail)
    from old_rows as o
    where o.id = any(v_changed.freed_run_ids);
  end if;
  perform office_internal.follow_runs(v_changed.agent_ids, v_changed.over_run_ids);
  -- A hand may bring a retry forward or put it off, or say that a run was interrupted, and leave it at that. What holds a run back
  -- holds it back all the same.
  if v_by_hand then
    perform office_internal.ask_about_interrupted(array(
      select n.id
      from new_rows as n
      join old_rows as o on o.id = n.id and o.status <> 'interrupted'
      where n.status = 'interrupted'
    ), 'by hand');
    perform office_internal.park_runs(array(
      select n.id
      from new_rows as n
      join old_rows as o on o.id = n.id
        and (o.status, o.scheduled_retry_at, o.parked, o.due_at) is distinct from (n.status, n.scheduled_retry_at, n.parked, n.due_at)
      where n.status = 'queued'
    ));
  end if;
  -- The claim looks only where a signal says so: a hand has left none, and what goes on after an answer comes from many sides.
  if cardinality(v_changed.look_at) > 0 then
    insert into office_internal.signals (workspace_id, kind) select w.id, 'look' from unnest(v_changed.look_at) as w (id);
  end if;
  return null;
end
$$;
comment on function office_internal.runs_follow_update() is 'Does what a change of runs entails, and brings the lanes up to date.';

create or replace function office_internal.runs_follow_delete()
returns trigger
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  perform office_internal.need_gates(array(select distinct o.workspace_id from old_rows as o));
  perform office_internal.follow_runs(array(select distinct o.agent_id from old_rows as o), '{}');
  return null;
end
$$;
comment on function office_internal.runs_follow_delete() is 'Brings lanes up to date with runs that are gone.';

create or replace function office_internal.runs_wait()
returns trigger
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  perform office_internal.follow_waits(array[new.id]);
  if new.parked = 'resource' then
    insert into office_internal.signals (workspace_id, kind, event_id) values (new.workspace_id, 'resource', new.id);
  end if;
  return null;
end
$$;
comment on function office_internal.runs_wait() is 'Notes which keys a parked run waits for.';

create or replace function office_internal.runs_kept()
returns trigger
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  if exists (select from office.wakeups as w where w.run_id = old.id)
    or exists (select from office.attempts as a where a.run_id = old.id) then
    perform office_internal.refuse(
      'conflict', format('Wakeups or attempts still name r%s.', old.number), 'Remove those first.',
      jsonb_build_object('run', 'r' || old.number)
    );
  end if;
  delete from office.receipts as w where w.run_id = old.id;
  delete from office.checkpoints as c where c.run_id = old.id;
  return old;
end
$$;
comment on function office_internal.runs_kept() is 'Keeps a run while something names it.';

create or replace trigger runs_gate
before update or delete on office.runs
for each statement execute function office_internal.guard_gate();

create or replace trigger runs_check
before update on office.runs
for each row
when (
  old.ended_at is not null
  or (new.workspace_id, new.agent_id, new.task_id, new.routine_id, new.solo)
    is distinct from (old.workspace_id, old.agent_id, old.task_id, old.routine_id, old.solo)
  or new.parked is distinct from old.parked
  or (new.due_at is not null and new.parked is null)
  or (new.requested_at, new.executor_id) is distinct from (old.requested_at, old.executor_id)
  or (new.answered_at is not null and old.answered_at is null)
  or new.status <> old.status and not (
    new.parked is null and new.due_at is null and new.stop_reason is null
    and case new.status
      when 'claimed' then old.status = 'queued' and old.answered_at is null and new.attempt_id is distinct from old.attempt_id
        and coalesce(current_setting('office.gates', true), '') = statement_timestamp()::text
      when 'running' then old.status = 'claimed'
      when 'finished' then old.status = 'running' and new.outcome is not null and new.ended_at is not null
      else false
    end
  )
)
execute function office_internal.runs_check();

create or replace trigger runs_wait
after update on office.runs
for each row
when ((new.parked is not distinct from 'resource') <> (old.parked is not distinct from 'resource'))
execute function office_internal.runs_wait();

create or replace trigger runs_kept
before delete on office.runs
for each row execute function office_internal.runs_kept();

create or replace trigger runs_follow_insert
after insert on office.runs
referencing new table as new_rows
for each statement execute function office_internal.runs_follow_insert();

create or replace trigger runs_follow_update
after update on office.runs
referencing old table as old_rows new table as new_rows
for each statement execute function office_internal.runs_follow_update();

create or replace trigger runs_follow_delete
after delete on office.runs
referencing old table as old_rows
for each statement execute function office_internal.runs_follow_delete();
