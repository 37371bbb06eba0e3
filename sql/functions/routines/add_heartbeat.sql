-- office_internal.add_heartbeat: the ordinary routine by which who leads looks around every five minutes, made with the agent and never
-- again (R19). Its maker's agent stands, also when the routine cannot be made: answers whether it was.
create or replace function office_internal.add_heartbeat(agent office.agents)
returns boolean
language plpgsql volatile
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_name constant text := 'Coordinator heartbeat';
  v_id uuid;
begin
  insert into office.routines (workspace_id, name, description, assignee_agent_id, created_by_account_id)
  values (
    (agent).workspace_id,
    v_name || case when exists (
      select from office.routines as r
      where r.workspace_id = (agent).workspace_id and lower(r.name) = lower(v_name) and r.deleted_at is null
    ) then format(' (%s)', (agent).name) else '' end,
    'Wakes the coordinator every five minutes to look over the workspace, react to errors and budget signals, and decide what is next.',
    (agent).id, (agent).created_by_account_id
  )
  returning id into v_id;
  insert into office.routine_triggers (workspace_id, routine_id, kind, expression, timezone)
  values ((agent).workspace_id, v_id, 'schedule', '*/5 * * * *', 'UTC');
  return true;
exception
  when serialization_failure or deadlock_detected or lock_not_available or query_canceled or read_only_sql_transaction
    or admin_shutdown
  then
    raise;
  when others then
    perform office_internal.remember(
      (agent).workspace_id, 'heartbeat_not_made', jsonb_build_object('reason', sqlerrm), null, (agent).id
    );
    return false;
end
$$;

comment on function office_internal.add_heartbeat(office.agents) is 'Makes a coordinator''s heartbeat.';
