-- office_internal.run_estimate: what a run of an agent is expected to cost: the mean of its last ten runs, as far as their cost is known,
-- else what the budget says (B2).
create or replace function office_internal.run_estimate(agent_id uuid, otherwise numeric)
returns numeric
language plpgsql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  return coalesce(
    (
      select round(avg(c.cost), 6)
      from (
        select r.id
        from office.runs as r
        where r.agent_id = run_estimate.agent_id and r.claimed_at is not null and r.ended_at is not null
        order by r.claimed_at desc
        limit 10
      ) as l
      cross join lateral (
        select sum(u.cost_cents) as cost
        from office.attempts as a
        join office.usage_events as u on u.attempt_id = a.id
        where a.run_id = l.id
        having count(*) = count(u.cost_cents)
      ) as c
    ),
    run_estimate.otherwise
  );
end
$$;

comment on function office_internal.run_estimate(uuid, numeric) is 'What a run of an agent is expected to cost.';
