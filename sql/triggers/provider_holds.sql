-- Trigger of office.provider_holds: whoever ends a hold, moves it or frees its probe's place, in whichever way, lets those look again who
-- wait (Q25): by a signal where the limit was hit, which tells the others once this is committed (tell_waiting).

create or replace function office_internal.provider_holds_tell()
returns trigger
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  insert into office_internal.signals (workspace_id, kind, key)
  select
    -- The run may have left by retention: then any workspace will do.
    coalesce(
      (select r.workspace_id from office.runs as r where r.id = new.run_id),
      (select g.workspace_id from office_internal.gates as g order by g.workspace_id limit 1)
    ),
    'freed', 'provider:' || new.provider;
  return null;
end
$$;
comment on function office_internal.provider_holds_tell() is 'Tells who waits for a provider that its hold has changed.';

create or replace trigger provider_holds_tell
after update on office.provider_holds
for each row when (
  new.ended_at is not null and old.ended_at is null or new.until is distinct from old.until
  or new.probe_run_id is null and old.probe_run_id is not null
)
execute function office_internal.provider_holds_tell();
