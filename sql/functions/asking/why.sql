-- office.why: the story of a run, or of a task's or a wakeup's run: what woke it, how it was merged, each attempt with its end, how
-- long each stretch lasted; and for one that waits every reason, with the command that lifts it (I9).
-- Refuses what is not there (not_found).
create or replace function office.why(ref text)
returns table (at timestamptz, event text, detail text, lasted interval, lift text)
language plpgsql stable parallel safe security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
#variable_conflict use_column
declare
  v_run uuid;
begin
  perform office_internal.caller();
  if ref ~* '^t[0-9]+$' then
    select r.id into v_run from office.runs as r where r.task_id = office_internal.find_task(ref) order by r.number desc limit 1;
    if v_run is null then
      return query
        select
          t.created_at, 'no run',
          case
            when t.assignee_agent_id is null then 'nobody is assigned'
            when office_internal.is_blocked(t.id) then 'it waits for other tasks, and is woken when they have ended'
            when not office_internal.is_woken_for(t.id) then 'its stage or workflow starts no work'
            else format('it is %s', t.state)
          end,
          null::interval,
          case when t.assignee_agent_id is null then format('select * from office.assign_task(''t%s'', ''AGENT'');', t.number) end
        from office.tasks as t
        where t.id = office_internal.find_task(ref);
      return;
    end if;
  elsif office_internal.is_uuid(ref) then
    select w.run_id into v_run
    from office.wakeups as w
    where w.id = ref::uuid and w.workspace_id in (select office.visible_workspaces());
    v_run := coalesce(v_run, office_internal.find_run(ref));
  else
    v_run := office_internal.find_run(ref);
  end if;
  return query
    with told as (
      select
        w.requested_at as at, w.position as nth, 'woken' as event,
        format(
          '%s%s%s', w.source,
          case when w.position = 1 then '' else format(' (merged, %s of %s)', w.position, r.coalesced_count) end,
          case when w.status in ('cancelled', 'skipped') then format(', %s: %s', w.status, w.reason) else '' end
        ) as detail
      from office.wakeups as w
      join office.runs as r on r.id = w.run_id
      where w.run_id = v_run
      union all
      select a.claimed_at, a.number * 10 + 1000, 'claimed', format('attempt %s, by worker on %s', a.number, k.host)
      from office.attempts as a
      join office.workers as k on k.id = a.worker_id
      where a.run_id = v_run
      union all
      select a.started_at, a.number * 10 + 1001, 'started', format('attempt %s%s', a.number, ', pid ' || a.pid)
      from office.attempts as a
      where a.run_id = v_run and a.started_at is not null
      union all
      select
        a.ended_at, a.number * 10 + 1002, a.outcome,
        format('attempt %s%s%s', a.number, ': ' || left(coalesce(a.error, a.result ->> 'summary'), 300), ', exit code ' || a.exit_code)
      from office.attempts as a
      where a.run_id = v_run and a.ended_at is not null
      union all
      select v.at, 100000, replace(v.kind, '_', ' '), v.detail ->> 'reason'
      from office.activity as v
      where v.run_id = v_run and v.kind not in ('run_ended', 'decision_noted')
      union all
      select r.ended_at, 200000, r.status, r.result
      from office.runs as r
      where r.id = v_run and r.ended_at is not null
    )
    select
      t.at, t.event, t.detail,
      lead(t.at) over (order by t.at, t.nth) - t.at,
      case
        when t.event in ('interrupted', 'failed', 'blocked') and t.nth = 200000
          then (select format('select * from office.retry_run(''r%s'');', r.number) from office.runs as r where r.id = v_run)
      end
    from told as t
    order by t.at, t.nth;
  return query
    select
      office_internal.wall_clock(), 'waits', w.reason,
      case when w.until is not null then w.until - office_internal.wall_clock() end, w.lift
    from office.waiting_for(v_run) as w;
end
$$;

comment on function office.why(text) is 'The story of a run, task or wakeup; and why it waits, with what lifts it.';
