-- office_internal.try_again: queues interrupted, failed and blocked runs again, as an account wishes (P4); others are passed over. What
-- each froze is kept, unless anew: then it launches what its task and agent name today. Answers those that were queued, or joined
-- another run of their scope. The caller holds the gates.
create or replace function office_internal.try_again(run_ids uuid[], account_id uuid, anew boolean default false)
returns uuid[]
language plpgsql volatile
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_ids uuid[];
begin
  with queued as (
    update office.runs as r
    set status = 'queued',
      executor_id = case
        when try_again.anew then (select x.executor_id from office_internal.usual_executor(r.agent_id, r.task_id) as x)
        else r.executor_id
      end
    where r.id = any(run_ids) and r.status in ('interrupted', 'failed', 'blocked')
    returning r.id, r.workspace_id, r.agent_id, r.task_id
  ),
  noted as (
    insert into office.activity (workspace_id, kind, account_id, agent_id, task_id, run_id)
    select q.workspace_id, 'run_retried', try_again.account_id, q.agent_id, q.task_id, q.id from queued as q
  ),
  told as (
    insert into office_internal.signals (workspace_id, kind) select distinct q.workspace_id, 'look' from queued as q
  )
  select array_agg(q.id order by q.id) into v_ids from queued as q;
  if anew then
    perform office_internal.keep_choices(v_ids);
  end if;
  perform office_internal.settle_queued(v_ids);
  perform office_internal.park_runs(v_ids);
  return coalesce(v_ids, '{}');
end
$$;

comment on function office_internal.try_again(uuid[], uuid, boolean) is 'Queues runs again that failed, are blocked or were interrupted.';
