-- office.claim_runs: the launches that a worker may make now, one row each with all that a launcher needs, and a last row
-- that says when to ask again (Q11). The only way from queued towards a launch. Any number of workers call it at once: no
-- two get the same run, no limit is exceeded.
-- Refuses unknown or expired workers (not_found, worker_expired), draining ones (worker_draining), other isolations than
-- READ COMMITTED (isolation), and answers schema_changed while a deploy is under way.
-- Takes the gates of the workspaces with signals or timers due, those that are free; when all were busy it waits for one, unless another
-- claim waits for that already, and does what there is to do: then it says to ask again in a moment. It looks once: signals that it
-- leaves itself are for after its commit, and where more are left than one look reads it says to ask again now.
--
-- Signals are read from a low-water mark on (A15): set to the least transaction that may still leave one, in a sequence,
-- so that no dead rows pile up at the index's head. A mark above the snapshot's own (a restored dump) counts as 0.
create or replace function office.claim_runs(worker_id uuid, max_runs integer default 1)
returns table (
  run_id uuid, run text, attempt_id uuid, attempt_number integer, workspace_id uuid, workspace text, agent_id uuid,
  agent text, task_id uuid, task text, reason text, prompt text, executor jsonb, engine_session text, environment jsonb,
  folder text, limits jsonb, resume boolean, answer jsonb, token text, next_due_at timestamptz,
  launch integer, steps integer, worktree jsonb
)
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
as $$
#variable_conflict use_column
declare
  v_in_line constant integer := 1869901673;  -- the advisory locks of claims that wait for a gate
  v_worker office.workers;
  v_max integer := least(coalesce(claim_runs.max_runs, 0), 1000);
  v_left integer := v_max;
  v_xmin xid8 := pg_snapshot_xmin(pg_current_snapshot());
  v_mark xid8;
  v_oldest xid8;
  v_gates uuid[];
  v_looked integer;
  v_some integer;
  v_held uuid[];
  v_holds boolean := false;
  v_behind boolean := false;
  v_got integer;
begin
  perform office_internal.need_read_committed();
  v_worker := office_internal.need_worker(claim_runs.worker_id);
  if exists (select from office_internal.deployment as d where d.migrating or d.version <> v_worker.version) then
    perform office_internal.refuse(
      'schema_changed', 'A deploy is under way, or has brought another version than this worker''s.',
      'Ask again in a moment; then restart the worker with the version that is deployed.'
    );
  end if;
  if v_worker.draining then
    perform office_internal.refuse('worker_draining', 'This worker shuts down.', 'Register a new one.');
  end if;
  select m.last_value::text::xid8 into v_mark from office_internal.signal_mark as m;
  if v_mark > v_xmin then
    v_mark := '0';
  end if;
  -- In steps, so that not every claim writes the sequence. Not in a transaction that has written: signals that it has consumed come
  -- back when it rolls back, and the sequence does not.
  v_oldest := least((select q.xid from office_internal.signals as q where q.xid >= v_mark order by q.xid limit 1), v_xmin);
  if v_oldest::text::bigint > v_mark::text::bigint + 40 and pg_current_xact_id_if_assigned() is null then
    perform setval('office_internal.signal_mark', v_oldest::text::bigint);
  end if;
  for v_pass in 1..3 loop
    exit when v_left <= 0;
    v_gates := office_internal.gates_to_look_at(v_mark, v_left, v_worker.only_workspace_id);
    exit when cardinality(v_gates) = 0;
    -- The first pass never waits. When it found every gate busy, the second looks past all their signals, and the third
    -- waits for one.
    if v_pass = 2 then
      v_gates := v_gates || array(
        select g.workspace_id
        from office_internal.gates as g
        where g.workspace_id <> all(v_gates)
          and (v_worker.only_workspace_id is null or g.workspace_id = v_worker.only_workspace_id)
          and exists (select from office_internal.signals as s where s.workspace_id = g.workspace_id and s.xid >= v_mark)
        limit 64
      );
    elsif v_pass = 3 then
      -- One claim at most stands in line for a gate: whoever starts and ends runs there would have to wait behind them all.
      v_behind := not pg_try_advisory_xact_lock(
        v_in_line, (select g.number from office_internal.gates as g where g.workspace_id = v_gates[1])::integer
      );
      exit when v_behind;
      perform from office_internal.gates as g where g.workspace_id = v_gates[1] for no key update;
    end if;
    -- Some at a time: as many as it takes for what is asked for, by what a gate has given so far, and no more gates are held than that.
    -- A last few of many are not worth another look: they are had by asking again.
    v_looked := 0;
    while cardinality(v_gates) > 0 and v_left > v_max / 16 loop
      v_some := least(256, case when v_looked = 0 then (v_left + 2) / 3 else v_left * v_looked / greatest(v_max - v_left, 1) + 1 end);
      v_held := array(
        select g.workspace_id
        from office_internal.gates as g
        where g.workspace_id = any(v_gates[1:v_some])
        order by g.workspace_id
        for no key update skip locked
      );
      v_gates := v_gates[v_some + 1:];
      continue when cardinality(v_held) = 0;
      v_looked := v_looked + cardinality(v_held);
      if not v_holds then
        -- Whoever ends this worker waits for this claim, or this claim for him: a worker that has ended claims nothing.
        perform from office.workers as w where w.id = claim_runs.worker_id for share;
        v_worker := office_internal.need_worker(claim_runs.worker_id);
        v_holds := true;
      end if;
      perform office_internal.note_gates();
      -- What it dispatches is to be in proportion to what it claims: a backlog is worked off by many claims.
      perform office_internal.dispatch_gates(v_held, v_mark, least(greatest(4 * v_left / cardinality(v_held), 32), 500));
      return query select * from office_internal.claim_in_gates(v_held, claim_runs.worker_id, v_left);
      get diagnostics v_got = row_count;
      v_left := v_left - v_got;
    end loop;
    exit when v_holds;
  end loop;
  next_due_at := (
    select least(
      (
        select min(g.due_at)
        from office_internal.gates as g
        where g.due_at is not null and (v_worker.only_workspace_id is null or g.workspace_id = v_worker.only_workspace_id)
      ),
      (select office_internal.wall_clock() + case when v_behind then interval '50 milliseconds' else '0' end where exists (
        select from office_internal.signals as s
        where s.xid >= v_mark and (v_worker.only_workspace_id is null or s.workspace_id = v_worker.only_workspace_id)
      ))
    )
  );
  return next;
end
$$;

comment on function office.claim_runs(uuid, integer)
is 'Claims up to max_runs launches for a worker; the last row has run_id null and says when to ask again.';
