-- office_internal.blocker_path: the way from a task along what it waits for to another task, both ends included, as numbers; null when
-- there is none (T8). Breadth first: the shortest.
create or replace function office_internal.blocker_path(from_task_id uuid, to_task_id uuid)
returns text[]
language plpgsql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_reached uuid[] := array[from_task_id];
  v_via uuid[] := array[null::uuid];
  v_new uuid[] := v_reached;
  v_new_via uuid[];
  v_at uuid := to_task_id;
  v_path text[] := '{}'::text[];
begin
  while not to_task_id = any(v_reached) loop
    select array_agg(n.blocker_task_id), array_agg(n.task_id)
    into v_new, v_new_via
    from (
      select distinct on (b.blocker_task_id) b.blocker_task_id, b.task_id
      from office.task_blockers as b
      where b.task_id = any(v_new) and b.blocker_task_id <> all(v_reached)
      order by b.blocker_task_id, b.task_id
    ) as n;
    if v_new is null then
      return null;
    end if;
    v_reached := v_reached || v_new;
    v_via := v_via || v_new_via;
  end loop;
  while v_at is not null loop
    v_path := (select 't' || t.number from office.tasks as t where t.id = v_at) || v_path;
    v_at := v_via[array_position(v_reached, v_at)];
  end loop;
  return v_path;
end
$$;

comment on function office_internal.blocker_path(uuid, uuid) is 'The tasks from one to another along what waits for what.';
