-- office_internal.broken_off: how a run's last attempt ended, for one whose engine session goes on without a new wakeup (C2).
create or replace function office_internal.broken_off(run_id uuid)
returns text
language sql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
  select coalesce((
    select case
      when a.outcome in ('failed', 'blocked') then E'Your last attempt failed:\n\n' || office_internal.fence(left(a.error, 4000))
        || E'\n\nGo on where it ended. What was done before stands: do not do it again.'
      else 'You were stopped before you had ended. Go on where you were. What was done before stands: do not do it again.'
    end
    from office.attempts as a
    where a.run_id = broken_off.run_id and a.ended_at is not null
    order by a.number desc
    limit 1
  ), 'Go on where you were.')
$$;

comment on function office_internal.broken_off(uuid) is 'How a run''s last attempt ended, for its prompt.';
