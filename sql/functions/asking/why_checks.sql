-- office_internal.why_checks: the checks of a task, as rows of why (I9, T15): how each ended, and what the one that is open waits for.
create or replace function office_internal.why_checks(task_id uuid)
returns table (at timestamptz, event text, detail text, lasted interval, lift text)
language plpgsql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
#variable_conflict use_column
declare
  v_now timestamptz := office_internal.wall_clock();
begin
  return query
    select
      coalesce(c.ended_at, v_now),
      case
        when c.status in ('requested', 'running') then 'waits'
        else 'check ' || case c.status when 'used' then 'passed' else c.status end
      end,
      format('to be %s: %s%s', c.target, m.words, case
        when c.status = 'running' then ', which runs on ' || coalesce(k.host, 'a host unknown')
        when c.status = 'requested' and h.number is not null then format(', once r%s has ended', h.number)
        when c.status = 'requested' then ', once a worker has room'
        when c.status = 'failed' then ', ' || coalesce('exit code ' || c.exit_code, 'stopped, or it could not be run')
        else ''
      end),
      coalesce(c.ended_at, v_now) - coalesce(c.started_at, c.requested_at),
      case when c.status = 'failed' then format('select output from office.task_checks where id = %L;', c.id) end
    from office.task_checks as c
    cross join lateral (
      select string_agg(w.word, ' ' order by w.nth) as words from jsonb_array_elements_text(c.command) with ordinality as w (word, nth)
    ) as m
    left join office.workers as k on k.id = c.worker_id
    left join office.checkouts as o on o.task_id = c.task_id
    left join office.runs as h on h.id = o.checkout_run_id
    where c.task_id = why_checks.task_id
    order by c.number;
end
$$;

comment on function office_internal.why_checks(uuid) is 'The checks of a task, and what an open one waits for.';
