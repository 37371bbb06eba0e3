-- office.reorder_queue: its owner, or an operator, says in which order the messages that wait in an agent session are to run: those named,
-- in their order, then the others (N2). They share the places that they have: what goes before the session's other runs stays as much.
-- Answers the queue. Refuses unknown sessions and runs (not_found), ended sessions (session_ended), others than the owner (forbidden),
-- runs that are no waiting message of this session, or named twice (invalid). Takes the gate.
create or replace function office.reorder_queue(session text, runs text[])
returns setof office.session_reference
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_account uuid := office_internal.need_person();
  v_me record;
  v_session office.agent_sessions;
  v_named uuid[];
begin
  select * into v_me from office_internal.identity();
  select * into v_session from office.agent_sessions as s where s.id = office_internal.find_session(session);
  v_named := array(select office_internal.find_run(n.ref) from unnest(coalesce(reorder_queue.runs, '{}')) as n (ref));
  perform office_internal.take_gates(array[v_session.workspace_id]);
  select * into v_session from office.agent_sessions as s where s.id = v_session.id;
  perform office_internal.need_open_session(v_session);
  if not v_me.is_operator and v_session.started_by_account_id is distinct from v_account then
    perform office_internal.refuse('forbidden', 'Whoever started a session orders its queue.', 'Ask its owner, or an operator.');
  end if;
  if (select count(distinct n.id) < cardinality(v_named) from unnest(v_named) as n (id)) or exists (
    select
    from unnest(v_named) as n (id)
    left join office.runs as r
      on r.id = n.id and r.session_id = v_session.id and r.queue_position is not null and r.status = 'queued' and r.answered_at is null
    where r.id is null
  ) then
    perform office_internal.refuse(
      'invalid', format('Only messages that wait in s%s are put in order, each once.', v_session.number),
      format('They are: select * from office.up_next where session = ''s%s'';', v_session.number), jsonb_build_object('field', 'runs')
    );
  end if;
  with waiting as materialized (
    select
      r.id,
      row_number() over (order by array_position(v_named, r.id) nulls last, r.queue_position, r.number) as nth,
      row_number() over (order by r.queue_position, r.number) as place,
      r.queue_position
    from office.runs as r
    where r.task_id = v_session.task_id and r.agent_id = v_session.agent_id and r.status is not distinct from 'queued'
      and r.queue_position is not null and r.answered_at is null
  )
  update office.runs as r
  set queue_position = p.queue_position
  from waiting as w
  join waiting as p on p.place = w.nth
  where r.id = w.id and r.queue_position <> p.queue_position;
  perform office_internal.park_runs(office_internal.queue_of_sessions(array[v_session.id]));
  insert into office_internal.signals (workspace_id, kind) values (v_session.workspace_id, 'look');
  perform office_internal.remember(
    v_session.workspace_id, 'queue_reordered', jsonb_build_object('session', 's' || v_session.number), v_account, v_session.agent_id,
    v_session.task_id
  );
  return query
    select v_session.id, 's' || v_session.number, r.id, 'r' || r.number, r.queue_position
    from unnest(office_internal.queue_of_sessions(array[v_session.id])) with ordinality as q (id, nth)
    join office.runs as r on r.id = q.id and r.queue_position is not null
    order by q.nth;
end
$$;

comment on function office.reorder_queue(text, text[]) is 'Puts the messages that wait in an agent session in order.';
