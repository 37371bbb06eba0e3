-- office.record_cost: what an attempt's program used (B1, E2): [{"usage_event_id": "…", "model": "…", "tokens_in": 1200,
-- "tokens_cached_read": 0, "tokens_cached_write": 0, "tokens_out": 80, "cost_cents": 1.25, "account": "included"}, …]. All but the
-- id may be left out; what is left out is unknown. A cost that is not reported is estimated from office.model_prices, or unknown. An
-- event that is there already counts once, whoever sends it again: its row is answered, as a duplicate. Late events of an
-- attempt that has ended count too: the money is spent. Totals, alerts, pauses and stops are the ledger's triggers', in the same
-- transaction. Answers a row an event, in the order given.
-- Refuses malformed events (invalid, unknown_field), an unknown attempt (not_found). Takes the attempt's gate.
create or replace function office.record_cost(attempt_id uuid, events jsonb)
returns table (usage_event_id text, duplicate boolean, cost_cents numeric, cost_source text)
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
as $$
#variable_conflict use_column
declare
  v_attempt record;
  v_field text;
  v_new uuid[];
begin
  perform office_internal.check_array('events', events);
  select a.id, a.workspace_id, a.run_id into v_attempt from office.attempts as a where a.id = record_cost.attempt_id;
  if v_attempt.id is null then
    perform office_internal.refuse(
      'not_found', 'There is no such attempt.', 'As office.claim_runs answered it: attempt_id.', jsonb_build_object('noun', 'attempt')
    );
  end if;
  v_field := office_internal.wrong_usage_field(events);
  if v_field is not null then
    perform office_internal.refuse(
      'invalid', format('A usage event''s %s cannot be that.', v_field),
      'usage_event_id (1 to 200 characters), model (text), tokens_in, tokens_cached_read, tokens_cached_write, tokens_out (whole numbers '
      || 'from 0), cost_cents (from 0 to 100000000), account (included or personal).',
      jsonb_build_object('field', 'events.' || v_field)
    );
  end if;
  perform office_internal.take_gates(array[v_attempt.workspace_id]);
  with made as (
    insert into office.usage_events (
      workspace_id, usage_event_id, at, attempt_id, model, tokens_in, tokens_cached_read, tokens_cached_write, tokens_out, cost_cents,
      account
    )
    select
      v_attempt.workspace_id, e.item ->> 'usage_event_id', office_internal.wall_clock(), v_attempt.id, e.item ->> 'model',
      (e.item ->> 'tokens_in')::numeric::bigint, (e.item ->> 'tokens_cached_read')::numeric::bigint,
      (e.item ->> 'tokens_cached_write')::numeric::bigint, (e.item ->> 'tokens_out')::numeric::bigint,
      (e.item ->> 'cost_cents')::numeric, e.item ->> 'account'
    from jsonb_array_elements(events) with ordinality as e (item, nth)
    order by e.nth
    on conflict (workspace_id, usage_event_id) do nothing
    returning id
  )
  select array_agg(made.id) into v_new from made;
  return query
    select
      u.usage_event_id,
      not u.id = any(coalesce(v_new, '{}')) or row_number() over (partition by u.id order by e.nth) > 1,
      u.cost_cents::numeric, u.cost_source
    from jsonb_array_elements(events) with ordinality as e (item, nth)
    join office.usage_events as u on u.workspace_id = v_attempt.workspace_id and u.usage_event_id = e.item ->> 'usage_event_id'
    order by e.nth;
end
$$;

comment on function office.record_cost(uuid, jsonb)
is 'Records what an attempt used: an array of {usage_event_id, model, tokens_…, cost_cents}; each event counts once.';

-- office_internal.wrong_usage_field: the first field of these usage events that is unknown, or has a value that cannot be; null: none.
create or replace function office_internal.wrong_usage_field(events jsonb)
returns text
language plpgsql immutable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  return (
    select f.key
    from jsonb_array_elements(events) with ordinality as e (item, nth)
    cross join lateral (
      select 'usage_event_id' as key, e.item -> 'usage_event_id' as value
      union all
      select o.key, o.value from jsonb_each(e.item) as o (key, value) where o.key <> 'usage_event_id'
    ) as f
    where case
      when f.key = 'usage_event_id'
        then jsonb_typeof(f.value) is distinct from 'string' or length(f.value #>> '{}') not between 1 and 200
      when f.key not in ('model', 'tokens_in', 'tokens_cached_read', 'tokens_cached_write', 'tokens_out', 'cost_cents', 'account') then true
      when jsonb_typeof(f.value) = 'null' then false
      when f.key = 'model' then jsonb_typeof(f.value) <> 'string' or length(f.value #>> '{}') not between 1 and 200
      when f.key = 'account' then f.value #>> '{}' not in ('included', 'personal')
      when jsonb_typeof(f.value) <> 'number' then true
      when f.key = 'cost_cents' then (f.value #>> '{}')::numeric not between 0 and 100000000
      else (f.value #>> '{}')::numeric not between 0 and 1000000000000000 or (f.value #>> '{}')::numeric % 1 <> 0
    end
    order by e.nth, f.key
    limit 1
  );
end
$$;

comment on function office_internal.wrong_usage_field(jsonb) is 'The first field of usage events that cannot be so.';
