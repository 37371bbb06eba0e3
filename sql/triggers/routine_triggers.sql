-- Trigger of office.routine_triggers: nothing enabled is stored without a next fire, whoever stores it, and nothing that could never fire
-- or would need values that nobody gives (R6, R8, R16). What changes its times arms it anew. A tick moves the cursor only, and is not
-- asked again.

create or replace function office_internal.routine_triggers_check()
returns trigger
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_now timestamptz := office_internal.wall_clock();
  v_routine office.routines;
  v_anew boolean := tg_op = 'INSERT';
  v_other boolean := tg_op = 'INSERT';
begin
  if new.kind = 'cron' then
    new.kind := 'schedule';
  end if;
  if tg_op = 'UPDATE' and (new.kind, new.routine_id, new.workspace_id) is distinct from (old.kind, old.routine_id, old.workspace_id) then
    perform office_internal.refuse(
      'invalid', 'A trigger keeps its routine and its kind.', 'Remove it, and add another.', jsonb_build_object('field', 'kind')
    );
  end if;
  select * into v_routine from office.routines as r where r.id = new.routine_id;
  new.workspace_id := v_routine.workspace_id;
  if new.enabled and (v_routine.status = 'archived' or v_routine.deleted_at is not null) then
    perform office_internal.refuse(
      'routine_inactive', format('%s is %s.', v_routine.name, case when v_routine.status = 'archived' then 'archived' else 'deleted' end),
      'Make a new routine.', jsonb_build_object('status', v_routine.status)
    );
  end if;
  if v_anew or new.timezone is distinct from old.timezone then
    new.timezone := office_internal.cron_zone(new.timezone);
  end if;
  if new.kind = 'webhook' then
    if new.signing is null or new.signing not in ('none', 'bearer', 'hmac_sha256') then
      perform office_internal.refuse(
        'invalid', format('"%s" is no way of signing.', new.signing), 'hmac_sha256, bearer or none.', jsonb_build_object('field', 'signing')
      );
    end if;
    -- 128 bits of a hash over more random ones.
    new.public_id := case when v_anew
      then encode(substring(sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())) for 16), 'hex')
      else old.public_id end;
  elsif new.kind in ('schedule', 'once') then
    if not v_anew then
      v_other := (new.expression, new.timezone) is distinct from (old.expression, old.timezone);
      v_anew := (new.expression, new.timezone, new.fire_at, new.enabled)
          is distinct from (old.expression, old.timezone, old.fire_at, old.enabled)
        or (new.enabled and new.next_run_at is null);
    end if;
    if v_anew and new.enabled then
      perform office_internal.need_defaults(v_routine.variables);
    end if;
    if v_other and new.kind = 'schedule' then
      new.cron := office_internal.parse_cron(new.expression);
    end if;
    -- One that is only disabled is not asked whether it could go on.
    if new.kind = 'schedule' and (v_other or (v_anew and new.enabled)) then
      new.next_run_at := office.cron_next(new.expression, new.timezone, v_now);
    elsif v_anew and new.kind = 'once' then
      if new.enabled and (new.fire_at is null or new.fire_at <= v_now) then
        perform office_internal.refuse(
          'invalid', 'A single fire is in the future.', 'Give a time to come.', jsonb_build_object('field', 'fire_at')
        );
      end if;
      new.next_run_at := new.fire_at;
    end if;
    if not new.enabled then
      new.next_run_at := null;
    end if;
    if v_anew then
      new.passed_over_at := null;
    end if;
  end if;
  return new;
end
$$;
comment on function office_internal.routine_triggers_check() is 'Guards every change of a trigger, and arms it.';

create or replace trigger routine_triggers_check_insert
before insert on office.routine_triggers
for each row execute function office_internal.routine_triggers_check();

create or replace trigger routine_triggers_check_update
before update on office.routine_triggers
for each row
when (
  (new.workspace_id, new.routine_id, new.kind, new.expression, new.timezone, new.cron, new.fire_at, new.public_id, new.signing)
  is distinct from
  (old.workspace_id, old.routine_id, old.kind, old.expression, old.timezone, old.cron, old.fire_at, old.public_id, old.signing)
  or new.enabled <> old.enabled
  or (new.enabled and new.next_run_at is null and new.kind in ('schedule', 'once'))
)
execute function office_internal.routine_triggers_check();
