-- office_internal.provider_refusals: what stands between these executors and a launch at their provider accounts now (Q25, S6), at most
-- one row an executor: the hold of the account or of its model, until then or while one run tries it; every place in use. The
-- claim asks this, and so does whoever explains. What is to lift it comes with it; model is set when only that model is held.
create or replace function office_internal.provider_refusals(executor_ids uuid[], at timestamptz)
returns table (executor_id uuid, until timestamptz, detail text, lift text, model text)
language plpgsql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
#variable_conflict use_column
begin
  return query
    select x.id, v.until, v.detail, v.lift, v.model
    from office.executors as x
    cross join lateral (
      select
        1 as rank,
        case when h.until > provider_refusals.at then h.until end as until,
        format('Provider %s%s is on hold', h.provider, ', model ' || h.model) || case
          when h.until > provider_refusals.at
            then format(' until %s UTC: %s', to_char(h.until at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS'), h.reason)
          else ': one run tries whether its limit has reset'
        end as detail,
        format('select * from office.end_hold(%L%s);', h.provider, ', ' || quote_literal(h.model)) as lift,
        h.model
      from office.provider_holds as h
      where h.ended_at is null and h.provider = x.provider and (h.model is null or h.model = x.model)
        and (h.until > provider_refusals.at or office_internal.is_probing(h.probe_run_id))
      union all
      select
        2, null, format('Provider %s has %s of %s requests going', l.provider, c.requests, l.max_requests),
        format('select * from office.set_provider_limit(%L, %s);', l.provider, c.requests + 1), null
      from office.provider_limits as l
      cross join lateral (select office_internal.count_requests(l.provider) as requests) as c
      where l.provider = x.provider and c.requests >= l.max_requests
      order by rank, until desc nulls last
      limit 1
    ) as v
    where x.id = any(executor_ids) and x.provider is not null;
end
$$;

comment on function office_internal.provider_refusals(uuid[], timestamptz) is 'What executors'' provider accounts refuse now, and why.';
