-- office.metrics: how the whole office stands, in figures, as a scraper wants them (I10): name, labels, value. Counted from indexes
-- of what is live; what has ended is not counted. Of all workspaces: for workers' logins and operators. Takes no gate.
create or replace function office.metrics()
returns table (metric text, labels jsonb, value double precision, meaning text)
language plpgsql stable parallel safe security definer
set search_path = pg_catalog, office, office_internal, pg_temp
set jit = off
as $$
begin
  return query
    select m.metric, m.labels, m.value::double precision, m.meaning
    from (
      select 'office_runs', jsonb_build_object('status', s.status), (
        select count(*) from office.runs as r where r.status = s.status
      ), 'Runs that have not ended.'
      from unnest(array['queued', 'claimed', 'running', 'waiting', 'stopping']) as s (status)
      union all
      select 'office_signals', '{}', (select count(*) from office_internal.signals), 'Signals that wait for the dispatch.'
      union all
      select 'office_changes', '{}', (select count(*) from office_internal.changes), 'Changes that wait to be carried out.'
      union all
      select 'office_workers', '{}', (select count(*) from office.workers as w where w.ended_at is null), 'Workers with a lease.'
      union all
      select 'office_decisions', '{}', (
        select count(*) from office.decisions as d where d.status = 'pending'
      ), 'Decisions that wait for a person.'
      union all
      select 'office_inbox_items', '{}', (
        select count(*) from office.inbox_items as i where i.closed_at is null
      ), 'Inbox items that are open.'
      union all
      select 'office_triggers_due', '{}', (
        select count(*) from office.routine_triggers as t where t.next_run_at <= office_internal.wall_clock()
      ), 'Triggers that are due and have not fired.'
      union all
      select 'office_tick_lag_seconds', '{}', coalesce((
        select greatest(extract(epoch from office_internal.wall_clock() - min(t.next_run_at)), 0)
        from office.routine_triggers as t
        where t.next_run_at is not null
      ), 0), 'How long the first of those has been due.'
    ) as m (metric, labels, value, meaning);
end
$$;

comment on function office.metrics() is 'The office in figures, for monitoring.';
