-- D4: questions, permissions and publish requests close with their work, whatever ended it; approvals stay; an interrupted decision
-- closes when its run is retried, dropped or carried on. sc-D2.
begin;
set local search_path = tap, public;
\ir ../support/refusal.psql
\ir ../support/queue.psql
\ir ../support/deciding.psql
select plan(30);

-- A run that waits for three kinds of request, and an approval of its own.
create function pg_temp.asking(name text)
returns uuid
language plpgsql
as $$
declare
  v_wakeup uuid;
begin
  perform pg_temp.scenario(asking.name, 'ann');
  v_wakeup := pg_temp.running('ann');
  perform pg_temp.ask(v_wakeup, 'A question?');
  perform pg_temp.ask(v_wakeup, 'A permission?');
  perform pg_temp.ask(v_wakeup, 'To publish?');
  update office.decisions as d set kind = 'permission' where d.prompt = 'A permission?' and d.status = 'pending';
  update office.decisions as d set kind = 'publish' where d.prompt = 'To publish?' and d.status = 'pending';
  perform pg_temp.ask(v_wakeup, 'Answered?');
  perform office.answer('d' || d.number, 'yes') from office.decisions as d where d.prompt = 'Answered?' and d.status = 'pending';
  perform pg_temp.request(v_wakeup);
  return v_wakeup;
end
$$;
create function pg_temp.closed()
returns text
language sql
as $$
  select string_agg(concat_ws(' ', d.kind, d.status, d.reason), ', ' order by d.number)
  from office.decisions as d
  join office.workspaces as w on w.id = d.workspace_id
  where w.name = current_setting('testing.workspace')
$$;
create function pg_temp.all_closed()
returns text
language sql
as $$ select 'question expired Its work ended., permission expired Its work ended., publish expired Its work ended., question answered, approval pending'::text $$;

select pg_temp.asking('open') as w \gset
select is(pg_temp.closed(), 'question pending, permission pending, publish pending, question answered, approval pending', '(what there is)');
select is(pg_temp.leave(:'w'), 'waiting', 'D9: the end of its program is not its end');
select is(pg_temp.closed(), 'question pending, permission pending, publish pending, question answered, approval pending', 'D9: … nothing closes');
select is_empty('select * from office.audit()', 'Q26: the books balance');
select office.stop((select 'r' || (pg_temp.run(:'w')).number));
select is(pg_temp.stands(:'w'), 'cancelled/stopped, attempt 1 stopped', 'P2: without a program a stopped run ends at once');
select is(pg_temp.closed(), pg_temp.all_closed(), 'D4, sc-D2: stop; what was answered stays answered, an approval stays');

select pg_temp.asking('stop') as w \gset
select office.stop((select 'r' || (pg_temp.run(:'w')).number));
select is(pg_temp.closed(), pg_temp.all_closed(), 'D4, sc-D2: stop of a live program');
select pg_temp.finish(:'w');
select is(pg_temp.stands(:'w'), 'cancelled/stopped, attempt 1 stopped', 'P2: … which then ends');

-- Whatever ends it by hand

create function pg_temp.by_hand(status text)
returns text
language plpgsql
as $$
declare
  v_wakeup uuid := pg_temp.asking('hand-' || by_hand.status);
begin
  -- As if the hand's were a statement of its own.
  perform set_config('office.gates', '', true);
  update office.runs as r set status = by_hand.status where r.id = (pg_temp.run(v_wakeup)).id;
  return pg_temp.closed();
end
$$;
select is(
  pg_temp.by_hand(s.status), pg_temp.all_closed() || case s.status when 'interrupted' then ', interrupted pending' else '' end,
  'D4, sc-D2: plain UPDATE to ' || s.status
)
from unnest(array['finished', 'failed', 'blocked', 'cancelled', 'interrupted', 'queued']) as s (status);
select is_empty('select * from office.audit()', 'Q26: the books balance');

select pg_temp.asking('attempt-by-hand') as w \gset
update office.attempts set ended_at = office.now(), outcome = 'failed' where id = pg_temp.attempt(:'w');
select is(pg_temp.closed(), pg_temp.all_closed(), 'D4, sc-D2: plain UPDATE of the attempt');
select is((pg_temp.run(:'w')).status, 'failed', 'Q17: … which ends its run: without a live attempt it could not go on');
update office.runs set status = 'failed' where id = (pg_temp.run(:'w')).id;

select pg_temp.asking('deleted') as w \gset
select pg_temp.attempt(:'w') as a \gset
delete from office.attempt_prompts where attempt_id = :'a';
delete from office.attempts where id = :'a';
select is(pg_temp.closed(), pg_temp.all_closed(), 'D4, sc-D2: DELETE');
update office.runs set status = 'failed' where id = (pg_temp.run(:'w')).id;
delete from office.decisions where run_id = (pg_temp.run(:'w')).id;

-- A failure with nothing open is a failure; one with a question open is the program's end alone.
select pg_temp.asking('failure') as w \gset
select is(pg_temp.fail(:'w'), 'waiting', 'D9: a program that fails while something is open: its run waits');
select is((pg_temp.run(:'w')).retry_count, 0, 'D9: … no retry counted');
select is(pg_temp.fail(:'w'), 'waiting', 'Q16: … said again it changes nothing');
select is(pg_temp.closed(), 'question pending, permission pending, publish pending, question answered, approval pending', 'D9: … and nothing closes');

-- Losing the worker (P3) ends nothing either: a waiting run waits on.
select office.expire_worker(current_setting('testing.worker')::uuid);
select is(pg_temp.stands(:'w'), 'waiting, attempt 1 left', 'P3, sc-D8: its worker died → it waits on');
select pg_temp.asking('lease') as w \gset
select office.expire_worker(current_setting('testing.worker')::uuid);
select is(pg_temp.stands(:'w'), 'waiting, attempt 1 left', 'P3, sc-D8: … also when its live program died with it');

-- Interrupted

create function pg_temp.interrupted(name text)
returns uuid
language plpgsql
as $$
declare
  v_wakeup uuid;
begin
  perform pg_temp.scenario(interrupted.name, 'ann');
  v_wakeup := pg_temp.running('ann');
  perform office.expire_worker(current_setting('testing.worker')::uuid);
  return v_wakeup;
end
$$;
create function pg_temp.asked_about(wakeup uuid)
returns text
language sql
as $$ select 'd' || d.number from office.decisions as d where d.run_id = (pg_temp.run(wakeup)).id $$;

select pg_temp.interrupted('retry') as w \gset
select is(pg_temp.closed(), 'interrupted pending', 'P3, sc-W18: a person decides what becomes of it');
select is((office.answer(pg_temp.asked_about(:'w'), 'retry')).run_status, 'queued', 'P3: retry → queued again');
select pg_temp.interrupted('drop') as w \gset
select is((office.answer(pg_temp.asked_about(:'w'), 'drop')).run_status || ' ' || (pg_temp.run(:'w')).result, 'cancelled dropped', 'P3: drop → cancelled');
select pg_temp.interrupted('retried') as w \gset
select office.retry_run((select 'r' || (pg_temp.run(:'w')).number));
select is(pg_temp.closed(), 'interrupted void Its run was retried, dropped or carried on.', 'D4: retried otherwise → it closes');
select pg_temp.interrupted('dropped') as w \gset
update office.runs set status = 'cancelled' where id = (pg_temp.run(:'w')).id;
select is(pg_temp.closed(), 'interrupted void Its run was retried, dropped or carried on.', 'D4: dropped by hand → it closes');
select is_empty('select * from office.audit()', 'Q26: the books balance');

select * from finish();
rollback;
