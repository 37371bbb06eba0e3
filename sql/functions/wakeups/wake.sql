-- office.wake: asks for an agent to be woken (Q1). Everything that wakes goes through here or through the dispatch.
-- In the caller's transaction: it commits and rolls back with the caller's own data. Refuses what is unknown, missing or
-- mistyped (PT404, PT422), naming it; writes nothing then. Takes no gate and locks nothing but its key.
create or replace function office.wake(
  agent text,
  source text default 'user',
  payload jsonb default '{}',
  idempotency_key text default null,
  workspace text default null
)
returns table (wakeup_id uuid, duplicate boolean)
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
as $$
begin
  return query
    select s.wakeup_id, s.duplicate
    from office_internal.store_requests(
      array[office_internal.read_request(wake.agent, wake.source, wake.payload, wake.idempotency_key, wake.workspace)]
    ) as s;
end
$$;

comment on function office.wake(text, text, jsonb, text, text)
is 'Asks for an agent to be woken; the dispatch, right after the commit, decides what becomes of it (office.result).';
