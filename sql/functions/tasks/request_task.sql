-- office.request_task: one person asks another for something (T12): a proposed task, assigned to the person asked, whom alone it waits for.
-- The same peer_request_id again, from the same person, gives the first task. Refuses agents (forbidden), an account that is no member of
-- the workspace (not_found), a bad title (invalid). Takes no gate.
create or replace function office.request_task(
  asked text,
  title text,
  description text default '',
  project text default null,
  source_ref text default null,
  peer_request_id text default null,
  requested_by_node_id text default null,
  workspace text default null
)
returns office.task_reference
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_account uuid := office_internal.need_person();
  v_workspace uuid := office_internal.find_workspace(workspace);
  v_asked uuid;
  v_task uuid;
  v_constraint text;
  v_column text;
begin
  select m.account_id into v_asked
  from office.members as m
  join office.accounts as a on a.id = m.account_id
  where m.workspace_id = v_workspace and lower(a.name) = lower(asked);
  if v_asked is null then
    perform office_internal.not_found(
      'member', asked,
      (select array_agg(a.name) from office.members as m join office.accounts as a on a.id = m.account_id
        where m.workspace_id = v_workspace),
      'officectl account list shows who there is.'
    );
  end if;
  select t.id into v_task
  from office.tasks as t
  where t.workspace_id = v_workspace and t.requested_by_account_id = v_account and t.peer_request_id = request_task.peer_request_id;
  if v_task is null then
    insert into office.tasks (
      workspace_id, project_id, workflow_id, title, description, state, owner, assignee_account_id, source_ref, peer_request_id,
      requested_by_account_id, requested_by_node_id, created_by_account_id, created_by_node_id
    )
    select
      v_workspace, case when project is not null then office_internal.find_project(project, v_workspace) end, w.office_workflow_id,
      request_task.title, coalesce(request_task.description, ''), 'proposed', 'me', v_asked,
      coalesce(request_task.source_ref, 'room-request:' || request_task.peer_request_id), request_task.peer_request_id, v_account,
      request_task.requested_by_node_id, v_account, request_task.requested_by_node_id
    from office.workspaces as w
    where w.id = v_workspace
    on conflict do nothing
    returning id into v_task;
    if v_task is null then
      -- Somebody has delivered the same at this moment.
      select t.id into v_task
      from office.tasks as t
      where t.workspace_id = v_workspace and t.requested_by_account_id = v_account and t.peer_request_id = request_task.peer_request_id;
      return office_internal.task_card(v_task);
    end if;
    insert into office.inbox_items (workspace_id, kind, title, body, task_id, dedup_key)
    select
      v_workspace, 'task.request', format('%s asks %s for t%s', u.name, asked, t.number),
      format('"%s": select * from office.answer_request(''t%s'', ''accepted_private'');', t.title, t.number), t.id,
      format('task.request:%s', t.id)
    from office.tasks as t
    join office.accounts as u on u.id = v_account
    where t.id = v_task;
  end if;
  return office_internal.task_card(v_task);
exception when check_violation or not_null_violation then
  get stacked diagnostics v_constraint = constraint_name, v_column = column_name;
  perform office_internal.refuse_value('tasks', v_constraint, v_column);
  return null;
end
$$;

comment on function office.request_task(text, text, text, text, text, text, text, text) is 'Asks another person for a task.';
