-- office.settled: whether what was asked for has come to its end: a wakeup (uuid), a run (r4812), or a task's latest run (t97), as
-- office.result names them. What a program waits for, and its exit code, is decided here:
--   settled        nothing more comes by itself: its run has ended, or the wakeup was cancelled or skipped without one
--   succeeded      its run finished and did what was asked
--   needs_person   only a person helps: it is blocked or interrupted, or waits for a decision (then it is not settled yet)
-- Refuses what is not there (not_found), nobody (no_identity).
create or replace function office.settled(ref text)
returns table (settled boolean, succeeded boolean, needs_person boolean, result text)
language plpgsql stable parallel safe security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
#variable_conflict use_column
begin
  return query
    select
      case
        -- On its own, whatever became of the run that it had been in; or with the run.
        when f.kind = 'wakeup' and f.status in ('cancelled', 'skipped') then true
        when f.run is null then f.kind = 'wakeup' and f.status = 'finished'
        else s.ended
      end,
      f.outcome is not distinct from 'succeeded',
      coalesce(r.status in ('waiting', 'blocked', 'interrupted') and not (f.kind = 'wakeup' and f.status = 'cancelled'), false),
      f.result
    from office.result(ref) as f
    left join office.runs as r on r.number = substr(f.run, 2)::bigint
    left join office.run_states as s on s.status = r.status;
end
$$;

comment on function office.settled(text)
is 'Whether a wakeup, a run, or a task''s latest run has come to its end, well, or needs a person.';
