-- office.create_agent: an agent that can be woken. Refuses bad names, roles, numbers and executors (invalid,
-- unknown_field), a name in use (name_taken), an unknown leader or profile (not_found).
-- A coordinator or ceo comes with a heartbeat, and the note says what that costs (R19). Takes no gate: its lane is made by the dispatch.
create or replace function office.create_agent(
  name text,
  executor jsonb default null,
  role text default 'worker',
  instructions text default '',
  workspace text default null,
  reports_to text default null,
  max_concurrent_sessions integer default 1,
  cooldown_sec integer default 10,
  skip_idle_wakeups boolean default null,
  profile text default null
)
returns office.agent_reference
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_caller uuid := office_internal.need_person();
  v_workspace uuid := office_internal.find_workspace(workspace);
  v_id uuid;
  v_made office.agent_reference;
  v_constraint text;
  v_column text;
begin
  perform office_internal.check_name('agent', create_agent.name);
  insert into office.agents (
    workspace_id, name, role, instructions, reports_to, profile_id, executor, max_concurrent_sessions, cooldown_sec,
    skip_idle_wakeups, created_by_account_id
  )
  values (
    v_workspace, create_agent.name, create_agent.role, coalesce(create_agent.instructions, ''),
    case when create_agent.reports_to is not null then office_internal.find_agent(create_agent.reports_to, v_workspace) end,
    case when create_agent.profile is not null then office_internal.find_profile(create_agent.profile, v_workspace) end,
    create_agent.executor, create_agent.max_concurrent_sessions, create_agent.cooldown_sec,
    create_agent.skip_idle_wakeups, v_caller
  )
  returning id into v_id;
  select
    v_id, create_agent.name, w.name,
    nullif(concat_ws(
      ' ',
      case when (select x.executor_id from office_internal.usual_executor(v_id) as x) is null
        then 'It has no executor yet: its runs need one from their task, project or workspace.'
      end,
      -- What who leads costs, looking around every five minutes (R19).
      (
        select format(
          'Its routine "%s" wakes it every five minutes: 288 launches a day. To stop that: select * from office.pause(%L);',
          r.name, format('routine:%s/%s', w.name, r.name)
        )
        from office.routines as r
        where r.assignee_agent_id = v_id
      )
    ), '')
  into v_made
  from office.workspaces as w
  where w.id = v_workspace;
  return v_made;
exception
  when unique_violation then
    perform office_internal.name_taken('agent', create_agent.name);
    return null;
  when check_violation or not_null_violation then
    get stacked diagnostics v_constraint = constraint_name, v_column = column_name;
    perform office_internal.refuse_value('agents', v_constraint, v_column);
    return null;
end
$$;

comment on function office.create_agent(text, jsonb, text, text, text, text, integer, integer, boolean, text)
is 'Makes an agent. executor as {"command": ["/bin/sh", "-c", "…"]}.';
