-- office.why: the story of a run, or of a task's or a wakeup's run: what woke it, how it was merged, each attempt with its end, how
-- long each stretch lasted; and for one that waits every reason, with the command that lifts it (I9). Of an agent: what it
-- does, and why what is queued for it waits.
-- Refuses what is not there (not_found), workspaces and everything (invalid).
create or replace function office.why(ref text)
returns table (at timestamptz, event text, detail text, lasted interval, lift text)
language plpgsql stable parallel safe security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
#variable_conflict use_column
declare
  v_what record;
  v_run uuid;
begin
  perform office_internal.caller();
  select * into v_what from office_internal.read_ref(ref);
  case v_what.kind
    when 'run' then
      v_run := v_what.id;
    when 'wakeup' then
      select w.run_id into v_run from office.wakeups as w where w.id = v_what.id;
      if v_run is null then
        return query
          select
            w.requested_at, 'woken', w.source || case when w.status = 'queued' then '' else format(', %s: %s', w.status, w.reason) end,
            null::interval, case when w.status = 'queued' then 'select office.dispatch();' end
          from office.wakeups as w
          where w.id = v_what.id;
        return;
      end if;
    when 'task' then
      v_run := office_internal.latest_run(v_what.id);
      if v_run is null then
        return query select * from office_internal.why_no_run(v_what.id);
        return;
      end if;
    when 'agent' then
      return query select * from office_internal.why_agent(v_what.id);
      return;
    else
      perform office_internal.refuse(
        'invalid', format('%s has no story of its own.', ref), 'Name a run (r4812), a task (t97), an agent, or a wakeup (its uuid).',
        jsonb_build_object('field', 'ref')
      );
  end case;
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
      where v.run_id = v_run and v.kind not in ('run_ended', 'run_waited', 'decision_noted')
      union all
      select
        d.asked_at, d.number, 'asked',
        format('d%s, %s: %s', d.number, coalesce(d.subject, d.kind), left(office_internal.one_line(d.prompt), 200))
      from office.decisions as d
      where d.run_id = v_run
      union all
      select
        d.decided_at, d.number, d.status,
        format('d%s%s', d.number, ': ' || coalesce(d.choice || coalesce(', ' || office_internal.one_line(d.note), ''), d.reason))
      from office.decisions as d
      where d.run_id = v_run and d.decided_at is not null
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
      office_internal.wall_clock(), 'waits', format('for d%s', d.number), d.expires_at - office_internal.wall_clock(),
      format('select * from office.answer(%L, %L);', 'd' || d.number, d.choices -> 0 ->> 'id')
    from office.decisions as d
    where d.run_id = v_run and d.status = 'pending' and d.kind <> 'approval'
    order by d.number;
  return query
    select
      office_internal.wall_clock(), 'waits', w.reason,
      case when w.until is not null then w.until - office_internal.wall_clock() end, w.lift
    from office.waiting_for(v_run) as w;
end
$$;

comment on function office.why(text) is 'The story of a run, task or wakeup; and why it waits, with what lifts it.';
