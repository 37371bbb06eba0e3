-- office_internal.queue_of_sessions: the queued runs of these sessions, messages and others.
create or replace function office_internal.queue_of_sessions(session_ids uuid[])
returns uuid[]
language plpgsql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  return array(
    select r.id
    from office.agent_sessions as s
    join office.runs as r on r.task_id = s.task_id and r.agent_id = s.agent_id and r.status is not distinct from 'queued'
    where s.id = any(session_ids)
    order by coalesce(r.queue_position, 0), r.requested_at, r.number
  );
end
$$;

comment on function office_internal.queue_of_sessions(uuid[]) is 'The queued runs of sessions, in their order.';
