-- Triggers of office.agents: it stays in its workspace, the executor's row, its leader and profile, the signal by which the
-- dispatch keeps the lane, no removal (A6), and the heartbeat of who leads (R19).

create or replace function office_internal.agents_check()
returns trigger
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  if exists (select from office.agents as a where a.id = new.reports_to and a.workspace_id <> new.workspace_id)
    or exists (select from office.profiles as p where p.id = new.profile_id and p.workspace_id <> new.workspace_id)
  then
    perform office_internal.refuse(
      'invalid', 'An agent, its leader and its profile are of one workspace.', 'Name those of the agent''s workspace.',
      jsonb_build_object('field', case when tg_op = 'INSERT' or new.reports_to is distinct from old.reports_to
        then 'reports_to' else 'profile' end)
    );
  end if;
  -- Who leads looks around without being asked; the others do not (Q13.4).
  new.skip_idle_wakeups := coalesce(new.skip_idle_wakeups, new.role not in ('ceo', 'coordinator'));
  if new.status = 'active' then
    new.status_reason := null;
  end if;
  -- Who pauses it by hand is a person.
  new.paused_by := case when new.status = 'paused' then coalesce(new.paused_by, 'person') end;
  return new;
end
$$;
comment on function office_internal.agents_check()
is 'Guards every change of an agent: leader and profile, the idle skip''s default, who paused it.';

create or replace function office_internal.agents_tell()
returns trigger
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  if tg_op = 'INSERT' or (new.status, new.max_concurrent_sessions, new.cooldown_sec, new.deleted_at)
    is distinct from (old.status, old.max_concurrent_sessions, old.cooldown_sec, old.deleted_at)
  then
    perform office_internal.leave_signal(new.workspace_id, 'agent', null, new.id);
  end if;
  if tg_op = 'INSERT' and new.role in ('coordinator', 'ceo') then
    perform office_internal.add_heartbeat(new);
  end if;
  return null;
end
$$;
comment on function office_internal.agents_tell() is 'Leaves a signal when an agent''s lane must follow; makes a coordinator''s heartbeat.';

create or replace function office_internal.agents_keep()
returns trigger
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  update office.agents as a set deleted_at = office.now() where a.id = old.id and a.deleted_at is null;
  return null;
end
$$;
comment on function office_internal.agents_keep() is 'Turns a DELETE of an agent into deleted_at (A6).';

create or replace trigger agents_belong
before update on office.agents
for each row execute function office_internal.guard_workspace('An agent');

create or replace trigger agents_executor
before insert or update on office.agents
for each row execute function office_internal.guard_executor();

create or replace trigger agents_check
before insert or update on office.agents
for each row execute function office_internal.agents_check();

create or replace trigger agents_tell
after insert or update on office.agents
for each row execute function office_internal.agents_tell();

create or replace trigger agents_keep
before delete on office.agents
for each row execute function office_internal.agents_keep();
