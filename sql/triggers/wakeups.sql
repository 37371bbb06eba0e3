-- Trigger of office.wakeups: the state machine (Q10), whoever makes the move. The moves of every wakeup's life, into a run and to its
-- end, are plain, and meet no trigger; a routine's fire follows its wakeup (R12).

create or replace function office_internal.wakeups_check()
returns trigger
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  if not exists (select from office.wakeup_moves as m where m.from_status = old.status and m.to_status = new.status) then
    perform office_internal.refuse(
      'move_refused',
      format('A wakeup cannot go from %s to %s.', old.status, new.status),
      coalesce(
        (select format('From %s it can go to: ', old.status) || string_agg(m.to_status, ', ' order by m.to_status) || '.'
          from office.wakeup_moves as m where m.from_status = old.status),
        format('%s is final.', old.status)
      ),
      jsonb_build_object('wakeup', new.id, 'from', old.status, 'to', new.status)
    );
  end if;
  return new;
end
$$;
comment on function office_internal.wakeups_check() is 'Guards every change of a wakeup''s status.';

create or replace trigger wakeups_check
before update on office.wakeups
for each row
when (
  new.status <> old.status
  and (old.status, new.status) not in (('queued', 'claimed'), ('queued', 'coalesced'), ('claimed', 'finished'))
)
execute function office_internal.wakeups_check();

create or replace function office_internal.wakeups_follow()
returns trigger
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  -- One that joined a live task's run was coalesced at the fire, and stays it.
  update office.routine_runs as f
  set linked_run_id = new.run_id,
    status = s.status,
    error = case when s.status = 'failed' then coalesce((select a.error from office.runs as r
      join office.attempts as a on a.id = r.attempt_id where r.id = new.run_id), new.reason) end,
    coalesced_into_run_id = case when f.linked_task_id is not null then f.coalesced_into_run_id
      when s.status = 'coalesced' then (
        select o.id from office.routine_runs as o where o.linked_run_id = new.run_id and o.id <> f.id and o.status = 'received' limit 1
      ) end,
    ended_at = case when s.status <> 'received' then coalesce(f.ended_at, office_internal.wall_clock()) end
  from (
    select case
      when new.status in ('queued', 'claimed') then 'received'
      when new.status = 'finished' then case when new.reason is null then 'done' else 'skipped' end
      else new.status
    end as status
  ) as w
  cross join lateral (
    select case when o.linked_task_id is not null then o.status else w.status end as status
    from office.routine_runs as o
    where o.wakeup_id = new.id
  ) as s
  where f.wakeup_id = new.id;
  return null;
end
$$;
comment on function office_internal.wakeups_follow() is 'Has a routine''s fire follow its wakeup.';

create or replace trigger wakeups_follow
after update on office.wakeups
for each row
when (new.routine_id is not null and (new.status, new.run_id) is distinct from (old.status, old.run_id))
execute function office_internal.wakeups_follow();
