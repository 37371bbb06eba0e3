-- office_internal.fire: one fire of an active routine, whose row the caller has locked (R12 to R16): a routine run, and with it a task, a
-- wakeup, or neither. Refuses values that its variables cannot have (bad_variables), and what making its task would. Takes no gate: what
-- becomes of it is decided by the dispatch. A slot or a request key that has fired is answered with nothing: null.
create or replace function office_internal.fire(
  routine office.routines,
  fired_by office.routine_triggers,
  source text,
  fired_at timestamptz,
  slot timestamptz default null,
  given jsonb default '{}',
  body jsonb default null,
  request_key text default null,
  missed_ticks integer default null,
  missed_since timestamptz default null,
  account_id uuid default null
)
returns office.routine_runs
language plpgsql volatile
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_run office.routine_runs;
  v_active office.routine_runs;
  v_wakeup office.wakeups;
  v_template jsonb := (routine).task_template;
  v_heavy boolean := (routine).task_template <> '{}';
  v_values jsonb := '{}'::jsonb;
begin
  if (routine).variables <> '{}' or given <> '{}' then
    v_values := office_internal.resolve_variables((routine).variables, given, fire.source = 'webhook');
  end if;
  v_run.id := office.uuid7();
  v_run.workspace_id := (routine).workspace_id;
  v_run.routine_id := (routine).id;
  v_run.trigger_id := (fired_by).id;
  v_run.source := fire.source;
  v_run.slot := fire.slot;
  v_run.body := fire.body;
  v_run.request_key := fire.request_key;
  v_run.missed_ticks := fire.missed_ticks;
  v_run.missed_since := fire.missed_since;
  v_run.fired_at := fire.fired_at;
  -- The clock's own values stay out of it: a title with the time in it must not make every fire another (R13).
  v_run.dispatch_fingerprint := sha256(convert_to(jsonb_build_array(
    case
      when not v_heavy then null
      when v_values = '{}' then v_template || jsonb_build_object('title', v_template -> 'title', 'description', v_template -> 'description')
      else v_template || jsonb_build_object(
        'title', office_internal.fill_in(v_template ->> 'title', v_values),
        'description', office_internal.fill_in(v_template ->> 'description', v_values)
      )
    end,
    case when not v_heavy then office_internal.fill_in((routine).description, v_values) end,
    (routine).assignee_agent_id
  )::text, 'UTF8'));
  v_values := office_internal.clock_variables(fire.fired_at, coalesce((fired_by).timezone, 'UTC')) || v_values;
  v_run.trigger_payload := v_values;
  if (routine).concurrency_policy <> 'always_enqueue' then
    v_active := office_internal.active_fire((routine).id, v_run.dispatch_fingerprint);
  end if;

  if v_active.id is not null and (routine).concurrency_policy = 'skip_if_active' then
    v_run.status := 'skipped';
    v_run.ended_at := fire.fired_at;
  elsif v_active.id is not null and v_heavy then
    v_run.status := 'coalesced';
    v_run.ended_at := fire.fired_at;
    v_run.coalesced_into_run_id := v_active.id;
    v_run.linked_task_id := v_active.linked_task_id;
  elsif v_heavy then
    v_run.status := 'task_created';
    insert into office.tasks (
      workspace_id, project_id, workflow_id, title, description, state, priority, assignee_agent_id, requires_approval, source_ref,
      created_by_account_id
    )
    select
      (routine).workspace_id, (v_template ->> 'project')::uuid, s.routine_workflow_id,
      left(office_internal.fill_in(v_template ->> 'title', v_values), 200),
      coalesce(office_internal.fill_in(v_template ->> 'description', v_values), ''), 'in_progress',
      coalesce(v_template ->> 'priority', 'medium'), (routine).assignee_agent_id,
      coalesce((v_template ->> 'requires_approval')::boolean, false), 'routine:' || (routine).id, fire.account_id
    from office.workspaces as s
    where s.id = (routine).workspace_id
    returning id into v_run.linked_task_id;
  else
    v_run.status := 'received';
  end if;

  -- A wakeup of its own: to the agent without a task, or into the run of the task that is there.
  if v_run.status = 'received' or v_run.coalesced_into_run_id is not null then
    v_wakeup.id := office.uuid7();
    v_wakeup.workspace_id := (routine).workspace_id;
    v_wakeup.agent_id := (routine).assignee_agent_id;
    v_wakeup.source := 'routine';
    v_wakeup.class := case when fire.source = 'cron' and v_run.linked_task_id is null then 'periodic' else 'event' end;
    v_wakeup.solo := (routine).concurrency_policy = 'always_enqueue';
    v_wakeup.addresses := case when v_run.linked_task_id is null then 'nobody' else 'assignee' end;
    v_wakeup.task_id := v_run.linked_task_id;
    v_wakeup.routine_id := (routine).id;
    v_wakeup.payload := jsonb_strip_nulls(jsonb_build_object(
      'routine_id', (routine).id, 'trigger_id', (fired_by).id, 'fire', fire.source, 'variables', v_values,
      'missed_ticks', fire.missed_ticks,
      'missed_since', to_char(timezone('UTC', fire.missed_since), 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), 'task_id', v_run.linked_task_id
    ));
    v_wakeup.idempotency_key := case
      when fire.slot is not null
        then format('routine:%s:%s:%s', (routine).id, (fired_by).id, floor(extract(epoch from fire.slot) / 60)::bigint)
      else format('routine:%s:%s:%s', (routine).id, fire.source, coalesce(fire.request_key, v_run.id::text))
    end;
    v_wakeup.depth := 0;
    v_wakeup.account_id := fire.account_id;
    v_wakeup.requested_at := office.now();
    v_run.wakeup_id := v_wakeup.id;
  end if;
  insert into office.routine_runs (
    id, workspace_id, routine_id, trigger_id, source, slot, status, trigger_payload, body, answered, request_key, linked_task_id,
    wakeup_id, coalesced_into_run_id, dispatch_fingerprint, missed_ticks, missed_since, fired_at, ended_at
  )
  values (
    v_run.id, v_run.workspace_id, v_run.routine_id, v_run.trigger_id, v_run.source, v_run.slot, v_run.status, v_run.trigger_payload,
    v_run.body, case when v_run.request_key is not null then v_run.status end, v_run.request_key, v_run.linked_task_id,
    v_run.wakeup_id, v_run.coalesced_into_run_id, v_run.dispatch_fingerprint,
    v_run.missed_ticks, v_run.missed_since, v_run.fired_at, v_run.ended_at
  );
  if v_wakeup.id is not null then
    insert into office.wakeups (
      id, workspace_id, agent_id, source, class, solo, addresses, task_id, routine_id, payload, idempotency_key, depth, account_id,
      requested_at
    )
    values (
      v_wakeup.id, v_wakeup.workspace_id, v_wakeup.agent_id, v_wakeup.source, v_wakeup.class, v_wakeup.solo, v_wakeup.addresses,
      v_wakeup.task_id, v_wakeup.routine_id, v_wakeup.payload, v_wakeup.idempotency_key, v_wakeup.depth, v_wakeup.account_id,
      v_wakeup.requested_at
    );
    insert into office_internal.signals (workspace_id, kind, wakeup_id, account_id)
    values (v_wakeup.workspace_id, case when v_wakeup.task_id is null then 'wakeup' else 'routine' end, v_wakeup.id, v_wakeup.account_id);
  end if;
  update office.routines as r
  set last_run_at = fire.fired_at
  where r.id = (routine).id and (r.last_run_at is null or r.last_run_at < fire.fired_at);
  return v_run;
end
$$;

comment on function office_internal.fire(
  office.routines, office.routine_triggers, text, timestamptz, timestamptz, jsonb, jsonb, text, integer, timestamptz, uuid
) is 'Fires a routine once.';
