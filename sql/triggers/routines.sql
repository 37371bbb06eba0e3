-- Triggers of office.routines. Whoever changes a routine, by function or by hand, meets the same checks (R1, R16): it stays in its
-- workspace, archived is final, its template and variables are what they can be, what has ended fires no more, last_run_at grows.

create or replace function office_internal.routines_check()
returns trigger
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  if tg_op = 'UPDATE' and old.status = 'archived' and new.status <> 'archived' then
    perform office_internal.refuse(
      'conflict', format('%s is archived, for good.', old.name), 'Make a new routine.', jsonb_build_object('status', 'archived')
    );
  end if;
  if (tg_op = 'INSERT' or new.assignee_agent_id is distinct from old.assignee_agent_id) and not exists (
    select from office.agents as a
    where a.id = new.assignee_agent_id and a.workspace_id = new.workspace_id and a.deleted_at is null
  ) then
    perform office_internal.refuse(
      'invalid', 'A routine and its agent are of one workspace.', 'Name an agent of the routine''s workspace.',
      jsonb_build_object('field', 'assignee')
    );
  end if;
  if new.concurrency_policy = 'always_create' then
    new.concurrency_policy := 'always_enqueue';
  end if;
  if new.status = 'active' then
    new.status_reason := null;
  end if;
  if tg_op = 'INSERT' or (new.task_template, new.variables, new.description)
    is distinct from (old.task_template, old.variables, old.description)
  then
    new.task_template := office_internal.read_template(new.task_template, new.workspace_id);
    -- What a text asks for and nobody has declared is declared by asking.
    new.variables := coalesce((
      select jsonb_object_agg(p.name, '{"type": "text", "required": false}'::jsonb)
      from unnest(office_internal.placeholders(concat_ws(
        E'\n', new.task_template ->> 'title', new.task_template ->> 'description',
        case when new.task_template = '{}' then new.description end
      ))) as p (name)
    ), '{}') || office_internal.read_variables(new.variables);
    if tg_op = 'UPDATE' and exists (
      select from office.routine_triggers as t where t.routine_id = new.id and t.kind in ('schedule', 'once') and t.enabled
    ) then
      perform office_internal.need_defaults(new.variables);
    end if;
  end if;
  return new;
end
$$;
comment on function office_internal.routines_check() is 'Guards every change of a routine.';

create or replace function office_internal.routines_grow()
returns trigger
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  new.last_run_at := old.last_run_at;
  return new;
end
$$;
comment on function office_internal.routines_grow() is 'Keeps last_run_at from going back.';

create or replace function office_internal.routines_end()
returns trigger
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_doer record;
begin
  select * into v_doer from office_internal.doer();
  if tg_op = 'INSERT' or new.status <> old.status or (new.deleted_at is null) <> (old.deleted_at is null) then
    perform office_internal.remember(
      new.workspace_id,
      case when tg_op = 'INSERT' then 'routine_created' when new.deleted_at is not null then 'routine_deleted'
        else 'routine_' || new.status end,
      jsonb_build_object('routine', new.name, 'routine_id', new.id), v_doer.account_id, new.assignee_agent_id
    );
  end if;
  if new.status = 'archived' or new.deleted_at is not null then
    update office.routine_triggers as t set enabled = false where t.routine_id = new.id and t.enabled;
  elsif tg_op = 'UPDATE' and new.status = 'active' then
    perform office_internal.pass_over(array[new.id]);
  end if;
  return null;
end
$$;
comment on function office_internal.routines_end()
is 'Writes down what became of a routine, and disables the triggers of one that is over.';

create or replace function office_internal.routines_keep()
returns trigger
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  update office.routines as r set deleted_at = office.now() where r.id = old.id and r.deleted_at is null;
  return null;
end
$$;
comment on function office_internal.routines_keep() is 'Turns a DELETE of a routine into deleted_at (A6).';

create or replace trigger routines_belong
before update on office.routines
for each row
when (new.workspace_id <> old.workspace_id)
execute function office_internal.guard_workspace('A routine');

-- A fire changes last_run_at alone, and is not asked again.
create or replace trigger routines_check_insert
before insert on office.routines
for each row execute function office_internal.routines_check();

create or replace trigger routines_check_update
before update of
name, description, assignee_agent_id, status, status_reason, concurrency_policy, catch_up_policy, catch_up_max, task_template, variables
on office.routines
for each row execute function office_internal.routines_check();

create or replace trigger routines_grow
before update on office.routines
for each row
when (old.last_run_at is not null and (new.last_run_at is null or new.last_run_at < old.last_run_at))
execute function office_internal.routines_grow();

create or replace trigger routines_made
after insert on office.routines
for each row execute function office_internal.routines_end();

create or replace trigger routines_end
after update on office.routines
for each row
when (new.status <> old.status or new.deleted_at is distinct from old.deleted_at)
execute function office_internal.routines_end();

create or replace trigger routines_keep
before delete on office.routines
for each row execute function office_internal.routines_keep();
