-- office_internal.queue_messages: messages that were dispatched just now take their places in their sessions' queues, in their order: a
-- steer first, a message last (N2). Answers the queued runs whose turn that may change. The caller holds the gates.
create or replace function office_internal.queue_messages(wakeup_ids uuid[])
returns uuid[]
language plpgsql volatile
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_message record;
  v_sessions uuid[] := array[]::uuid[];
begin
  -- Each turn depends on those before.
  for v_message in
    select r.id, s.id as session_id, s.task_id, s.agent_id, coalesce((w.payload ->> 'steer')::boolean, false) as steers
    from unnest(wakeup_ids) with ordinality as n (id, nth)
    join office.wakeups as w on w.id = n.id and w.source = 'message'
    join office.runs as r on r.id = w.run_id and r.status is not distinct from 'queued' and r.queue_position is null
    join office.agent_sessions as s on s.id = (w.payload ->> 'session_id')::uuid
    order by n.nth
  loop
    update office.runs as r
    set session_id = v_message.session_id,
      queue_position = (
        select case
          when v_message.steers then least(coalesce(min(q.queue_position), 0), 0) - 1
          else greatest(coalesce(max(q.queue_position), 0), 0) + 1
        end
        from office.runs as q
        where q.task_id = v_message.task_id and q.agent_id = v_message.agent_id and q.status = 'queued' and q.queue_position is not null
          and q.id <> v_message.id
      )
    where r.id = v_message.id;
    v_sessions := v_sessions || v_message.session_id;
  end loop;
  return office_internal.queue_of_sessions(v_sessions);
end
$$;

comment on function office_internal.queue_messages(uuid[]) is 'Gives new messages their places in their sessions'' queues.';
