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
  v_nth bigint;
  v_request jsonb;
  v_requests office.wakeups[];
  v_detail text;
  v_hint text;
begin
  perform office_internal.caller();
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
  begin
    for v_nth, v_request in select e.nth, e.request from jsonb_array_elements(requests) with ordinality as e (request, nth) loop
      v_requests[v_nth] := office_internal.read_request(
        v_request ->> 'agent', coalesce(v_request ->> 'source', 'user'), coalesce(v_request -> 'payload', '{}'),
        v_request ->> 'idempotency_key', v_request ->> 'workspace'
      );
    end loop;
  exception when others then
    get stacked diagnostics v_detail = pg_exception_detail, v_hint = pg_exception_hint;
    if sqlstate not like 'PT%' then
      raise;
    end if;
    raise exception using
      errcode = sqlstate, message = format('Request %s: %s', v_nth, sqlerrm), hint = v_hint,
      detail = (v_detail::jsonb || jsonb_build_object('element', v_nth))::text;
  end;
  return query select s.ordinal, s.wakeup_id, s.duplicate from office_internal.store_requests(v_requests) as s;
end
$$;

comment on function office.wake_many(jsonb)
is 'Asks for many wakes at once: an array of {agent, source, payload, idempotency_key, workspace}.';
