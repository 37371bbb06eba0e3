-- office.help: where to begin, in psql (I1).
create or replace function office.help()
returns table (topic text, try text)
language sql stable parallel safe security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
  values
    ('make an agent', 'select * from office.create_agent(''triage'', executor => ''{"command": ["/bin/sh", "-c", "echo done"]}'');'),
    ('give it a task', 'select * from office.create_task(''Look at order 7'', assignee => ''triage'');'),
    ('wake it by hand', 'select * from office.wake(''triage'');'),
    ('do it every morning',
      'select * from office.create_routine(''briefing'', ''triage'', ''Write the briefing.''); '
      || 'select * from office.add_schedule(''briefing'', ''0 9 * * mon-fri'', ''Europe/Berlin'');'),
    ('what fires when', 'select * from office.routine_schedule; select * from office.why(''routine:briefing'');'),
    ('what is waiting, and why', 'select * from office.up_next;'),
    ('what runs now', 'select * from office.running;'),
    ('what became of it', 'select * from office.result(''t1'');'),
    ('its whole story', 'select * from office.why(''r1'');'),
    ('what needs a person', 'select * from office.needs_me; select * from office.inbox;'),
    ('stop, try again', 'select * from office.stop(''r1''); select * from office.retry_run(''r1'');'),
    ('many at once: without dry_run => false it only says what would be',
      'select * from office.stop_runs(agent => ''triage''); '
      || 'select * from office.retry_runs(status => ''interrupted'', since => office.now() - interval ''1 day'', dry_run => false);'),
    ('what is stuck, and what mends it', 'select * from office.stuck;'),
    ('hold everything, let it go on',
      'select * from office.pause(''everything'', ''bad night''); select * from office.resume(''everything'');'),
    ('a worker is dead', 'select office.expire_worker(w.id) from office.workers as w where w.host = ''HOST'' and w.ended_at is null;'),
    ('end a run by hand', 'update office.runs set status = ''cancelled'' where number = 1 and ended_at is null;'),
    ('wake from a table of your own',
      'create trigger wake_triage after insert on tickets for each row execute function office.wake_agent(''triage'');'),
    ('is all well', 'select * from office.health; select * from office.audit();'),
    ('settings', 'select key, default_value, meaning from office.setting_definitions;'),
    ('every function, table and column', '\df+ office.*   \d+ office.runs'),
    ('run the work', 'officectl up   (in a shell)')
$$;

comment on function office.help() is 'Where to begin.';
