-- office.add_comment: a comment by the caller, person or agent. Refuses unknown tasks (not_found), an empty or over-long
-- text (invalid), another run's task (forbidden). Takes no gate.
create or replace function office.add_comment(task text, body text)
returns uuid
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_task uuid := office_internal.task_to_change(task);
  v_me record;
  v_id uuid;
  v_constraint text;
  v_column text;
begin
  select * into v_me from office_internal.identity();
  insert into office.comments (workspace_id, task_id, author_account_id, author_agent_id, attempt_id, body)
  select t.workspace_id, t.id, v_me.account_id, v_me.agent_id, v_me.attempt_id, add_comment.body
  from office.tasks as t
  where t.id = v_task
  returning id into v_id;
  return v_id;
exception when check_violation or not_null_violation then
  get stacked diagnostics v_constraint = constraint_name, v_column = column_name;
  perform office_internal.refuse_value('comments', v_constraint, v_column);
  return null;
end
$$;

comment on function office.add_comment(text, text) is 'Adds a comment to a task; returns its id.';
