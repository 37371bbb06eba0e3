-- office.dispatch: turns what was committed into what it entails, now: wakes become runs or merge, settled work is settled
-- (Q4, A6). Every claim does so first; this is for the ticker and for people. Without a workspace: all that have signals and
-- that the caller sees; for a worker's login, which needs no account for it, all. Answers how many signals it took. The next
-- claim looks at what it has made ready.
-- Takes the gates; those that are busy are left to whoever holds them, unless one workspace was named. READ COMMITTED only.
create or replace function office.dispatch(workspace text default null)
returns integer
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
as $$
declare
  v_gate uuid;
  v_taken integer := 0;
  v_worker boolean := office_internal.is_worker_login();
begin
  perform office_internal.need_read_committed();
  if workspace is not null then
    v_gate := office_internal.find_workspace(workspace);
    perform office_internal.take_gates(array[v_gate]);
    return office_internal.dispatch_aside(v_gate);
  end if;
  for v_gate in
    select g.workspace_id
    from office_internal.gates as g
    where (v_worker or g.workspace_id in (select office.visible_workspaces()))
      and exists (select from office_internal.signals as s where s.workspace_id = g.workspace_id and s.kind <> 'look')
    order by g.workspace_id
    for no key update skip locked
  loop
    perform office_internal.note_gates();
    v_taken := v_taken + office_internal.dispatch_aside(v_gate);
  end loop;
  return v_taken;
end
$$;

comment on function office.dispatch(text) is 'Dispatches what was committed: wakes become runs. Claims do it by themselves.';
