-- office_internal.clear_runs: the steps between picking and launching, for each of these queued runs (Q13.2 to Q13.6, Q13.8);
-- answers those that may launch. One that fails a step is settled there and then: its agent or task is no longer so, its
-- agent is idle, its task is locked, nothing can be launched for it, its budget is spent. The caller holds the gates.
create or replace function office_internal.clear_runs(run_ids uuid[])
returns uuid[]
language plpgsql volatile
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  -- The agent's row may say more than its lane does yet.
  perform office_internal.follow_agents(array(
    select distinct r.agent_id
    from office.runs as r
    join office.agents as a on a.id = r.agent_id
    where r.id = any(run_ids) and (a.status <> 'active' or a.deleted_at is not null)
  ));
  perform office_internal.settle_queued(run_ids);
  perform office_internal.settle_idle(run_ids);
  perform office_internal.settle_locked(run_ids);
  -- The dispatch has parked all else; a lock may have been taken since, by a run of this very claim.
  perform office_internal.park_runs(array(
    select r.id
    from office.runs as r
    join office.checkouts as c on c.task_id = r.task_id and c.checkout_run_id <> r.id
    where r.id = any(run_ids)
  ));
  perform office_internal.settle_unlaunchable(run_ids);
  perform office_internal.choose_executors(run_ids);
  return office_internal.admit_to_providers(office_internal.take_resources(office_internal.admit_to_budgets(array(
    select r.id
    from office.runs as r
    join office_internal.lanes as l on l.agent_id = r.agent_id and l.open
    where r.id = any(run_ids) and r.status is not distinct from 'queued' and r.parked is null
    order by r.requested_at, r.id
  ))));
end
$$;

comment on function office_internal.clear_runs(uuid[]) is 'Settles picked runs that must not launch; answers the rest.';
