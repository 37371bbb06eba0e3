-- office_internal.follow_routines: what signals mean for routines' fires (R12, R14). A wakeup that names a routine's live task joins a run
-- in flight there, or ends skipped/no_live_run and wakes nobody. A fire's task that was closed, or is open again, is its end, or
-- none; its run is the task's. Answers the queued runs that were joined. The caller holds the gates, and has merged what else there was.
create or replace function office_internal.follow_routines(signals office_internal.signals[])
returns uuid[]
language plpgsql volatile
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_asked uuid[] := array(
    select s.wakeup_id from unnest(signals) with ordinality as s where s.kind = 'routine' order by s.ordinality
  );
  v_tasks uuid[] := array(select distinct s.task_id from unnest(signals) as s where s.task_id is not null);
  v_joining uuid[];
  v_runs uuid[];
begin
  if cardinality(v_asked) > 0 then
    v_joining := array(
      select w.id
      from unnest(v_asked) with ordinality as o (id, nth)
      join office.wakeups as w on w.id = o.id
      where exists (
        select
        from office.runs as r
        where r.task_id = w.task_id and r.agent_id = w.agent_id and not r.solo and r.status in ('queued', 'claimed', 'running', 'waiting')
      )
      order by o.nth
    );
    update office.wakeups as w
    set status = 'skipped', reason = 'no_live_run'
    where w.id = any(v_asked) and w.id <> all(v_joining) and w.status = 'queued';
    if cardinality(v_joining) > 0 then
      v_runs := office_internal.merge_wakeups(v_joining);
    end if;
  end if;
  -- Most tasks are no routine's.
  if not exists (select from office.routine_runs as f where f.linked_task_id = any(v_tasks)) then
    return coalesce(v_runs, '{}');
  end if;
  update office.routine_runs as f
  set status = n.status,
    linked_run_id = coalesce(f.linked_run_id, n.run_id),
    ended_at = case when n.status <> 'task_created' then coalesce(f.ended_at, office_internal.wall_clock()) end
  from office.routine_runs as o
  join office.tasks as t on t.id = o.linked_task_id
  cross join lateral (
    select
      case
        when t.state = 'done' then 'done'
        when office_internal.is_closed(t) then 'cancelled'
        when o.status = 'failed' then 'failed'
        else 'task_created'
      end as status,
      (select r.id from office.runs as r where r.task_id = t.id order by r.requested_at limit 1) as run_id
  ) as n
  where o.linked_task_id = any(v_tasks) and o.coalesced_into_run_id is null and f.id = o.id
    and (n.status <> f.status or (f.linked_run_id is null and n.run_id is not null));
  return coalesce(v_runs, '{}');
end
$$;

comment on function office_internal.follow_routines(office_internal.signals[]) is 'Has routines'' fires follow tasks, and join live ones.';
