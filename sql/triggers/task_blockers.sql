-- Triggers of office.task_blockers: both tasks are of one workspace, and no task waits for itself, in however many steps (T8); what holds
-- a task's runs back changed (Q12), and whoever waits for one less may be woken (T5). Each looks at a statement's rows together.
--   task_blockers_check   each row: not itself
--   task_blockers_tie     what came: of one workspace, one transaction at a time a workspace, no cycle; the dispatch looks again
--   task_blockers_untie   what went: activity, and the dispatch looks

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
  return new;
end
$$;
comment on function office_internal.task_blockers_check() is 'Refuses a task that waits for itself.';

create or replace function office_internal.task_blockers_tie()
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
  if exists (
    select
    from new_rows as n
    left join office.tasks as t on t.id = n.task_id and t.workspace_id = n.workspace_id
    left join office.tasks as b on b.id = n.blocker_task_id and b.workspace_id = n.workspace_id
    where t.id is null or b.id is null
  ) then
    perform office_internal.refuse(
      'invalid', 'A task waits for other tasks of its own workspace.', 'Name a task of the same workspace.',
      jsonb_build_object('field', 'blocked_by')
    );
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
  insert into office_internal.signals (workspace_id, kind, task_id, account_id, attempt_id, depth)
  select n.workspace_id, 'task_holds', n.task_id, d.account_id, d.attempt_id, d.depth
  from (select distinct r.workspace_id, r.task_id from new_rows as r) as n
  cross join office_internal.doer() as d;
  return null;
end
$$;
comment on function office_internal.task_blockers_tie()
is 'Refuses blockers of other workspaces, and tasks that would wait for themselves; leaves signals.';

create or replace function office_internal.task_blockers_untie()
returns trigger
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_tasks uuid[];
  v_blockers uuid[];
begin
  select array_agg(o.task_id), array_agg(o.blocker_task_id) into v_tasks, v_blockers
  from old_rows as o
  where not exists (select from office.task_blockers as n where n.task_id = o.task_id and n.blocker_task_id = o.blocker_task_id);
  -- Whether it was open is known now.
  with removed as (
    insert into office.activity (workspace_id, kind, detail, account_id, agent_id, task_id, attempt_id)
    select
      t.workspace_id, 'blocker_removed', jsonb_build_object('blocker', b.id, 'open', not office_internal.is_closed(b)),
      d.account_id, d.agent_id, t.id, d.attempt_id
    from unnest(v_tasks, v_blockers) as o (task_id, blocker_task_id)
    join office.tasks as t on t.id = o.task_id
    join office.tasks as b on b.id = o.blocker_task_id
    cross join office_internal.doer() as d
    returning id, workspace_id, task_id
  )
  insert into office_internal.signals (workspace_id, kind, task_id, event_id, account_id, attempt_id, depth)
  select r.workspace_id, 'task_holds', r.task_id, r.id, d.account_id, d.attempt_id, d.depth
  from removed as r
  cross join office_internal.doer() as d;
  return null;
end
$$;
comment on function office_internal.task_blockers_untie() is 'Leaves activity and signals of blockers that went.';

create or replace trigger task_blockers_check
before insert or update on office.task_blockers
for each row execute function office_internal.task_blockers_check();

create or replace trigger task_blockers_tie_insert
after insert on office.task_blockers
referencing new table as new_rows
for each statement execute function office_internal.task_blockers_tie();

create or replace trigger task_blockers_tie_update
after update on office.task_blockers
referencing new table as new_rows
for each statement execute function office_internal.task_blockers_tie();

create or replace trigger task_blockers_untie_delete
after delete on office.task_blockers
referencing old table as old_rows
for each statement execute function office_internal.task_blockers_untie();

create or replace trigger task_blockers_untie_update
after update on office.task_blockers
referencing old table as old_rows
for each statement execute function office_internal.task_blockers_untie();
