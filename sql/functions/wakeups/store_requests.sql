-- office_internal.store_requests: stores checked requests, each with its signal, in the caller's transaction (Q1, Q3).
-- A key that is there already gives the first row as duplicate: nothing is written, nobody is woken, nothing is aborted.
-- Locks nothing but the keys, in their order. Answers in the order of the requests.
create or replace function office_internal.store_requests(requests office.wakeups[])
returns table (ordinal integer, wakeup_id uuid, duplicate boolean)
language plpgsql volatile
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
#variable_conflict use_column
declare
  v_made uuid[];
begin
  with made as (
    insert into office.wakeups as w (
      id, workspace_id, agent_id, source, class, solo, addresses, task_id, routine_id, payload, idempotency_key, depth,
      account_id, attempt_id, requested_at
    )
    select
      r.id, r.workspace_id, r.agent_id, r.source, r.class, r.solo, r.addresses, r.task_id, r.routine_id, r.payload,
      r.idempotency_key, r.depth, r.account_id, r.attempt_id, r.requested_at
    from unnest(requests) with ordinality as r
    order by r.workspace_id, r.idempotency_key, r.ordinality
    on conflict (workspace_id, idempotency_key) where idempotency_key is not null do nothing
    returning w.id
  )
  select array_agg(made.id) into v_made from made;
  insert into office_internal.signals (workspace_id, kind, wakeup_id, account_id, attempt_id, depth)
  select r.workspace_id, 'wakeup', r.id, r.account_id, r.attempt_id, r.depth
  from unnest(requests) with ordinality as r
  join unnest(v_made) as m (id) on m.id = r.id
  order by r.ordinality;
  -- A new statement: the first row may have been committed while the insert waited for it.
  return query
    select
      r.ordinality::integer,
      coalesce(m.id, (
        select w.id from office.wakeups as w
        where w.workspace_id = r.workspace_id and w.idempotency_key = r.idempotency_key
      )),
      m.id is null
    from unnest(requests) with ordinality as r
    left join unnest(v_made) as m (id) on m.id = r.id
    order by r.ordinality;
end
$$;

comment on function office_internal.store_requests(office.wakeups[]) is 'Stores wakeups with their signals; duplicates give the first row.';
