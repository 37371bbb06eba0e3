-- Trigger of office.wakeups: the state machine (Q10), whoever makes the move. The moves of every wakeup's life, into a run and to its
-- end, are plain, and meet no trigger.

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
