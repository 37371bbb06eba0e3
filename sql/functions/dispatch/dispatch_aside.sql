-- office_internal.dispatch_aside: the dispatch of one workspace by somebody who does not claim. The claim looks only where a signal or a
-- timer says so (A15): what was taken leaves one behind for it. Where nothing but that is left there is nothing to do.
-- The caller holds the gate. Answers how many signals were taken.
create or replace function office_internal.dispatch_aside(workspace_id uuid)
returns integer
language plpgsql volatile
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_taken integer;
begin
  if not exists (
    select from office_internal.signals as s where s.workspace_id = dispatch_aside.workspace_id and s.kind <> 'look'
  ) then
    return 0;
  end if;
  v_taken := office_internal.dispatch_gates(array[dispatch_aside.workspace_id], '0');
  insert into office_internal.signals (workspace_id, kind) values (dispatch_aside.workspace_id, 'look');
  return v_taken;
end
$$;

comment on function office_internal.dispatch_aside(uuid) is 'Dispatches a workspace without claiming, and leaves a signal to claim.';
