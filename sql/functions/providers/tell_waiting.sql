-- office_internal.tell_waiting: a provider account has room again, or its hold has changed: the workspaces where somebody waits for
-- a provider look again. Called by the dispatch, for signals that were left when that happened and are committed by now. It takes no lock.
create or replace function office_internal.tell_waiting(signals office_internal.signals[])
returns void
language plpgsql volatile
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  if exists (select from unnest(signals) as s where s.kind = 'freed' and s.key like 'provider:%') then
    insert into office_internal.signals (workspace_id, kind)
    select g.workspace_id, 'look'
    from office_internal.gates as g
    where exists (
      select from office.runs as r where r.workspace_id = g.workspace_id and r.status = 'queued' and r.parked = 'provider'
    );
  end if;
end
$$;

comment on function office_internal.tell_waiting(office_internal.signals[]) is 'Lets those look again who wait for a provider.';
