-- office_internal.make_fire: one fire of an active routine, whose row the caller has locked (R12 to R16): a routine run, and with it a
-- task, a wakeup, or neither; still to be stored by store_fires. Refuses values that its variables cannot have (bad_variables). Writes
-- nothing: what becomes of it is decided by the dispatch.
create or replace function office_internal.make_fire(
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
returns office_internal.fire
language plpgsql volatile
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_run office.routine_runs;
  v_active office.routine_runs;
  v_task office.tasks;
  v_wakeup office.wakeups;
  v_template jsonb := (routine).task_template;
  v_heavy boolean := (routine).task_template <> '{}';
  v_values jsonb := '{}'::jsonb;
begin
  if (routine).variables <> '{}' or given <> '{}' then
    v_values := office_internal.resolve_variables((routine).variables, given, make_fire.source = 'webhook');
  end if;
  v_run.id := office.uuid7();
  v_run.workspace_id := (routine).workspace_id;
  v_run.routine_id := (routine).id;
  v_run.trigger_id := (fired_by).id;
  v_run.source := make_fire.source;
  v_run.slot := make_fire.slot;
  v_run.body := make_fire.body;
  v_run.request_key := make_fire.request_key;
  v_run.missed_ticks := make_fire.missed_ticks;
  v_run.missed_since := make_fire.missed_since;
  v_run.fired_at := make_fire.fired_at;
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
  v_values := office_internal.clock_variables(make_fire.fired_at, coalesce((fired_by).timezone, 'UTC')) || v_values;
  v_run.trigger_payload := v_values;
  if (routine).concurrency_policy <> 'always_enqueue' then
    v_active := office_internal.active_fire((routine).id, v_run.dispatch_fingerprint);
  end if;

  if v_active.id is not null and (routine).concurrency_policy = 'skip_if_active' then
    v_run.status := 'skipped';
    v_run.ended_at := make_fire.fired_at;
  elsif v_active.id is not null and v_heavy then
    v_run.status := 'coalesced';
    v_run.ended_at := make_fire.fired_at;
    v_run.coalesced_into_run_id := v_active.id;
    v_run.linked_task_id := v_active.linked_task_id;
  elsif v_heavy then
    v_run.status := 'task_created';
    v_task.id := office.uuid7();
    v_task.workspace_id := (routine).workspace_id;
    v_task.project_id := (v_template ->> 'project')::uuid;
    v_task.title := left(office_internal.fill_in(v_template ->> 'title', v_values), 200);
    v_task.description := coalesce(office_internal.fill_in(v_template ->> 'description', v_values), '');
    v_task.priority := coalesce(v_template ->> 'priority', 'medium');
    v_task.assignee_agent_id := (routine).assignee_agent_id;
    v_task.requires_approval := coalesce((v_template ->> 'requires_approval')::boolean, false);
    v_task.source_ref := 'routine:' || (routine).id;
    v_task.created_by_account_id := make_fire.account_id;
    v_run.linked_task_id := v_task.id;
  else
    v_run.status := 'received';
  end if;

  -- A wakeup of its own: to the agent without a task, or into the run of the task that is there.
  if v_run.status = 'received' or v_run.coalesced_into_run_id is not null then
    v_wakeup.id := office.uuid7();
    v_wakeup.workspace_id := (routine).workspace_id;
    v_wakeup.agent_id := (routine).assignee_agent_id;
    v_wakeup.source := 'routine';
    v_wakeup.class := case when make_fire.source = 'cron' and v_run.linked_task_id is null then 'periodic' else 'event' end;
    v_wakeup.solo := (routine).concurrency_policy = 'always_enqueue';
    v_wakeup.addresses := case when v_run.linked_task_id is null then 'nobody' else 'assignee' end;
    v_wakeup.task_id := v_run.linked_task_id;
    v_wakeup.routine_id := (routine).id;
    v_wakeup.payload := jsonb_strip_nulls(jsonb_build_object(
      'routine_id', (routine).id, 'trigger_id', (fired_by).id, 'fire', make_fire.source, 'variables', v_values,
      'missed_ticks', make_fire.missed_ticks,
      'missed_since', to_char(timezone('UTC', make_fire.missed_since), 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), 'task_id', v_run.linked_task_id
    ));
    v_wakeup.idempotency_key := case
      when make_fire.slot is not null
        then format('routine:%s:%s:%s', (routine).id, (fired_by).id, floor(extract(epoch from make_fire.slot) / 60)::bigint)
      else format('routine:%s:%s:%s', (routine).id, make_fire.source, coalesce(make_fire.request_key, v_run.id::text))
    end;
    v_wakeup.depth := 0;
    v_wakeup.account_id := make_fire.account_id;
    v_wakeup.requested_at := office.now();
    v_run.wakeup_id := v_wakeup.id;
  end if;
  return row(v_run, v_task, v_wakeup)::office_internal.fire;
end
$$;

comment on function office_internal.make_fire(
  office.routines, office.routine_triggers, text, timestamptz, timestamptz, jsonb, jsonb, text, integer, timestamptz, uuid
) is 'Makes one fire of a routine.';
