-- Triggers of office.task_blockers: both tasks are of one workspace, and no task waits for itself, in however many steps (T8); what holds
-- a task's runs back changed (Q12).
--   task_blockers_check   each row: both of its workspace
--   task_blockers_guard   a statement's rows together, one transaction at a time a workspace: no cycle
--   task_blockers_tell    the dispatch looks again

create or replace function office_internal.task_blockers_check()
returns trigger
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  if new.task_id = new.blocker_task_id then
    perform office_internal.refuse(
      'blocker_cycle', format('t%s would wait for itself.', t.number), 'Name another task.',
      jsonb_build_object('field', 'blocked_by', 'path', jsonb_build_array('t' || t.number, 't' || t.number))
    )
    from office.tasks as t
    where t.id = new.task_id;
  end if;
  if (
    select count(*) <> 2 from office.tasks as t
    where t.id in (new.task_id, new.blocker_task_id) and t.workspace_id = new.workspace_id
  ) then
    perform office_internal.refuse(
      'invalid', 'A task waits for other tasks of its own workspace.', 'Name a task of the same workspace.',
      jsonb_build_object('field', 'blocked_by')
    );
  end if;
  return new;
end
$$;
comment on function office_internal.task_blockers_check() is 'Refuses a blocker of another workspace, and a task that waits for itself.';

create or replace function office_internal.task_blockers_guard()
returns trigger
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_workspaces uuid[] := array(select distinct n.workspace_id from new_rows as n order by 1);
  v_path text[];
begin
  if cardinality(v_workspaces) = 0 then
    return null;
  end if;
  perform office_internal.take_task_guards(v_workspaces);
  -- In a statement of its own, after the guard.
  select office_internal.blocker_cycle(array_agg(n.task_id), array_agg(n.blocker_task_id)) into v_path from new_rows as n;
  if v_path is not null then
    perform office_internal.refuse(
      'blocker_cycle',
      format(
        '%s would wait for itself: %s%s.', v_path[1], array_to_string(v_path[:20], ' waits for '),
        case when cardinality(v_path) > 20 then format(' waits for %s more', cardinality(v_path) - 20) else '' end
      ),
      'Remove one of these: office.remove_blocker.',
      jsonb_build_object('field', 'blocked_by', 'path', to_jsonb(v_path))
    );
  end if;
  return null;
end
$$;
comment on function office_internal.task_blockers_guard() is 'Refuses tasks that would wait for themselves.';

create or replace function office_internal.task_blockers_tell()
returns trigger
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_doer record;
begin
  -- Whoever waits for one less may be woken (T5); whether it was open is known now.
  if tg_op = 'DELETE' or (tg_op = 'UPDATE' and (new.task_id, new.blocker_task_id) <> (old.task_id, old.blocker_task_id)) then
    select * into v_doer from office_internal.doer();
    perform office_internal.leave_signal(old.workspace_id, 'task_holds', old.task_id, null, office_internal.remember(
      old.workspace_id, 'blocker_removed',
      jsonb_build_object('blocker', t.id, 'open', not office_internal.is_closed(t)),
      v_doer.account_id, v_doer.agent_id, old.task_id, null, v_doer.attempt_id
    ))
    from office.tasks as t
    where t.id = old.blocker_task_id;
  end if;
  if tg_op <> 'DELETE' then
    perform office_internal.leave_signal(new.workspace_id, 'task_holds', new.task_id);
  end if;
  return null;
end
$$;
comment on function office_internal.task_blockers_tell() is 'Leaves a signal, and activity, when a blocker comes or goes.';

create or replace trigger task_blockers_check
before insert or update on office.task_blockers
for each row execute function office_internal.task_blockers_check();

create or replace trigger task_blockers_guard_insert
after insert on office.task_blockers
referencing new table as new_rows
for each statement execute function office_internal.task_blockers_guard();

create or replace trigger task_blockers_guard_update
after update on office.task_blockers
referencing new table as new_rows
for each statement execute function office_internal.task_blockers_guard();

create or replace trigger task_blockers_tell
after insert or update or delete on office.task_blockers
for each row execute function office_internal.task_blockers_tell();
