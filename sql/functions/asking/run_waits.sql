-- office_internal.run_waits: what a run waited for, in order, each stretch with its reason; until null: it still waits. A run waits from
-- when it was asked for, was queued again, or was retried, until an attempt claims it or it ends. What it was parked for is activity
-- (run_waited). The rest no row says: it is derived from what went on then in its workspace - pauses, the attempts of its agent and
-- of its workspace against the limits of the time, its agent's cooldown as it is today, and who worked - in one pass over the moments
-- at which any of these changed. What was shorter than a hundredth of a second is left out, and the second until a worker comes.
-- Reads the activity since the run began to wait, and no more of what ended before.
create or replace function office_internal.run_waits(run_id uuid)
returns table (since timestamptz, until timestamptz, reason text)
language plpgsql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
#variable_conflict use_column
declare
  v_now timestamptz := office_internal.wall_clock();
  v_run office.runs;
  v_agent text;
  v_workspace text;
  v_cooldown interval;
  v_queued tstzmultirange;
  v_parked tstzmultirange;
  v_gaps tstzmultirange;
begin
  select r.* into v_run from office.runs as r where r.id = run_waits.run_id;
  select a.name, w.name, make_interval(secs => a.cooldown_sec)
  into v_agent, v_workspace, v_cooldown
  from office.agents as a
  join office.workspaces as w on w.id = a.workspace_id
  where a.id = v_run.agent_id;
  select range_agg(tstzrange(q.since, q.until)) into v_queued
  from (
    select
      s.since,
      coalesce(n.claimed_at, case when v_run.claimed_at is null then coalesce(v_run.ended_at, v_now) end) as until
    from (
      select 0 as number, v_run.requested_at as since
      union all
      select
        a.number,
        coalesce(
          (select min(v.at) from office.activity as v where v.run_id = v_run.id and v.kind = 'run_retried' and v.at >= a.ended_at),
          a.ended_at
        )
      from office.attempts as a
      where a.run_id = v_run.id and a.ended_at is not null
    ) as s
    left join office.attempts as n on n.run_id = v_run.id and n.number = s.number + 1
  ) as q
  where q.until > q.since;
  if v_queued is null then
    return;
  end if;
  select coalesce(range_agg(tstzrange(p.since, p.until)), '{}') into v_parked
  from office_internal.run_parkings(v_run.id, v_now) as p;
  v_gaps := v_queued - v_parked;
  return query
    with attempts as materialized (
      select r.agent_id, a.claimed_at, coalesce(a.ended_at, 'infinity') as ended_at
      from (
        select v.run_id as id
        from office.activity as v
        where v.workspace_id = v_run.workspace_id and v.at >= lower(v_gaps) - v_cooldown and v.run_id is not null
        union
        select r.id
        from office.runs as r
        where r.workspace_id = v_run.workspace_id
          and (r.status in ('claimed', 'running', 'waiting', 'stopping') or (r.status = 'queued' and r.answered_at is not null))
        union
        select r.id
        from office.agents as g
        join office.runs as r on r.agent_id = g.id and r.status = 'queued'
        where g.workspace_id = v_run.workspace_id
      ) as q
      join office.runs as r on r.id = q.id
      join office.attempts as a on a.run_id = r.id
      where a.claimed_at < upper(v_gaps) and coalesce(a.ended_at, 'infinity') > lower(v_gaps) - v_cooldown
    ),
    switches as (
      select s.at, s.what, s.is_on - lag(s.is_on, 1, 0) over (partition by s.what order by s.at, s.id) as step
      from (
        select
          v.at, v.id, case when v.kind in ('paused', 'agent_held') then 1 else 0 end as is_on,
          case
            when v.kind in ('agent_held', 'agent_let_go') then 'agent'
            when lower(v.detail ->> 'ref') = 'everything' then 'everything'
            else 'workspace'
          end as what
        from office.activity as v
        where v.workspace_id = v_run.workspace_id
          and (
            (v.kind in ('paused', 'resumed') and v.agent_id is null)
            or (v.kind in ('agent_held', 'agent_let_go') and v.agent_id = v_run.agent_id)
          )
      ) as s
    ),
    -- Everything that begins or ends: when, what, and by how much.
    steps as (
      select x.at, 'gap' as what, x.step
      from unnest(v_gaps) as g (span)
      cross join lateral (values (lower(g.span), 1), (upper(g.span), -1)) as x (at, step)
      union all
      select s.at, s.what, s.step from switches as s
      union all
      select x.at, x.what, x.step
      from attempts as a
      cross join lateral (
        values
          (a.claimed_at, 'going', 1), (a.ended_at, 'going', -1),
          (case when a.agent_id = v_run.agent_id then a.claimed_at end, 'busy', 1),
          (case when a.agent_id = v_run.agent_id then a.ended_at end, 'busy', -1),
          (case when a.agent_id = v_run.agent_id then a.ended_at end, 'cooling', 1),
          (case when a.agent_id = v_run.agent_id then a.ended_at + v_cooldown end, 'cooling', -1)
      ) as x (at, what, step)
      where x.at < 'infinity'
      union all
      select x.at, case when l.subject_id = v_run.agent_id then 'capacity' else 'slots' end, x.step
      from office_internal.limits_of_the_time() as l
      cross join lateral (values (l.since, l.most), (l.until, -l.most)) as x (at, step)
      where l.subject_id in (v_run.agent_id, v_run.workspace_id)
      union all
      select x.at, 'workers', x.step
      from office.workers as k
      cross join lateral (
        values (k.registered_at, 1), (least(k.lease_until, coalesce(k.ended_at, 'infinity')), -1)
      ) as x (at, step)
      where k.only_workspace_id is null or k.only_workspace_id = v_run.workspace_id
    ),
    moments as (
      select
        s.at, lead(s.at) over (order by s.at) as until,
        sum(sum(s.step) filter (where s.what = 'gap')) over by_time as in_gap,
        sum(sum(s.step) filter (where s.what = 'everything')) over by_time as everything,
        sum(sum(s.step) filter (where s.what = 'workspace')) over by_time as workspace,
        sum(sum(s.step) filter (where s.what = 'agent')) over by_time as agent,
        sum(sum(s.step) filter (where s.what = 'busy')) over by_time as busy,
        sum(sum(s.step) filter (where s.what = 'capacity')) over by_time as capacity,
        sum(sum(s.step) filter (where s.what = 'cooling')) over by_time as cooling,
        sum(sum(s.step) filter (where s.what = 'going')) over by_time as going,
        sum(sum(s.step) filter (where s.what = 'slots')) over by_time as slots,
        sum(sum(s.step) filter (where s.what = 'workers')) over by_time as workers
      from steps as s
      group by s.at
      window by_time as (order by s.at)
    ),
    waits as (
      select
        m.at as since, m.until,
        case
          when m.agent > 0 then format('while %s was held', v_agent)
          when m.workspace > 0 then format('while workspace %s was paused', v_workspace)
          when m.everything > 0 then 'while everything was paused'
          when m.busy >= m.capacity then format('for %s, who had %s of %s runs going', v_agent, m.busy, m.capacity)
          when m.cooling > 0 then format('for %s to cool down', v_agent)
          when m.going >= m.slots then format('for a slot of workspace %s: %s of %s were in use', v_workspace, m.going, m.slots)
          when coalesce(m.workers, 0) = 0 then 'for a worker: none lived'
          else 'for a worker'
        end as reason
      from moments as m
      where m.in_gap > 0
      union all
      select p.since, p.until, p.reason from office_internal.run_parkings(v_run.id, v_now) as p
    ),
    islands as (
      select w.*, count(*) filter (where w.is_new) over (order by w.since, w.until) as island
      from (
        select x.*, (lag(x.reason) over by_time, lag(x.until) over by_time) is distinct from (x.reason, x.since) as is_new
        from waits as x
        window by_time as (order by x.since, x.until)
      ) as w
    )
    select min(i.since), case when v_run.status = 'queued' and max(i.until) >= v_now then null else max(i.until) end, i.reason
    from islands as i
    group by i.island, i.reason
    having max(i.until) - min(i.since) >= case i.reason when 'for a worker' then interval '1 second' else interval '10 milliseconds' end
      or (v_run.status = 'queued' and max(i.until) >= v_now)
    order by min(i.since);
end
$$;

comment on function office_internal.run_waits(uuid) is 'What a run waited for, when, and how long.';
