-- office.read_task: a task with its comments, blockers, parts and documents' names, as one JSON object. Without a reference, from inside a
-- run: its own. Refuses unknown ones (not_found) and a run without a task (missing).
create or replace function office.read_task(task text default null)
returns jsonb
language plpgsql stable parallel safe security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_task uuid;
begin
  perform office_internal.caller();
  if task is null then
    select r.task_id into v_task
    from office_internal.identity() as me
    join office.attempts as a on a.id = me.attempt_id
    join office.runs as r on r.id = a.run_id;
    if v_task is null then
      perform office_internal.refuse(
        'missing', 'Which task?', 'This run has none of its own; name one, as t97.', jsonb_build_object('field', 'task')
      );
    end if;
  else
    v_task := office_internal.find_task(task);
  end if;
  return (
    select jsonb_build_object(
      'task', 't' || t.number,
      'task_id', t.id,
      'title', t.title,
      'description', t.description,
      'state', t.state,
      'priority', t.priority,
      'requires_approval', t.requires_approval,
      'project', p.name,
      'folder', p.folder,
      'assignee', a.name,
      'parent', 't' || parent.number,
      'blocked_by', coalesce((
        select jsonb_agg(jsonb_build_object('task', 't' || b.number, 'title', b.title, 'state', b.state) order by b.number)
        from office.task_blockers as k
        join office.tasks as b on b.id = k.blocker_task_id
        where k.task_id = t.id
      ), '[]'),
      'parts', coalesce((
        select jsonb_agg(jsonb_build_object('task', 't' || c.number, 'title', c.title, 'state', c.state) order by c.number)
        from office.tasks as c
        where c.parent_id = t.id and c.deleted_at is null
      ), '[]'),
      'documents', coalesce((
        select jsonb_agg(jsonb_build_object('document', d.name, 'version', d.version) order by lower(d.name))
        from office.task_documents as d
        where d.task_id = t.id
      ), '[]'),
      'comments', coalesce((
        select jsonb_agg(
          jsonb_build_object('by', coalesce(g.name, u.name), 'at', c.created_at, 'body', c.body) order by c.created_at, c.id
        )
        from office.comments as c
        left join office.agents as g on g.id = c.author_agent_id
        left join office.accounts as u on u.id = c.author_account_id
        where c.task_id = t.id
      ), '[]')
    )
    from office.tasks as t
    left join office.projects as p on p.id = t.project_id
    left join office.agents as a on a.id = t.assignee_agent_id
    left join office.tasks as parent on parent.id = t.parent_id
    where t.id = v_task
  );
end
$$;

comment on function office.read_task(text) is 'A task with its comments, blockers and parts, as JSON.';
