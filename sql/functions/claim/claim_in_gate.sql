-- office_internal.claim_in_gate: the launches of one workspace, at most so many. The caller holds the gate and has
-- dispatched. Order: requested_at, then id, whatever the agent (Q12). Each turn of the loop picks as many runs as there is
-- room for, settles those that must not launch, and launches the rest, until there is no room or no run.
-- Its plans are part of the contract (Q14): by index, row by row, whatever the statistics say or do not say yet.
create or replace function office_internal.claim_in_gate(workspace_id uuid, worker_id uuid, max_runs integer)
returns setof office_internal.launch
language plpgsql volatile
set search_path = pg_catalog, office, office_internal, pg_temp
set enable_seqscan = off
set jit = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
declare
  v_now timestamptz := office_internal.wall_clock();
  v_gate office_internal.gates;
  v_left integer := max_runs;
  v_room integer;
  v_ids uuid[];
  v_got integer;
begin
  perform office_internal.rearm(claim_in_gate.workspace_id, v_now);
  select g.* into v_gate from office_internal.gates as g where g.workspace_id = claim_in_gate.workspace_id;
  if v_gate.excess > 0 then
    update office_internal.gates as g
    set excess = least(g.excess, greatest(office_internal.count_active(g.workspace_id) - g.slots, 0))
    where g.workspace_id = claim_in_gate.workspace_id;
  end if;
  -- Answered runs first, on the slots that they hold (S3).
  v_ids := office_internal.pick_answered(array[claim_in_gate.workspace_id]);
  if cardinality(v_ids) > v_left then
    insert into office_internal.signals (workspace_id, kind) values (claim_in_gate.workspace_id, 'look');
  end if;
  return query select * from office_internal.resume_launches(v_ids[:v_left], claim_in_gate.worker_id);
  get diagnostics v_got = row_count;
  v_left := v_left - v_got;
  perform office_internal.note_extra_runs(array[claim_in_gate.workspace_id]);
  loop
    v_room := (select f.free from office_internal.free_slots(array[claim_in_gate.workspace_id]) as f);
    exit when v_gate.paused or v_room <= 0 or exists (select from office_internal.gates as g where g.paused_with_all);
    v_ids := office_internal.pick_runs(claim_in_gate.workspace_id, least(v_room, greatest(v_left, 1)));
    exit when cardinality(v_ids) = 0;
    if v_left <= 0 then
      -- Somebody else's, or the next call's: a fresh signal, never a rewrite of a row at an index's head.
      insert into office_internal.signals (workspace_id, kind) values (claim_in_gate.workspace_id, 'look');
      exit;
    end if;
    v_ids := office_internal.clear_runs(v_ids);
    continue when cardinality(v_ids) = 0;
    return query select * from office_internal.launch_runs(v_ids, claim_in_gate.worker_id);
    get diagnostics v_got = row_count;
    v_left := v_left - v_got;
  end loop;
  perform office_internal.note_extra_runs(array[claim_in_gate.workspace_id]);
  perform office_internal.set_due(claim_in_gate.workspace_id);
end
$$;

comment on function office_internal.claim_in_gate(uuid, uuid, integer) is 'Claims launches of a workspace whose gate is held.';
