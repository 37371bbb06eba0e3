-- office_internal.session_before: which run of its agent session a queued run waits for (N2): one that is live, else the first that is
-- before it in the session's queue; null: none. A retry that is not due yet holds up nobody. Where no message is queued, only one run of
-- the pair can be, and this is two looks at an index.
create or replace function office_internal.session_before(task_id uuid, agent_id uuid, run_id uuid, queue_position integer)
returns uuid
language plpgsql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  return coalesce(
    (
      select q.id
      from office.agent_sessions as s
      join office.runs as q
        on q.session_id = s.id and q.status in ('claimed', 'running', 'waiting', 'stopping') and q.id <> session_before.run_id
      where s.task_id = session_before.task_id and s.agent_id = session_before.agent_id and s.ended_at is null
      limit 1
    ),
    case when session_before.queue_position is not null then (
      select q.id
      from office.runs as q
      join office.runs as r on r.id = session_before.run_id
      where q.task_id = session_before.task_id and q.agent_id = session_before.agent_id and q.status is not distinct from 'queued'
        and q.id <> r.id and q.parked is distinct from 'retry'
        and (q.answered_at is null, coalesce(q.queue_position, 0), q.requested_at, q.number)
          < (true, coalesce(r.queue_position, 0), r.requested_at, r.number)
      order by q.answered_at is null, coalesce(q.queue_position, 0), q.requested_at, q.number
      limit 1
    ) else (
      select q.id
      from office.runs as q
      where q.task_id = session_before.task_id and q.agent_id = session_before.agent_id and q.status = 'queued'
        and q.queue_position is not null and q.queue_position < 0 and q.parked is distinct from 'retry'
      order by q.queue_position
      limit 1
    ) end
  );
end
$$;

comment on function office_internal.session_before(uuid, uuid, uuid, integer) is 'Which run of its session a queued run waits for.';
