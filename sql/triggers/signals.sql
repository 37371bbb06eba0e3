-- Trigger of office_internal.signals: one notification a statement, and Postgres makes it one a transaction (A9, Q15).
-- It carries nothing that matters; who misses it polls.

create or replace function office_internal.signals_announce()
returns trigger
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  perform pg_notify('office_work', '');
  return null;
end
$$;
comment on function office_internal.signals_announce() is 'Tells waiting workers that there is something to dispatch.';

create or replace trigger signals_announce
after insert on office_internal.signals
for each statement execute function office_internal.signals_announce();
