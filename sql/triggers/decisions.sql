-- Triggers of office.decisions: what a decision entails, whoever makes it, by function or by hand.
--   decisions_gate     before a hand-written statement: all gates, so that nobody answers or ends meanwhile (A6)
--   decisions_check    each row: only under its gate; only what is open is answered, by one of its choices; what was decided stays (D3);
--                      an answer to what no longer is so makes it void (D2)
--   decisions_follow   after the statement: every open list hears of it (D4), runs go on or fail (D7, D9), agents wake (D6), rules are
--                      saved (D8), verdicts are told (T9)

create or replace function office_internal.decisions_check()
returns trigger
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_outdated text;
begin
  perform office_internal.need_gates(array[old.workspace_id]);
  if new.status = 'answered' and (new.status, new.choice) is distinct from (old.status, old.choice) then
    perform office_internal.need_open(old, office_internal.wall_clock());
    perform office_internal.need_choice(new);
    v_outdated := office_internal.outdated_by(old);
    if v_outdated is not null then
      new.status := 'void';
      new.reason := v_outdated;
      new.choice := null;
    end if;
  end if;
  if old.status <> 'pending' and new.status <> old.status and not (old.status = 'answered' and new.status = 'void') then
    perform office_internal.refuse(
      'move_refused', format('A decision cannot go from %s to %s.', old.status, new.status), 'What was decided stays so.',
      jsonb_build_object('decision', 'd' || old.number, 'from', old.status, 'to', new.status)
    );
  end if;
  if new.status <> 'pending' then
    new.decided_at := coalesce(new.decided_at, office_internal.wall_clock());
  end if;
  return new;
end
$$;
comment on function office_internal.decisions_check() is 'Guards every change of a decision.';

create or replace function office_internal.decisions_follow_insert()
returns trigger
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  perform pg_notify('office_decision', '');
  return null;
end
$$;
comment on function office_internal.decisions_follow_insert() is 'Tells open lists of new decisions.';

create or replace function office_internal.decisions_follow_update()
returns trigger
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_decided uuid[] := array(
    select n.id from new_rows as n join old_rows as o on o.id = n.id where o.status = 'pending' and n.status <> 'pending' order by n.id
  );
begin
  if cardinality(v_decided) = 0 then
    return null;
  end if;
  perform office_internal.fail_expired(array(
    select n.id
    from new_rows as n
    where n.id = any(v_decided) and n.status = 'expired' and n.on_expire = 'fail' and n.reason is distinct from 'Its work ended.'
  ));
  perform office_internal.keep_rules(array(
    select n.id from new_rows as n where n.id = any(v_decided) and n.kind = 'permission' and n.status = 'answered'
  ));
  perform office_internal.go_on(array(
    select distinct n.run_id
    from new_rows as n
    where n.id = any(v_decided) and n.kind in ('question', 'permission', 'publish')
  ));
  perform office_internal.settle_interrupted(array(
    select n.id from new_rows as n where n.id = any(v_decided) and n.kind = 'interrupted' and n.status = 'answered'
  ));
  perform office_internal.wake_for_approvals(array(
    select n.id from new_rows as n where n.id = any(v_decided) and n.kind = 'approval' and n.round is null
  ));
  perform office_internal.tell_verdicts(array(select n.id from new_rows as n where n.id = any(v_decided) and n.round is not null));
  perform pg_notify('office_decision', '');
  return null;
end
$$;
comment on function office_internal.decisions_follow_update() is 'Does what decisions entail.';

create or replace function office_internal.decisions_follow_delete()
returns trigger
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  perform office_internal.go_on(array(
    select distinct o.run_id from old_rows as o where o.status = 'pending' and o.kind in ('question', 'permission', 'publish')
  ));
  perform pg_notify('office_decision', '');
  return null;
end
$$;
comment on function office_internal.decisions_follow_delete() is 'Lets runs go on whose requests are gone.';

create or replace trigger decisions_gate
before update or delete on office.decisions
for each statement execute function office_internal.guard_gate();

create or replace trigger decisions_check
before update on office.decisions
for each row execute function office_internal.decisions_check();

create or replace trigger decisions_held
after delete on office.decisions
referencing old table as old_rows
for each statement execute function office_internal.guard_rows();

create or replace trigger decisions_follow_insert
after insert on office.decisions
for each statement execute function office_internal.decisions_follow_insert();

create or replace trigger decisions_follow_update
after update on office.decisions
referencing old table as old_rows new table as new_rows
for each statement execute function office_internal.decisions_follow_update();

create or replace trigger decisions_follow_delete
after delete on office.decisions
referencing old table as old_rows
for each statement execute function office_internal.decisions_follow_delete();
