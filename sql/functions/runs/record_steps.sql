-- office.record_steps: what an attempt's program reported, in order: [{"sequence", "kind", "content", "at"}, …] (E1). A sequence that
-- is there already is ignored. Content over 64 KB is cut and marked. Answers how many were stored.
-- When the steps so far are more than one attempt may take (S6), that is noted, and the heartbeat asks it to stop.
-- Refuses bad steps (invalid, missing), any attempt that has ended or was launched again (what attempt_is_over says of it).
-- Takes no gate: it only inserts.
create or replace function office.record_steps(attempt_id uuid, steps jsonb, launch integer default null)
returns integer
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
as $$
declare
  v_workspace uuid;
  v_stored integer;
begin
  perform office_internal.check_array('steps', steps);
  select a.workspace_id into v_workspace
  from office.attempts as a
  where a.id = record_steps.attempt_id and a.ended_at is null and a.launch = coalesce(record_steps.launch, a.launch);
  if v_workspace is null then
    perform office_internal.attempt_is_over(record_steps.attempt_id);
  end if;
  if exists (
    select
    from jsonb_array_elements(steps) as e (step)
    where jsonb_typeof(e.step -> 'sequence') is distinct from 'number'
      or (e.step ->> 'sequence')::numeric not between 1 and 2147483647
      or (e.step ->> 'sequence')::numeric % 1 <> 0
      or jsonb_typeof(e.step -> 'content') is distinct from 'string'
      or coalesce(e.step ->> 'kind', '') not in
        ('message', 'reasoning', 'tool_call', 'tool_result', 'usage', 'output', 'error', 'note')
      or coalesce(e.step ->> 'at', '2000-01-01T00:00:00Z') !~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}'
  ) then
    perform office_internal.refuse(
      'invalid', 'A step has a sequence from 1, a kind, and content as text.',
      'Kinds: message, reasoning, tool_call, tool_result, usage, output, error, note.', jsonb_build_object('field', 'steps')
    );
  end if;
  insert into office.attempt_steps as s (attempt_id, sequence, workspace_id, kind, at, content)
  select
    record_steps.attempt_id, (e.step ->> 'sequence')::integer, v_workspace, e.step ->> 'kind',
    coalesce((e.step ->> 'at')::timestamptz, office_internal.wall_clock()),
    case when octet_length(e.step ->> 'content') <= 65536 then e.step ->> 'content'
      else left(e.step ->> 'content', 16000) || ' … (cut)' end
  from jsonb_array_elements(steps) as e (step)
  on conflict on constraint attempt_steps_pkey do nothing;
  get diagnostics v_stored = row_count;
  if exists (
    select from jsonb_array_elements(steps) as e (step) where e.step ->> 'kind' in ('message', 'reasoning', 'tool_call')
  ) then
    perform office_internal.count_steps(record_steps.attempt_id);
  end if;
  return v_stored;
exception when data_exception then
  -- It has the form of a time and is none.
  perform office_internal.refuse(
    'invalid', 'A step''s "at" is not a time.', 'As 2026-01-05T10:00:00Z.', jsonb_build_object('field', 'steps')
  );
  return null;
end
$$;

comment on function office.record_steps(uuid, jsonb, integer)
is 'Stores what an attempt''s program reported; answers how many steps were new.';
