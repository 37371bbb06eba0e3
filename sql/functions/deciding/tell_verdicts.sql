-- office_internal.tell_verdicts: answers to the office's own questions about reviews become verdicts, by change signal, as whoever
-- answered (T9, A6): comments and verdicts are people's tables. The caller holds the gates.
create or replace function office_internal.tell_verdicts(decision_ids uuid[])
returns void
language plpgsql volatile
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  insert into office_internal.changes (
    workspace_id, kind, task_id, from_state, to_state, round, reason, account_id, agent_id
  )
  select d.workspace_id, 'review_task', d.task_id, 'in_review', d.choice, d.round, d.note, d.decided_by_account_id, d.decided_by_agent_id
  from office.decisions as d
  where d.id = any(decision_ids) and d.round is not null and d.status = 'answered'
  order by d.id;
end
$$;

comment on function office_internal.tell_verdicts(uuid[]) is 'Makes answers about reviews verdicts.';
