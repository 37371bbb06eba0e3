-- office_internal.why_run: the story of a run, as rows of why (I9): what woke it and how it was merged, what it waited for, each attempt
-- with its end, retries with why and when, holds of its provider account, what it asked and was answered, what closed it; each stretch
-- with how long it lasted; and for one that waits still every reason, with the command that lifts it.
create or replace function office_internal.why_run(run_id uuid)
returns table (at timestamptz, event text, detail text, lasted interval, lift text)
language plpgsql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
#variable_conflict use_column
declare
  v_now timestamptz := office_internal.wall_clock();
  v_run office.runs;
begin
  select r.* into v_run from office.runs as r where r.id = why_run.run_id;
  -- Of one instant: wakes, then attempt by attempt its waits, its claim, its life, its end, and what came of it.
  return query
    with waits as materialized (
      select w.* from office_internal.run_waits(v_run.id) as w
    ),
    attempts as materialized (
      select a.*, k.host from office.attempts as a left join office.workers as k on k.id = a.worker_id where a.run_id = v_run.id
    ),
    told as (
      select
        w.requested_at as at, w.position as nth, 'woken' as event,
        format(
          '%s%s%s', w.source,
          case
            when w.position = 1 then ''
            else format(' (merged, %s of %s%s)', w.position, v_run.coalesced_count, case
              when a.first_shown > 1 then '; shown by attempt ' || a.first_shown
              when a.first_shown is null and v_run.attempt_id is not null then '; not shown'
            end)
          end,
          case when w.status in ('cancelled', 'skipped') then format(', %s: %s', w.status, w.reason) else '' end
        ) as detail,
        null::interval as lasted
      from office.wakeups as w
      cross join lateral (select min(p.number) as first_shown from attempts as p where p.shown_wakeups >= w.position) as a
      where w.run_id = v_run.id
      union all
      select w.since, 100 * (select count(*) from attempts as a where a.claimed_at <= w.since) + 90, 'waited', w.reason, w.until - w.since
      from waits as w
      where w.until is not null
      union all
      select
        a.claimed_at, 100 * a.number + 10, 'claimed',
        format('attempt %s, by worker on %s%s', a.number, coalesce(a.host, 'a host unknown'), ', as the probe of ' || (
          select min(h.provider)
          from office.provider_holds as h
          where h.probe_run_id = v_run.id and a.claimed_at >= h.since and a.claimed_at <= coalesce(h.ended_at, 'infinity')
        )),
        coalesce(a.started_at, a.ended_at, v_now) - a.claimed_at
      from attempts as a
      union all
      select
        a.started_at, 100 * a.number + 20, 'started', format('attempt %s%s', a.number, ', pid ' || a.pid),
        coalesce(a.ended_at, v_now) - a.started_at
      from attempts as a
      where a.started_at is not null
      union all
      select v_run.claimed_at, 100 * a.number + 40, 'went on', format('attempt %s, by worker on %s', a.number, a.host), null
      from attempts as a
      where a.id = v_run.attempt_id and v_run.claimed_at > a.claimed_at
      union all
      select
        a.ended_at, 100 * a.number + 50, a.outcome,
        format('attempt %s%s%s', a.number, ': ' || left(coalesce(a.error, a.result ->> 'summary'), 300), ', exit code ' || a.exit_code),
        null
      from attempts as a
      where a.ended_at is not null
      union all
      select
        coalesce(a.ended_at, h.since), 100 * coalesce(a.number, 0) + 60, 'hold began',
        format('provider %s%s: %s', h.provider, ', model ' || h.model, h.reason), null
      from office.provider_holds as h
      left join attempts as a on a.id = h.attempt_id
      where h.run_id = v_run.id
      union all
      select
        h.ended_at, 100000, 'hold ended', format('provider %s%s: its probe succeeded', h.provider, ', model ' || h.model), null
      from office.provider_holds as h
      where h.probe_run_id = v_run.id and h.ended_by = 'probe'
      union all
      select
        v.at, 100 * (select count(*) from attempts as a where a.claimed_at <= v.at) + 70, replace(v.kind, '_', ' '),
        case
          when v.kind <> 'retry_scheduled' then v.detail ->> 'reason'
          else concat_ws(', ', v.detail ->> 'reason', 'at ' || (v.detail ->> 'parsed_reset_at'), 'retry ' || (v.detail ->> 'retry'))
        end,
        null
      from office.activity as v
      where v.run_id = v_run.id and v.kind not in ('run_ended', 'run_waited', 'decision_noted')
      union all
      select
        d.asked_at, 100 * (select count(*) from attempts as a where a.claimed_at <= d.asked_at) + 30, 'asked',
        format('d%s, %s: %s', d.number, coalesce(d.subject, d.kind), left(office_internal.one_line(d.prompt), 200)),
        d.decided_at - d.asked_at
      from office.decisions as d
      where d.run_id = v_run.id
      union all
      select
        d.decided_at, 100 * (select count(*) from attempts as a where a.claimed_at <= d.decided_at) + 31, d.status,
        format('d%s%s', d.number, ': ' || coalesce(d.choice || coalesce(', ' || office_internal.one_line(d.note), ''), d.reason)), null
      from office.decisions as d
      where d.run_id = v_run.id and d.decided_at is not null
      union all
      select v_run.ended_at, 200000, v_run.status, v_run.result, null
      where v_run.ended_at is not null
    )
    select
      t.at, t.event, t.detail, t.lasted,
      case
        when t.nth = 200000 and t.event in ('interrupted', 'failed', 'blocked')
          then format('select * from office.retry_run(''r%s'');', v_run.number)
      end
    from told as t
    order by t.at, t.nth;
  return query
    select
      v_now, 'waits', format('for d%s', d.number), v_now - d.asked_at,
      format('select * from office.answer(%L, %L);', 'd' || d.number, d.choices -> 0 ->> 'id')
    from office.decisions as d
    where d.run_id = v_run.id and d.status = 'pending' and d.kind <> 'approval'
    order by d.number;
  return query
    select v_now, 'waits', w.reason || coalesce(', until ' || w.until, ''), v_now - s.since, w.lift
    from office.waiting_for(v_run.id) as w
    left join office_internal.run_waits(v_run.id) as s on s.until is null;
end
$$;

comment on function office_internal.why_run(uuid) is 'The story of a run, and why it waits.';
