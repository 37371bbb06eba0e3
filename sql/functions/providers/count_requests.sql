-- office_internal.count_requests: the runs that make requests at a provider account now, in all workspaces (S6): claimed, running and
-- stopping ones; one that waits for a person makes none. Exact for whoever holds the account's shared row (A6).
create or replace function office_internal.count_requests(provider text)
returns integer
language plpgsql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  return (
    select count(*)
    from office.runs as r
    join office.executors as x on x.id = r.executor_id
    where (r.status in ('claimed', 'running', 'waiting', 'stopping') or (r.status = 'queued' and r.answered_at is not null))
      and r.status in ('claimed', 'running', 'stopping')
      and x.provider = count_requests.provider
  );
end
$$;

comment on function office_internal.count_requests(text) is 'How many runs make requests at a provider account.';
