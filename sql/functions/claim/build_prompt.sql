-- office_internal.build_prompt: what a run's next attempt is told (C1): instructions, why it was woken (every wakeup it carries, in
-- order), where it stands, what it may do. The same text for the same data; what comes from outside is fenced (C3).
create or replace function office_internal.build_prompt(run_id uuid, attempt_number integer)
returns text
language plpgsql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_rule constant text := E'\n\n---\n\n';
  v_run office.runs;
  v_agent record;
  v_task office.tasks;
  v_project office.projects;
  v_prompt text := '';
  v_why text;
  v_where text := '';
begin
  select * into strict v_run from office.runs as r where r.id = build_prompt.run_id;
  select a.name, a.role, a.instructions, x.body ->> 'folder' as folder into strict v_agent
  from office.agents as a
  left join office.executors as x on x.id = v_run.executor_id
  where a.id = v_run.agent_id;
  if v_run.task_id is not null then
    select * into v_task from office.tasks as t where t.id = v_run.task_id;
    select * into v_project from office.projects as p where p.id = v_task.project_id;
  end if;
  if v_agent.instructions <> '' then
    v_prompt := '# Your instructions' || E'\n\n' || v_agent.instructions || v_rule;
  end if;
  select string_agg(E'\n\n' || office_internal.wakeup_text(w), '' order by w.position) into v_why
  from office.wakeups as w
  where w.run_id = v_run.id;
  v_prompt := v_prompt || '# Why you were woken' || v_why || v_rule;
  if v_task.id is not null then
    v_where := format(
      E'Task t%s, %s, priority %s%s%s\n\n%s\n\n%s',
      v_task.number, v_task.state, v_task.priority,
      coalesce(', project ' || v_project.name, ''),
      case when v_task.requires_approval then ', needs an approval' else '' end,
      office_internal.fence(v_task.title),
      case when v_task.description = '' then '' else office_internal.fence(v_task.description) end
    );
    v_where := v_where || coalesce(E'\n\nParts:\n' || (
      select string_agg(format('- t%s, %s: %s', c.number, c.state, to_jsonb(c.title)::text), E'\n' order by c.number)
      from office.tasks as c
      where c.parent_id = v_task.id and c.deleted_at is null
    ), '');
    v_where := v_where || coalesce(E'\n\nPart of:\n' || (
      select format('- t%s, %s: %s', p.number, p.state, to_jsonb(p.title)::text)
      from office.tasks as p
      where p.id = v_task.parent_id
    ), '');
  else
    v_where := 'This run is about no task of its own.';
  end if;
  v_prompt := v_prompt || '# Where it stands' || E'\n\n' || rtrim(v_where, E'\n')
    || coalesce(E'\n\nFolder: ' || coalesce(v_agent.folder, v_project.folder), '') || v_rule;
  return v_prompt || format(
    E'# This run\n\nRun r%s, attempt %s, agent %s (%s).\n\nFrom inside this run you may call: officectl agent task, comment, move, '
    || E'create-task, complete, ask, request-approval, note-decision, wake-self. End by printing your result as one JSON object on '
    || E'the last line, as {"summary": "…"}.\n',
    v_run.number, build_prompt.attempt_number, v_agent.name, v_agent.role
  );
end
$$;

comment on function office_internal.build_prompt(uuid, integer) is 'What a run''s next attempt is told.';
