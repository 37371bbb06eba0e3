-- office_internal.wakeup_text: why an agent was woken, for its prompt: one paragraph a wakeup, by source (C1).
create or replace function office_internal.wakeup_text(wakeup office.wakeups)
returns text
language plpgsql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_payload jsonb := (wakeup).payload;
  v_task text;
  v_text text;
begin
  if (wakeup).task_id is not null then
    select 't' || t.number into v_task from office.tasks as t where t.id = (wakeup).task_id;
  end if;
  case (wakeup).source
    when 'task_assigned' then
      v_text := format('Task %s is assigned to you.', v_task);
    when 'comment' then
      v_text := format('A comment on task %s:', v_task) || coalesce((
        select E'\n\n' || coalesce(a.name, u.name) || ':' || E'\n\n' || office_internal.fence(c.body)
        from office.comments as c
        left join office.agents as a on a.id = c.author_agent_id
        left join office.accounts as u on u.id = c.author_account_id
        where c.id = (v_payload ->> 'comment_id')::uuid
      ), ' it was removed since.');
    when 'task_blockers_resolved' then
      v_text := format('What task %s waited for has ended:', v_task) || office_internal.task_list(
        array(select e.id::uuid from jsonb_array_elements_text(
          v_payload -> 'resolved_blocker_ids' || coalesce(v_payload -> 'cancelled_blocker_ids', '[]')
        ) as e (id))
      );
    when 'task_children_completed' then
      v_text := format('All parts of task %s have ended:', v_task) || office_internal.task_list(
        array(select c.id from office.tasks as c where c.parent_id = (wakeup).task_id order by c.number)
      );
    when 'agent_error' then
      v_text := format(
        E'Agent %s needs help (run %s):\n\n%s',
        (select a.name from office.agents as a where a.id = (v_payload ->> 'failed_agent_id')::uuid),
        coalesce((select 'r' || r.number from office.runs as r where r.id = (v_payload ->> 'run_id')::uuid), 'unknown'),
        office_internal.fence(v_payload ->> 'error')
      );
    when 'routine' then
      v_text := office_internal.routine_text(wakeup);
    when 'user' then
      v_text := format(
        '%s asks you%s.',
        coalesce((select u.name from office.accounts as u where u.id = (v_payload ->> 'user_id')::uuid), 'Somebody'),
        coalesce(' about task ' || v_task, '')
      ) || coalesce(E'\n\n' || office_internal.fence(v_payload ->> 'context'), '');
    when 'self' then
      v_text := E'You asked to be woken:\n\n' || office_internal.fence(v_payload ->> 'reason')
        || coalesce(E'\n\n' || office_internal.fence(v_payload ->> 'payload'), '');
    else
      v_text := (
        select upper(left(s.meaning, 1)) || substr(s.meaning, 2) || ':' from office.wakeup_sources as s where s.source = (wakeup).source
      ) || E'\n\n'
        || office_internal.fence(jsonb_pretty(v_payload));
  end case;
  return v_text;
end
$$;

comment on function office_internal.wakeup_text(office.wakeups) is 'One wakeup as a paragraph of the prompt.';
