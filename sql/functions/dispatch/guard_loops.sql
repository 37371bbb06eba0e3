-- office_internal.guard_loops: those of these wakeups that may go on, in their order; the others are settled as skipped/loop_guard, with
-- activity, and one inbox item an agent and hour (Q27). Skipped is what comes from more than 20 runs that caused one another, and
-- what no person caused once its agent was launched max_runs_per_hour times within an hour. A person's word counts as one only when
-- it was not given from inside a run.
-- Launches are counted from two indexes, the ended runs' and the active ones', no further than the limit: what is usual, that nobody is
-- near it, costs two probes an agent. The caller holds the gates.
create or replace function office_internal.guard_loops(wakeup_ids uuid[])
returns uuid[]
language plpgsql volatile
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_depth constant integer := 20;
  v_now timestamptz := office_internal.wall_clock();
  v_since timestamptz := v_now - interval '1 hour';
  v_least integer;
  v_persons text[];
  v_busy uuid[];
  v_skipped uuid[];
begin
  if coalesce(cardinality(wakeup_ids), 0) = 0 then
    return wakeup_ids;
  end if;
  -- The least that is set anywhere: who is below it is below his own.
  select least(
    coalesce((select s.value::integer from office.settings as s where s.key = d.key and s.scope = 'office'), d.default_value::integer),
    (select min(s.value::integer) from office.settings as s where s.key = d.key and s.scope = 'workspace')
  )
  into v_least
  from office.setting_definitions as d
  where d.key = 'max_runs_per_hour';
  v_persons := array(select s.source from office.wakeup_sources as s where s.person_caused);
  -- Row by row from the indexes, and no function call an agent: this is looked at by every dispatch.
  v_busy := array(
    select q.agent_id
    from (
      select distinct w.agent_id, w.workspace_id
      from office.wakeups as w
      where w.id = any(wakeup_ids) and (w.attempt_id is not null or w.source <> all(v_persons))
    ) as q
    cross join lateral (
      select count(*) as ended
      from (
        select
        from office.runs as r
        where r.agent_id = q.agent_id and r.claimed_at > v_since and r.ended_at is not null
        limit v_least
      ) as e
    ) as c
    join office_internal.lanes as l on l.agent_id = q.agent_id
    where c.ended + l.active >= v_least
  );
  if cardinality(v_busy) = 0
    and not exists (select from office.wakeups as w where w.id = any(wakeup_ids) and w.depth > v_depth)
  then
    return wakeup_ids;
  end if;
  with full_hours as materialized (
    select b.id as agent_id, m.most
    from unnest(v_busy) as b (id)
    join office_internal.lanes as l on l.agent_id = b.id
    cross join lateral (select office_internal.setting('max_runs_per_hour', l.workspace_id)::integer as most) as m
    where office_internal.count_launches(l.workspace_id, b.id, v_since, m.most) >= m.most
  ),
  skipped as (
    update office.wakeups as w
    set status = 'skipped', reason = 'loop_guard'
    from office.wakeups as o
    join office.wakeup_sources as s on s.source = o.source
    left join full_hours as f on f.agent_id = o.agent_id
    where o.id = any(wakeup_ids) and w.id = o.id and w.status is not distinct from 'queued'
      and (
        o.depth > v_depth
        or f.agent_id is not null
          and (o.attempt_id is null and (s.person_caused or o.payload ->> 'fire' = 'manual')) is not true
      )
    returning w.id, w.workspace_id, w.agent_id, w.task_id, w.attempt_id, w.source, w.depth, f.most
  ),
  noted as (
    insert into office.activity (workspace_id, at, kind, agent_id, task_id, attempt_id, wakeup_id, detail)
    select
      s.workspace_id, v_now, 'wakeup_skipped', s.agent_id, s.task_id, s.attempt_id, s.id,
      jsonb_strip_nulls(jsonb_build_object('reason', 'loop_guard', 'source', s.source, 'depth', s.depth, 'max_runs_per_hour', s.most))
    from skipped as s
  ),
  told as (
    insert into office.inbox_items (workspace_id, kind, title, body, agent_id, task_id, dedup_key, created_at)
    select
      f.workspace_id, 'agent.loop', format('%s wakes too often', a.name),
      format(
        E'%s%s Wakes like this one are skipped; a person''s go through:\nselect * from office.wake(%L);',
        case
          when f.depth > v_depth then format('A wake of %s (%s) came from %s runs that caused one another.', a.name, f.source, f.depth)
          else format('%s was launched %s times within an hour (setting max_runs_per_hour).', a.name, f.most)
        end,
        coalesce((
          select format(' The last came from inside r%s.', r.number)
          from office.attempts as p
          join office.runs as r on r.id = p.run_id
          where p.id = f.attempt_id
        ), ''),
        w.name || '/' || a.name
      ),
      f.agent_id, f.task_id, f.dedup_key, v_now
    from (
      select distinct on (s.agent_id)
        s.*, format('agent.loop:%s:%s', s.agent_id, floor(extract(epoch from v_now) / 3600)) as dedup_key
      from skipped as s
      order by s.agent_id, s.id
    ) as f
    join office.agents as a on a.id = f.agent_id
    join office.workspaces as w on w.id = f.workspace_id
    where not exists (
      select from office.inbox_items as i
      where i.workspace_id = f.workspace_id and i.dedup_key = f.dedup_key and i.kind = 'agent.loop'
    )
    on conflict do nothing
  )
  select array_agg(s.id) into v_skipped from skipped as s;
  if v_skipped is not null then
    -- Whoever waits for what becomes of them hears it.
    perform pg_notify('office_end', '');
  end if;
  return array(
    select o.id
    from unnest(wakeup_ids) with ordinality as o (id, nth)
    where o.id <> all(coalesce(v_skipped, '{}'))
    order by o.nth
  );
end
$$;

comment on function office_internal.guard_loops(uuid[]) is 'Which wakeups may go on; those of a loop are skipped.';
