-- Triggers of office.budgets, people's (A6): what a budget is of does not change, a removal is a mark, and the dispatch hears of every
-- change: it judges anew, and lets go whom a raised limit frees.

create or replace function office_internal.budgets_check()
returns trigger
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  if tg_op = 'UPDATE' and (
    old.removed_at is not null
    or (new.workspace_id, new.scope, new.project_id, new.agent_id, new.account, new.period)
      is distinct from (old.workspace_id, old.scope, old.project_id, old.agent_id, old.account, old.period)
  ) then
    perform office_internal.refuse(
      'conflict', 'A budget keeps what it is of and its period, and one that was removed stays so.', 'Set another: office.set_budget.',
      jsonb_build_object('budget', office_internal.budget_name(old))
    );
  end if;
  if exists (select from office.projects as p where p.id = new.project_id and p.workspace_id <> new.workspace_id)
    or exists (select from office.agents as a where a.id = new.agent_id and a.workspace_id <> new.workspace_id)
  then
    perform office_internal.refuse(
      'invalid', 'A budget is of its own workspace''s project or agent.', 'Name one of that workspace.',
      jsonb_build_object('field', new.scope)
    );
  end if;
  return new;
end
$$;
comment on function office_internal.budgets_check() is 'Guards every change of a budget.';

create or replace function office_internal.budgets_tell()
returns trigger
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  perform office_internal.leave_signal(new.workspace_id, 'setting');
  return null;
end
$$;
comment on function office_internal.budgets_tell() is 'Leaves a signal when budgets must be judged anew.';

create or replace function office_internal.budgets_keep()
returns trigger
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  update office.budgets as b set removed_at = office.now() where b.id = old.id and b.removed_at is null;
  return null;
end
$$;
comment on function office_internal.budgets_keep() is 'Turns a DELETE of a budget into removed_at.';

create or replace trigger budgets_check
before insert or update on office.budgets
for each row execute function office_internal.budgets_check();

create or replace trigger budgets_tell
after insert or update on office.budgets
for each row execute function office_internal.budgets_tell();

create or replace trigger budgets_keep
before delete on office.budgets
for each row execute function office_internal.budgets_keep();
