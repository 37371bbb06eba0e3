-- office_internal.addressed_as: whom a wakeup means in its task (Q2): assignee, reviewer, approver, mentioned, or nobody.
create or replace function office_internal.addressed_as(source text, payload jsonb, agent_id uuid, task_id uuid)
returns text
language plpgsql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  return (
    select case
      when addressed_as.task_id is null or s.addresses = 'nobody' then 'nobody'
      when s.addresses = 'assignee' then 'assignee'
      when s.addresses = 'participant' then addressed_as.payload ->> 'role'
      else coalesce(
        (select 'assignee' from office.tasks as t
          where t.id = addressed_as.task_id and t.assignee_agent_id = addressed_as.agent_id),
        (select min(p.role) from office.task_participants as p
          where p.task_id = addressed_as.task_id and p.agent_id = addressed_as.agent_id),
        'mentioned'
      )
    end
    from office.wakeup_sources as s
    where s.source = addressed_as.source
  );
end
$$;

comment on function office_internal.addressed_as(text, jsonb, uuid, uuid) is 'Whom a wakeup means in its task.';
