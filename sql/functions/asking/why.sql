-- office.why: the story of a run, or of a task's or a wakeup's run: what woke it, how it was merged, what it waited for, each attempt with
-- its end, what closed it, and how long each stretch lasted; for one that waits every reason, with the command that lifts it (I9).
-- Of a task, its checks as well. Of an agent: what it does, and why what is queued for it waits. Of a routine (routine:daily): its fires,
-- and when it fires next. Of a worker, by its id or worker:HOST: what it runs, whether it lives.
-- Refuses what is not there (not_found), workspaces and everything (invalid).
create or replace function office.why(ref text)
returns table (at timestamptz, event text, detail text, lasted interval, lift text)
language plpgsql stable parallel safe security definer
set search_path = pg_catalog, office, office_internal, pg_temp
set jit = off
as $$
#variable_conflict use_column
declare
  v_what record;
  v_run uuid;
  v_worker uuid;
begin
  perform office_internal.caller();
  v_worker := office_internal.find_worker(ref);
  if v_worker is not null then
    return query select * from office_internal.why_worker(v_worker);
    return;
  end if;
  select * into v_what from office_internal.read_ref(ref);
  case v_what.kind
    when 'run' then
      v_run := v_what.id;
    when 'wakeup' then
      select w.run_id into v_run from office.wakeups as w where w.id = v_what.id;
      if v_run is null then
        return query
          select
            w.requested_at, 'woken', w.source || case when w.status = 'queued' then '' else format(', %s: %s', w.status, w.reason) end,
            null::interval, case when w.status = 'queued' then 'select office.dispatch();' end
          from office.wakeups as w
          where w.id = v_what.id;
        return;
      end if;
    when 'task' then
      v_run := office_internal.latest_run(v_what.id);
      if v_run is null then
        return query select * from office_internal.why_no_run(v_what.id);
      else
        return query select * from office_internal.why_run(v_run);
      end if;
      return query select * from office_internal.why_checks(v_what.id);
      return;
    when 'agent' then
      return query select * from office_internal.why_agent(v_what.id);
      return;
    when 'routine' then
      return query select * from office_internal.why_routine(v_what.id);
      return;
    else
      perform office_internal.refuse(
        'invalid', format('%s has no story of its own.', ref),
        'Name a run (r4812), a task (t97), an agent, a routine (routine:NAME), a worker (worker:HOST), or a wakeup (its uuid).',
        jsonb_build_object('field', 'ref')
      );
  end case;
  return query select * from office_internal.why_run(v_run);
end
$$;

comment on function office.why(text) is 'The story of a run, task, wakeup, agent, routine or worker; and why it waits, with what lifts it.';
