-- office_internal.launch_limits: the limits that a workspace sets to each attempt there (S6); an executor may say otherwise. The
-- gate holds them, as the dispatch last read them.
create or replace function office_internal.launch_limits(workspace_id uuid)
returns jsonb
language plpgsql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  return jsonb_build_object(
    'minutes', office_internal.setting('attempt_minutes', workspace_id)::integer,
    'turns', office_internal.setting('attempt_turns', workspace_id)::integer,
    'tool_calls', office_internal.setting('attempt_tool_calls', workspace_id)::integer,
    'silence_seconds', office_internal.setting('silence_timeout_seconds', workspace_id)::integer,
    'output_bytes', office_internal.setting('output_limit_bytes', workspace_id)::integer
  );
end
$$;

comment on function office_internal.launch_limits(uuid) is 'The limits of one attempt in a workspace.';
