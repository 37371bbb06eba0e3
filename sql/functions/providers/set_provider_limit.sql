-- office.set_provider_limit: at most so many requests at one provider account at once, in all workspaces (S6); null takes the limit away.
-- Lowered below what runs it stops nothing: no more are launched until fewer run. Answers what holds now. Refuses a name
-- that no executor could have, and limits out of range (invalid), others than operators (forbidden). Takes all gates, so that every
-- claim counts by it, then the account's shared row.
create or replace function office.set_provider_limit(provider text, max_requests integer)
returns table (limited_provider text, most integer, requests integer)
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_requests integer;
begin
  perform office_internal.need_operator();
  if not coalesce(office_internal.is_provider(set_provider_limit.provider), false) then
    perform office_internal.refuse(
      'invalid', 'A provider account is named by up to 100 letters, digits and ._:@/+-.', 'As anthropic:team.',
      jsonb_build_object('field', 'provider', 'given', set_provider_limit.provider)
    );
  end if;
  if set_provider_limit.max_requests not between 1 and 10000 then
    perform office_internal.refuse(
      'invalid', 'A limit is a whole number from 1 to 10000.', 'null takes it away.',
      jsonb_build_object('field', 'max_requests', 'given', set_provider_limit.max_requests)
    );
  end if;
  perform office_internal.take_gates(array(select g.workspace_id from office_internal.gates as g));
  insert into office_internal.shared (key) values ('provider:' || set_provider_limit.provider) on conflict (key) do nothing;
  perform from office_internal.shared as s where s.key = 'provider:' || set_provider_limit.provider for no key update;
  v_requests := office_internal.count_requests(set_provider_limit.provider);
  if set_provider_limit.max_requests is null then
    delete from office.provider_limits as l where l.provider = set_provider_limit.provider;
  else
    insert into office.provider_limits (provider, max_requests, excess, set_by, set_at)
    values (
      set_provider_limit.provider, set_provider_limit.max_requests, greatest(v_requests - set_provider_limit.max_requests, 0),
      office_internal.caller(), office.now()
    )
    on conflict on constraint provider_limits_pkey do update
    set max_requests = excluded.max_requests, excess = excluded.excess, set_by = excluded.set_by, set_at = excluded.set_at;
  end if;
  insert into office_internal.signals (workspace_id, kind)
  select g.workspace_id, 'look'
  from office_internal.gates as g
  where exists (
    select from office.runs as r where r.workspace_id = g.workspace_id and r.status = 'queued' and r.parked = 'provider'
  );
  return query select set_provider_limit.provider, set_provider_limit.max_requests, v_requests;
end
$$;

comment on function office.set_provider_limit(text, integer) is 'Most requests at a provider account at once; null: no limit.';
