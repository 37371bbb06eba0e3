-- office_internal.run_parkings: when a run was parked and is parked, and for what, in the words of its story. Past its time it waits for
-- somebody to look, and no longer for that.
create or replace function office_internal.run_parkings(run_id uuid, at timestamptz)
returns table (since timestamptz, until timestamptz, reason text)
language plpgsql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
#variable_conflict use_column
begin
  return query
    select
      p.since, p.until,
      case p.hold
        when 'retry' then 'for its retry'
        when 'window' then 'for wakes that come in bursts'
        when 'snooze' then 'for the end of its task''s snooze'
        when 'blocker' then 'for what blocks its task'
        when 'checkout' then 'for the lock of its task'
        else coalesce(p.reason, 'for its ' || p.hold)
      end
    from (
      select
        (v.detail ->> 'since')::timestamptz, least(v.at, (v.detail ->> 'due')::timestamptz), v.detail ->> 'hold', v.detail ->> 'reason'
      from office.activity as v
      where v.run_id = run_parkings.run_id and v.kind = 'run_waited'
      union all
      select r.parked_at, least(run_parkings.at, r.due_at), r.parked, r.parked_detail
      from office.runs as r
      where r.id = run_parkings.run_id and r.parked is not null
    ) as p (since, until, hold, reason)
    where p.until > p.since;
end
$$;

comment on function office_internal.run_parkings(uuid, timestamptz) is 'When a run was parked, and for what.';
