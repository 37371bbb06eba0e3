-- office_internal.carry_on_unseen: event wakeups that joined a run after its prompt was built have not been seen: one follow-up run
-- carries them (Q5), or the scope's open queued run takes them in. Not those of a run that a person stopped or dropped or whose agent is
-- stopped, and not one that its task no longer wants of whom it addresses: these are cancelled with that reason. The caller holds the
-- gates.
create or replace function office_internal.carry_on_unseen(ended_run_ids uuid[])
returns void
language plpgsql volatile
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_run record;
  v_into office.runs;
  v_by_person boolean;
  v_first office.wakeups;
begin
  for v_run in
    select r.*, a.shown_wakeups
    from office.runs as r
    join office.attempts as a on a.id = r.attempt_id
    where r.id = any(ended_run_ids) and r.status <> 'interrupted' and a.shown_wakeups < r.coalesced_count and not r.solo
    order by r.id
  loop
    update office.wakeups as w
    set status = 'cancelled', reason = u.reason
    from (
      select
        n.id,
        case
          when v_run.cancel_reason in ('stopped', 'dropped') then v_run.cancel_reason
          when g.status = 'stopped' or g.deleted_at is not null then 'agent_stopped'
          when t.deleted_at is not null then 'task_not_found'
          when t.id is not null and office_internal.is_closed(t) and (n.addresses <> 'mentioned' or t.archived_at is not null)
            then 'task_terminal'
          when t.id is not null and n.addresses = 'assignee' and t.assignee_agent_id is distinct from v_run.agent_id
            then 'assignee_changed'
        end as reason
      from office.wakeups as n
      join office.agents as g on g.id = v_run.agent_id
      left join office.tasks as t on t.id = v_run.task_id
      where n.run_id = v_run.id and n.position > v_run.shown_wakeups and n.class = 'event'
    ) as u
    where w.id = u.id and u.reason is not null and w.status in ('claimed', 'coalesced');
    select * into v_first
    from office.wakeups as w
    where w.run_id = v_run.id and w.position > v_run.shown_wakeups and w.class = 'event' and w.status in ('claimed', 'coalesced')
    order by w.position
    limit 1;
    continue when v_first.id is null;
    select * into v_into
    from office.runs as r
    where r.agent_id = v_run.agent_id and r.scope_id = v_run.scope_id and r.status = 'queued' and not r.solo and r.answered_at is null;
    if v_into.id is null then
      insert into office.runs (
        workspace_id, agent_id, task_id, routine_id, executor_id, reason, class, depth, coalesced_count, requested_at
      )
      values (
        v_run.workspace_id, v_run.agent_id, v_run.task_id, v_run.routine_id,
        (select x.executor_id from office_internal.usual_executor(v_run.agent_id, v_run.task_id) as x),
        v_first.source, 'event', v_run.depth, 0, v_first.requested_at
      )
      returning * into v_into;
      update office.wakeups as w set status = 'claimed' where w.id = v_first.id and w.status = 'coalesced';
    end if;
    v_by_person := exists (
      select
      from office.wakeups as w
      join office.wakeup_sources as s on s.source = w.source
      where w.run_id = v_run.id and w.position > v_run.shown_wakeups and w.status in ('claimed', 'coalesced')
        and w.attempt_id is null and (s.person_caused or w.payload ->> 'fire' = 'manual')
    );
    update office.runs as r
    set coalesced_count = v_into.coalesced_count
        + office_internal.move_wakeups(v_run.id, v_into.id, v_into.coalesced_count, v_run.shown_wakeups),
      depth = greatest(r.depth, v_run.depth),
      reason = case when r.class = 'periodic' then v_first.source else r.reason end,
      class = 'event',
      -- People do not wait behind a back-off (Q21).
      scheduled_retry_at = case when not v_by_person then r.scheduled_retry_at end
    where r.id = v_into.id;
    -- What stays is in order without a gap: a retry goes on counting from there.
    update office.wakeups as w
    set position = n.place
    from (
      select p.id, row_number() over (order by p.position) as place from office.wakeups as p where p.run_id = v_run.id
    ) as n
    where w.id = n.id and w.position <> n.place;
    update office.runs as r
    set coalesced_count = (select count(*) from office.wakeups as w where w.run_id = r.id)
    where r.id = v_run.id;
    perform office_internal.park_runs(array[v_into.id]);
  end loop;
end
$$;

comment on function office_internal.carry_on_unseen(uuid[]) is 'Carries wakeups that ended runs have not shown into follow-up runs.';
