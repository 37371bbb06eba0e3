-- office_internal.why_routine: the story of a routine, as rows of why: its last twenty fires with what became of each, what it passed
-- over, and when it fires next, or why not, with what lifts it (I9, R20).
create or replace function office_internal.why_routine(routine_id uuid)
returns table (at timestamptz, event text, detail text, lasted interval, lift text)
language plpgsql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  return query
    select l.at, l.event, l.detail, l.lasted, l.lift
    from (
      (
        select
          f.fired_at as at, 'fired' as event,
          concat_ws(
            ', ', f.source, 'for ' || to_char(timezone('UTC', f.slot), 'YYYY-MM-DD HH24:MI') || ' UTC', f.status, 't' || t.number,
            'r' || r.number, f.error, f.missed_ticks || ' missed since ' || f.missed_since
          ) as detail,
          f.ended_at - f.fired_at as lasted,
          case when f.status in ('received', 'task_created')
            then 'select * from office.why(' || quote_literal(coalesce('r' || r.number, 't' || t.number)) || ');' end as lift,
          1 as place
        from office.routine_runs as f
        left join office.runs as r on r.id = f.linked_run_id
        left join office.tasks as t on t.id = f.linked_task_id
        where f.routine_id = why_routine.routine_id
        order by f.fired_at desc, f.id desc
        limit 20
      )
      union all
      select t.passed_over_at, 'passed over', 'from this slot on: the routine was not active', null, null, 2
      from office.routine_triggers as t
      where t.routine_id = why_routine.routine_id and t.passed_over_at is not null
      union all
      select
        t.next_run_at, case when r.status <> 'active' or not t.enabled then 'does not fire' else 'fires next' end,
        concat_ws(
          ', ', t.kind, t.expression, case when t.kind = 'schedule' then t.timezone end,
          case when r.status <> 'active' then format('the routine is %s: %s', r.status, r.status_reason) end,
          case when not t.enabled then 'the trigger is disabled' end
        ),
        null,
        case
          when r.status = 'paused' then format('select * from office.resume(%L);', 'routine:' || w.name || '/' || r.name)
          when r.status = 'active' and not t.enabled then format('select * from office.enable_trigger(%L);', t.id)
        end,
        3
      from office.routine_triggers as t
      join office.routines as r on r.id = t.routine_id
      join office.workspaces as w on w.id = r.workspace_id
      where t.routine_id = why_routine.routine_id
      union all
      select
        null, 'does not fire', 'nothing fires it but a hand', null, format('select * from office.fire_routine(%L);', r.name), 3
      from office.routines as r
      where r.id = why_routine.routine_id and r.status = 'active'
        and not exists (select from office.routine_triggers as t where t.routine_id = r.id)
    ) as l
    order by l.place, l.at;
end
$$;

comment on function office_internal.why_routine(uuid) is 'The story of a routine.';
