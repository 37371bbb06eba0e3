-- office.check_executor: refuses executor settings that nothing could launch (invalid, missing, unknown_field), naming the field: to
-- try one before an agent is made of it. The only judge of an executor's shape: what keeps executors asks the same, and so does
-- the command line. Whether program and folder exist is the worker's host's to say (X4).
create or replace function office.check_executor(executor jsonb)
returns void
language plpgsql stable parallel safe security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  if executor is null then
    perform office_internal.refuse(
      'missing', 'There is no executor to check.', 'As {"command": ["/bin/sh", "-c", "…"]}.', jsonb_build_object('field', 'executor')
    );
  end if;
  perform office_internal.check_executor(executor);
end
$$;

comment on function office.check_executor(jsonb)
is 'Refuses executor settings that nothing could launch; to try one: {"command": ["/bin/sh", "-c", "…"]}.';

-- office_internal.check_executor: the same; none at all is allowed.
create or replace function office_internal.check_executor(executor jsonb)
returns void
language plpgsql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_field text;
  v_problem text;
begin
  if executor is null then
    return;
  end if;
  if jsonb_typeof(executor) <> 'object' then
    perform office_internal.refuse(
      'invalid', 'An executor is a JSON object.', 'As {"command": ["/bin/sh", "-c", "…"]}.',
      jsonb_build_object('field', 'executor')
    );
  end if;
  select k.key into v_field
  from jsonb_object_keys(executor) as k (key)
  where k.key not in ('kind', 'preset', 'command', 'folder', 'folder_shared', 'worktree', 'environment', 'pass_environment', 'prompt',
    'permissions', 'limits', 'provider', 'model', 'account', 'effort', 'context_window')
  limit 1;
  if v_field is not null then
    perform office_internal.refuse(
      'unknown_field', format('An executor has no field "%s".', v_field),
      'Fields: kind, preset, command, folder, folder_shared, worktree, environment, pass_environment, prompt, permissions, limits, '
      'provider, model, account, effort, context_window.',
      jsonb_build_object('field', 'executor.' || v_field)
    );
  end if;
  select c.field into v_problem
  from (values
    ('kind', executor ? 'kind' and coalesce(executor ->> 'kind', '') not in ('command', 'acp')),
    ('preset', executor ? 'preset' and (coalesce(executor ->> 'preset', '') not in ('claude', 'codex', 'gemini', 'opencode')
      or executor ->> 'kind' <> 'command')),
    -- A preset knows its program.
    ('command', (executor ? 'command' or not executor ? 'preset') and (jsonb_typeof(executor -> 'command') is distinct from 'array'
      or jsonb_array_length(case when jsonb_typeof(executor -> 'command') = 'array' then executor -> 'command' else '[]' end) = 0
      or executor -> 'command' ->> 0 = ''
      or jsonb_path_exists(executor, 'strict $.command[*] ? (@.type() != "string")', silent => true))),
    ('folder', executor ? 'folder'
      and (jsonb_typeof(executor -> 'folder') <> 'string' or not office_internal.is_path(executor ->> 'folder'))),
    ('folder_shared', executor ? 'folder_shared' and jsonb_typeof(executor -> 'folder_shared') <> 'boolean'),
    ('worktree', executor ? 'worktree' and (jsonb_typeof(executor -> 'worktree') <> 'string'
      or executor ->> 'worktree' !~ '^[^[:space:]]{1,200}$')),
    ('environment', executor ? 'environment' and (jsonb_typeof(executor -> 'environment') <> 'object'
      or jsonb_path_exists(executor, 'strict $.environment.* ? (@.type() != "string")', silent => true))),
    ('pass_environment', executor ? 'pass_environment' and (jsonb_typeof(executor -> 'pass_environment') <> 'array'
      or jsonb_path_exists(executor, 'strict $.pass_environment[*] ? (@.type() != "string")', silent => true))),
    ('prompt', executor ? 'prompt' and (coalesce(executor ->> 'prompt', '') not in ('stdin', 'argument') or executor ? 'preset')),
    ('permissions', executor ? 'permissions' and coalesce(executor ->> 'permissions', '') not in ('ask', 'edit', 'all')),
    ('limits', executor ? 'limits' and (jsonb_typeof(executor -> 'limits') <> 'object'
      or jsonb_path_exists(
        executor,
        'strict $.limits.keyvalue() ? (!(@.key == "minutes" || @.key == "turns" || @.key == "tool_calls"
          || @.key == "silence_seconds" || @.key == "output_bytes"))',
        silent => true
      )
      or jsonb_path_exists(executor, 'strict $.limits.* ? (@.type() != "number" || @ <= 0 || @ > 1000000000)', silent => true))),
    ('provider', executor ? 'provider' and (jsonb_typeof(executor -> 'provider') <> 'string'
      or not office_internal.is_provider(executor ->> 'provider'))),
    ('model', executor ? 'model' and (jsonb_typeof(executor -> 'model') <> 'string'
      or executor ->> 'model' !~ '^[[:graph:]]([[:graph:] ]{0,98}[[:graph:]])?$')),
    ('effort', executor ? 'effort' and coalesce(executor ->> 'effort', '') not in ('low', 'medium', 'high', 'max')),
    ('context_window', executor ? 'context_window' and (jsonb_typeof(executor -> 'context_window') <> 'number'
      or executor ->> 'context_window' !~ '^[1-9][0-9]{0,9}$')),
    ('account', executor ? 'account' and coalesce(executor ->> 'account', '') not in ('included', 'personal'))
  ) as c (field, wrong)
  where c.wrong
  limit 1;
  if v_problem is not null then
    perform office_internal.refuse(
      'invalid',
      format('The executor''s %s is not of the right form.', v_problem),
      case v_problem
        when 'kind' then 'command or acp.'
        when 'preset' then 'claude, codex, gemini or opencode, of kind command.'
        when 'command' then 'A list of texts: program and arguments, as ["/bin/sh", "-c", "…"].'
        when 'folder' then 'An absolute path without ".", ".." or a slash at its end.'
        when 'folder_shared' then 'true or false: whether several runs may work there at once.'
        when 'worktree' then 'The name of a worktree, without spaces.'
        when 'environment' then 'An object of texts.'
        when 'pass_environment' then 'A list of names.'
        when 'prompt' then 'stdin or argument; a preset knows itself.'
        when 'permissions' then 'ask, edit or all: what it may do without being asked.'
        when 'provider' then 'The account that it spends from, as anthropic:team: up to 100 letters, digits and ._:@/+-.'
        when 'model' then 'A name of up to 100 characters.'
        when 'account' then 'included or personal: who pays what it spends.'
        when 'effort' then 'low, medium, high or max: how hard the model thinks.'
        when 'context_window' then 'A whole number of tokens.'
        else 'An object with minutes, turns, tool_calls, silence_seconds, output_bytes: numbers above zero.'
      end,
      jsonb_build_object('field', 'executor.' || v_problem)
    );
  end if;
end
$$;

comment on function office_internal.check_executor(jsonb) is 'Refuses executor settings of the wrong form.';
