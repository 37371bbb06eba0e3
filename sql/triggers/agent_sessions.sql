-- Triggers of office.agent_sessions: a hand-written statement takes all gates first, and every row needs its gate (A6); one that goes on
-- in another's engine session makes that one take turns with it, and the engine session of one that ends is to be deleted (N3).

create or replace function office_internal.agent_sessions_link()
returns trigger
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  update office.agent_sessions as s set link_id = new.link_id where s.id = new.link_id and s.link_id is null;
  return null;
end
$$;
comment on function office_internal.agent_sessions_link() is 'Links the session in whose engine session another goes on.';

create or replace function office_internal.agent_sessions_retire()
returns trigger
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  if office_internal.setting('clean_sessions', new.workspace_id) <> 'on' then
    return null;
  end if;
  insert into office.session_deletions (workspace_id, session_id, engine_session, executor, host, asked_at)
  select new.workspace_id, new.id, new.engine_session, x.body, w.host, new.ended_at
  from office.runs as r
  join office.attempts as a on a.id = r.attempt_id
  join office.workers as w on w.id = a.worker_id
  join office.executors as x on x.id = r.executor_id
  where r.id = coalesce(new.last_run_id, (select s.last_run_id from office.agent_sessions as s where s.id = new.link_id))
    -- Who shares it and goes on keeps it, and is asked at its own end.
    and not exists (
      select
      from office.agent_sessions as s
      where s.link_id = new.link_id and s.engine_session = new.engine_session and s.ended_at is null
    )
    and not exists (
      select
      from office.session_deletions as d
      where d.host = w.host and d.done_at is null and d.engine_session = new.engine_session
    );
  return null;
end
$$;
comment on function office_internal.agent_sessions_retire() is 'Notes that the engine session of retired work is to be deleted.';

create or replace trigger agent_sessions_gate
before update or delete on office.agent_sessions
for each statement execute function office_internal.guard_gate();

create or replace trigger agent_sessions_held_update
after update on office.agent_sessions
referencing old table as old_rows
for each statement execute function office_internal.guard_rows();

create or replace trigger agent_sessions_held_delete
after delete on office.agent_sessions
referencing old table as old_rows
for each statement execute function office_internal.guard_rows();

create or replace trigger agent_sessions_link
after insert on office.agent_sessions
for each row
when (new.link_id is not null)
execute function office_internal.agent_sessions_link();

create or replace trigger agent_sessions_retire
after update on office.agent_sessions
for each row
when (new.ended_at is not null and old.ended_at is null and new.engine_session is not null)
execute function office_internal.agent_sessions_retire();
