-- office_internal.claim_in_gates: the launches of some workspaces, at most so many. The caller holds the gates and has
-- dispatched. Answered runs go on first, on the slots that they hold (S3). Then, in order of requested_at, then id, whatever the agent
-- (Q12), each turn of the loop picks the runs that there is room for, settles those that must not launch, and launches the rest,
-- until there is no room or no run.
-- Its plans are part of the contract (Q14): by index, row by row, whatever the statistics say or do not say yet.
create or replace function office_internal.claim_in_gates(workspace_ids uuid[], worker_id uuid, max_runs integer)
returns setof office_internal.launch
language plpgsql volatile
set search_path = pg_catalog, office, office_internal, pg_temp
set enable_seqscan = off
set jit = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
declare
  v_left integer := max_runs;
  v_picked uuid[];
  v_clear uuid[];
  v_got integer;
begin
  perform office_internal.rearm(workspace_ids, office_internal.wall_clock());
  update office_internal.gates as g
  set excess = least(g.excess, greatest(office_internal.count_active(g.workspace_id) - g.slots, 0))
  where g.workspace_id = any(workspace_ids) and g.excess > 0;
  v_picked := office_internal.pick_answered(workspace_ids);
  return query select * from office_internal.resume_launches(v_picked[:v_left], claim_in_gates.worker_id);
  get diagnostics v_got = row_count;
  perform office_internal.look_again(v_picked[v_left + 1:]);
  v_left := v_left - v_got;
  perform office_internal.note_extra_runs(workspace_ids);
  loop
    exit when exists (select from office_internal.gates as g where g.paused_with_all);
    v_picked := office_internal.pick_runs(workspace_ids);
    exit when cardinality(v_picked) = 0;
    v_clear := office_internal.clear_runs(v_picked[:v_left]);
    return query select * from office_internal.launch_runs(v_clear, claim_in_gates.worker_id);
    get diagnostics v_got = row_count;
    perform office_internal.look_again(v_picked[v_left + 1:]);
    -- Where all that was picked was launched, there was no more room, or no more to pick.
    exit when v_got = cardinality(v_picked) or v_got >= v_left;
    v_left := v_left - v_got;
  end loop;
  perform office_internal.note_extra_runs(workspace_ids);
  perform office_internal.set_due(workspace_ids);
end
$$;

comment on function office_internal.claim_in_gates(uuid[], uuid, integer) is 'Claims launches of workspaces whose gates are held.';
