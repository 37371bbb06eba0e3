-- Triggers of office.task_blockers: both tasks are of one workspace, and no task waits for itself, in however many steps (T8); what holds
-- a task's runs back changed (Q12).
--   task_blockers_check   each row: both of its workspace
--   task_blockers_guard   before a statement's rows are looked at together: one at a time a workspace, so that of two halves of a cycle
--                         that are added at once the second sees the first; above READ COMMITTED it gets 40001
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
  v_cycle record;
begin
  insert into office_internal.blocker_guards (workspace_id, xid)
  select w.id, '0' from unnest(v_workspaces) as w (id) order by w.id
  on conflict do nothing;
  -- In a statement of its own, before anything is looked at; once a transaction.
  update office_internal.blocker_guards as g
  set xid = pg_current_xact_id()
  from (
    select l.workspace_id from office_internal.blocker_guards as l
    where l.workspace_id = any(v_workspaces) and l.xid <> pg_current_xact_id()
    order by l.workspace_id
    for no key update
  ) as l
  where g.workspace_id = l.workspace_id;
  with recursive reached as (
    select n.task_id as start, n.blocker_task_id as node from new_rows as n
    union
    select r.start, b.blocker_task_id
    from reached as r
    join office.task_blockers as b on b.task_id = r.node
    where r.node <> r.start
  )
  select n.task_id, n.blocker_task_id into v_cycle
  from new_rows as n
  where n.task_id in (select r.start from reached as r where r.node = r.start)
    and office_internal.blocker_path(n.blocker_task_id, n.task_id) is not null
  limit 1;
  if found then
    perform office_internal.refuse(
      'blocker_cycle',
      format('%s would wait for itself: %s.', p.path[1], array_to_string(p.path, ' waits for ')),
      'Remove one of these: office.remove_blocker.',
      jsonb_build_object('field', 'blocked_by', 'path', to_jsonb(p.path))
    )
    from (
      select array['t' || t.number] || office_internal.blocker_path(v_cycle.blocker_task_id, v_cycle.task_id) as path
      from office.tasks as t
      where t.id = v_cycle.task_id
    ) as p;
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
begin
  -- A row that a hand has changed was about two tasks at most.
  perform office_internal.leave_signal(t.workspace_id, 'task_holds', t.id)
  from office.tasks as t
  where t.id in (new.task_id, old.task_id);
  return null;
end
$$;
comment on function office_internal.task_blockers_tell() is 'Leaves a signal when a blocker comes or goes.';

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
