-- office.wake_many: many wakes at once, all or none: [{"agent": …, "source": …, "payload": {…}, "idempotency_key": …,
-- "workspace": …}, …]. Refuses as wake does, naming the element. Takes no gate; keys are locked in their order (Q3).
create or replace function office.wake_many(requests jsonb)
returns table (ordinal integer, wakeup_id uuid, duplicate boolean)
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
as $$
declare
  v_unknown text;
begin
  perform office_internal.check_array('requests', requests);
  select k.key into v_unknown
  from jsonb_array_elements(requests) as e (request), jsonb_object_keys(e.request) as k (key)
  where k.key not in ('agent', 'source', 'payload', 'idempotency_key', 'workspace')
  limit 1;
  if v_unknown is not null then
    perform office_internal.refuse(
      'unknown_field', format('A request has no field "%s".', v_unknown), 'Fields: agent, source, payload, idempotency_key, workspace.',
      jsonb_build_object('field', v_unknown)
    );
  end if;
  return query
    select s.ordinal, s.wakeup_id, s.duplicate
    from office_internal.store_requests(array(
      select office_internal.read_request(
        e.request ->> 'agent', coalesce(e.request ->> 'source', 'user'), coalesce(e.request -> 'payload', '{}'),
        e.request ->> 'idempotency_key', e.request ->> 'workspace'
      )
      from jsonb_array_elements(requests) with ordinality as e (request, ordinal)
      order by e.ordinal
    )) as s;
end
$$;

comment on function office.wake_many(jsonb) is 'Asks for many wakes at once: an array of {agent, source, payload, idempotency_key, workspace}.';
