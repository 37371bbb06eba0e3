-- office_internal.read_request: a request to wake, checked and completed, as the row that it will be.
-- Refuses what read_payload refuses, unknown agents (not_found), keys that only the system makes (reserved_key), an
-- agent that wakes another than itself (forbidden).
create or replace function office_internal.read_request(
  agent text,
  source text,
  payload jsonb,
  idempotency_key text,
  workspace text
)
returns office.wakeups
language plpgsql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_me record;
  v_wakeup office.wakeups;
begin
  perform office_internal.caller();
  select * into v_me from office_internal.doer();
  v_wakeup.agent_id := office_internal.find_agent(
    coalesce(agent, ''), case when workspace is not null then office_internal.find_workspace(workspace) end
  );
  select a.workspace_id into v_wakeup.workspace_id from office.agents as a where a.id = v_wakeup.agent_id;
  v_wakeup.payload := office_internal.read_payload(source, payload, v_wakeup.workspace_id);
  if v_me.agent_id is not null and (v_me.agent_id <> v_wakeup.agent_id or source <> 'self') then
    perform office_internal.refuse(
      'forbidden', 'From inside a run an agent wakes itself only.', 'Source "self"; for others make a task or mention them.'
    );
  end if;
  -- The dispatch makes these keys under the gate; a caller's open transaction on one of them would make it wait.
  if split_part(idempotency_key, ':', 1) = any(array(
    select s.source from office.wakeup_sources as s where s.source not in ('self', 'user', 'message')
  )) and position(':' in idempotency_key) > 0 then
    perform office_internal.refuse(
      'reserved_key', format('Keys like "%s" are made by the office only.', idempotency_key), 'Begin it with a word of your own.',
      jsonb_build_object('field', 'idempotency_key', 'given', idempotency_key)
    );
  end if;
  if length(idempotency_key) not between 1 and 500 then
    perform office_internal.refuse(
      'invalid', 'An idempotency key has 1 to 500 characters.', 'Give none, or a shorter one.',
      jsonb_build_object('field', 'idempotency_key')
    );
  end if;
  v_wakeup.id := office.uuid7();
  v_wakeup.source := source;
  v_wakeup.idempotency_key := idempotency_key;
  v_wakeup.task_id := (v_wakeup.payload ->> 'task_id')::uuid;
  if source = 'message' then
    v_wakeup.task_id := office_internal.task_of_message(v_wakeup);
  end if;
  v_wakeup.routine_id := (v_wakeup.payload ->> 'routine_id')::uuid;
  v_wakeup.addresses := office_internal.addressed_as(source, v_wakeup.payload, v_wakeup.agent_id, v_wakeup.task_id);
  select
    s.solo,
    case when read_request.source = 'routine' and v_wakeup.task_id is null and coalesce(v_wakeup.payload ->> 'fire', 'cron') = 'cron'
      then 'periodic' else s.class end
  into v_wakeup.solo, v_wakeup.class
  from office.wakeup_sources as s
  where s.source = read_request.source;
  v_wakeup.depth := v_me.depth;
  v_wakeup.account_id := v_me.account_id;
  v_wakeup.attempt_id := v_me.attempt_id;
  v_wakeup.status := 'queued';
  v_wakeup.requested_at := office.now();
  return v_wakeup;
end
$$;

comment on function office_internal.read_request(text, text, jsonb, text, text) is 'A request to wake as the row that it will be.';
