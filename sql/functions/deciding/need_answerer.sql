-- office_internal.need_answerer: refuses callers who may not answer this decision (forbidden), among those who see it (D5): an agent
-- answers only with can_approve, never what it asked itself, and no task's review that waits for a person; nobody approves their own
-- work (T9); in a workspace with several members what is about execution (question, permission, interrupted) is answered by the account for
-- whom the run goes or by an operator.
create or replace function office_internal.need_answerer(decision office.decisions)
returns void
language plpgsql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_me record;
begin
  select * into v_me from office_internal.identity();
  if v_me.agent_id is not null and (
    v_me.agent_id = (decision).agent_id
    or (decision).round is not null
    or not exists (select from office.agents as a where a.id = v_me.agent_id and a.can_approve)
  ) then
    perform office_internal.refuse(
      'forbidden', 'An agent answers only what others asked, and only when it may approve.',
      'A person can allow it: select * from office.update_agent(''name'', ''{"can_approve": true}'');'
    );
  end if;
  if (decision).round is not null and exists (
    select from office.tasks as t where t.id = (decision).task_id and t.assignee_account_id = v_me.account_id
  ) then
    perform office_internal.refuse('forbidden', 'Nobody approves their own work.', 'Let somebody else review it.');
  end if;
  if (decision).kind in ('question', 'permission', 'interrupted')
    and (select count(*) > 1 from office.members as m where m.workspace_id = (decision).workspace_id)
    and not (
      v_me.is_operator
      or v_me.account_id is not distinct from office_internal.account_of_run((decision).run_id)
      or exists (
        select from office.accounts as a where a.id = v_me.account_id and a.operator and a.email_verified_at is not null
      )
    )
  then
    perform office_internal.refuse(
      'forbidden', 'Whoever the run goes for answers this, or an operator.',
      coalesce(
        (select format('It goes for %s.', a.name) from office.accounts as a where a.id = office_internal.account_of_run((decision).run_id)),
        'Ask an operator.'
      )
    );
  end if;
end
$$;

comment on function office_internal.need_answerer(office.decisions) is 'Refuses callers who may not answer a decision.';
