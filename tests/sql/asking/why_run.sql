-- I9, S5, Q25: the whole story of a run that met everything, with how long it waited for each; what no row says is told from what went
-- on around it; and what still waits, with the command that lifts it.
begin;
set local search_path = tap, public;
\ir ../support/queue.psql
select plan(16);

-- The story, as minutes since its scenario began: '0 woken user; 0 waited … (5); …'.
create function pg_temp.story(ref text)
returns setof text
language sql
as $$
  select concat_ws(
    ' ', round(extract(epoch from y.at - current_setting('testing.began')::timestamptz) / 60, 1)::real, y.event,
    regexp_replace(y.detail, ' by worker on box', ''), '(' || round(extract(epoch from y.lasted) / 60, 1)::real || ')'
  )
  from office.why(ref) as y
$$;
create function pg_temp.began() returns void language sql as $$ select set_config('testing.began', office.now()::text, true) $$;
-- Its worker lives on, whatever the clock says.
create function pg_temp.stays() returns void language sql
as $$ update office.workers set lease_until = office.now() + interval '1 day' where id = current_setting('testing.worker')::uuid $$;
create function pg_temp.at_work(agent text, folder text) returns void language sql
as $$ select office.update_agent(agent, jsonb_build_object('executor', jsonb_build_object('command', '["/bin/true"]'::jsonb, 'folder', folder, 'provider', 'acme:team'))) $$;

-- Shown by 4: merged twice, waited for a slot, then for a folder, failed at a rate limit, waited for the hold, was its probe, finished.
select pg_temp.scenario('met', 'ann', 'bob', 'cis', 'dan');
select pg_temp.stays();
select pg_temp.at_work('met/ann', '/srv/met'), pg_temp.at_work('met/bob', '/srv/met'), pg_temp.at_work('met/cis', '/srv/else');
select office.set_setting('max_concurrent_runs', '2', 'met');
select pg_temp.wake('cis') as cis \gset
select pg_temp.wake('dan') as dan \gset
select pg_temp.claim();
select pg_temp.start(:'cis'), pg_temp.start(:'dan');
select pg_temp.wake('bob') as bob \gset
select testing.advance('1 second');
select pg_temp.began();
select pg_temp.wake('ann') as ann \gset
select pg_temp.claim();
select is(
  (select u.waiting_for || ' → ' || u.lift from office.up_next as u where u.workspace = 'met' and u.agent = 'ann'),
  'every slot of workspace met is in use (2) → select office.set_setting(''max_concurrent_runs'', ''3'', ''met'');',
  'S5: up_next says the first reason, and what lifts it: a slot'
);
select testing.advance('1 minute');
select pg_temp.wake('ann');
select pg_temp.claim();
select testing.advance('4 minutes');
select set_eq(
  format('select pg_temp.story(%L)', :'ann'),
  $$ values
    ('0 woken user'), ('1 woken user (merged, 2 of 2)'), ('5 waits every slot of workspace met is in use (2) (5)') $$,
  'I9: what waits says for what, and how long already'
);
select pg_temp.finish(:'cis'), pg_temp.finish(:'dan');
select pg_temp.claim();
select pg_temp.start(:'bob');
select is(
  (select u.waiting_for || ' → ' || u.lift from office.up_next as u where u.workspace = 'met' and u.agent = 'ann'),
  format('Same folder as r%1$s of bob, which is running → select * from office.stop(''r%1$s'');', (pg_temp.run(:'bob')).number),
  'S5: … then the folder'
);
select testing.advance('10 minutes');
select pg_temp.finish(:'bob'), office.confirm_cleanup(pg_temp.attempt(:'bob'));
select pg_temp.claim();
select pg_temp.start(:'ann');
select testing.advance('5 minutes');
select pg_temp.fail(:'ann', '429 Too Many Requests: try again in 30 minutes'), office.confirm_cleanup(pg_temp.attempt(:'ann'));
select pg_temp.claim();
select is(
  (select u.waiting_for || ' → ' || u.lift from office.up_next as u where u.workspace = 'met' and u.agent = 'ann'),
  'its retry is due → select * from office.wake(''met/ann'');', 'S5: … then its retry'
);
select testing.advance('5 minutes');
select pg_temp.wake('ann');
select pg_temp.claim();
select matches(
  (select u.waiting_for || ' → ' || u.lift from office.up_next as u where u.workspace = 'met' and u.agent = 'ann'),
  '^Provider acme:team is on hold until .* → select .*office.end_hold\(''acme:team''\);$', 'S5, Q25: … brought forward by a person, then the hold'
);
select testing.advance('25 minutes 30 seconds');
select pg_temp.claim();
select pg_temp.start(:'ann');
select testing.advance('5 minutes');
select pg_temp.finish(:'ann');
select results_eq(
  format($$ select regexp_replace(regexp_replace(s, 'on hold until.*\(|r[0-9]+ of', '(', 'g'), 'at 20[^,]*Z', 'at T') from pg_temp.story(%L) as s $$, :'ann'),
  $$ values
    ('0 woken user'),
    ('0 waited for a slot of workspace met: 2 of 2 were in use (5)'),
    ('1 woken user (merged, 2 of 3)'),
    ('5 waited Same folder as ( bob, which is running (10)'),
    ('15 claimed attempt 1, (0)'),
    ('15 started attempt 1 (5)'),
    ('20 failed attempt 1: 429 Too Many Requests: try again in 30 minutes'),
    ('20 hold began provider acme:team: its limit was hit'),
    ('20 retry scheduled the limit''s reset, at T, retry 1'),
    ('20 waited for its retry (5)'),
    ('25 woken user (merged, 3 of 3; shown by attempt 2)'),
    ('25 waited Provider acme:team is (25.5)'),
    ('50.5 claimed attempt 2,, as the probe of acme:team (0)'),
    ('50.5 started attempt 2 (5)'),
    ('55.5 succeeded attempt 2'),
    ('55.5 hold ended provider acme:team: its probe succeeded'),
    ('55.5 finished succeeded') $$,
  'I9, S5, Q25, Q4: the whole story in order, each wait with its reason and how long it lasted'
);
select is(
  (select sum(y.lasted) filter (where y.event in ('waited', 'claimed', 'started')) from office.why(:'ann') as y),
  interval '55 minutes 30 seconds', 'I9: its stretches leave no minute out and count none twice'
);
select office.confirm_cleanup(pg_temp.attempt(:'ann')), office.confirm_cleanup(pg_temp.attempt(:'cis'));
select is_empty('select * from office.audit()', 'Q26: the books are right');

-- What no row says: one reason after the other, each told from what went on then.
select pg_temp.scenario('around', 'ann', 'bob', 'cis');
select pg_temp.stays();
select office.update_agent('around/ann', '{"cooldown_sec": 60}');
select pg_temp.look();
select pg_temp.message('ann') as before \gset
select pg_temp.claim();
select pg_temp.start(:'before');
select pg_temp.began();
select pg_temp.wake('ann') as ann \gset
select pg_temp.claim();
select testing.advance('2 minutes');
select pg_temp.finish(:'before');
select pg_temp.claim();
select testing.advance('1 minute');
-- Cooled down; now two take all the slots.
select office.set_setting('max_concurrent_runs', '2', 'around');
select office.pause('around/ann', 'lunch');
select pg_temp.look();
select pg_temp.wake('bob') as bob \gset
select pg_temp.wake('cis') as cis \gset
select pg_temp.claim();
select pg_temp.start(:'bob'), pg_temp.start(:'cis');
select testing.advance('3 minutes');
select office.resume('around/ann');
select pg_temp.claim();
select testing.advance('4 minutes');
select office.pause('workspace:around', 'night');
select pg_temp.finish(:'bob'), pg_temp.finish(:'cis');
select pg_temp.claim();
select testing.advance('5 minutes');
select office.pause('everything', 'night');
select office.resume('workspace:around');
select pg_temp.claim();
select testing.advance('6 minutes');
select office.resume('everything');
select testing.advance('7 minutes');
select pg_temp.claim();
select results_eq(
  format('select pg_temp.story(%L)', :'ann'),
  $$ values
    ('0 woken user'),
    ('0 waited for ann, who had 1 of 1 runs going (2)'),
    ('2 waited for ann to cool down (1)'),
    ('3 waited while ann was held (3)'),
    ('6 waited for a slot of workspace around: 2 of 2 were in use (4)'),
    ('10 waited while workspace around was paused (5)'),
    ('15 waited while everything was paused (6)'),
    ('21 waited for a worker (7)'),
    ('28 claimed attempt 1, (0)') $$,
  'I9: capacity, cooldown, pauses, slots and workers are told from what went on around it'
);
select is(pg_temp.finish(:'ann'), 'succeeded', 'it goes on');
select is_empty('select * from office.audit()', 'Q26: the books are right');

-- Parked for what its task waits for; then with no worker alive.
select pg_temp.scenario('task', 'ann');
select pg_temp.stays();
select pg_temp.began();
select pg_temp.task('stone') as stone \gset
select pg_temp.task('wall', 'ann') as wall \gset
select pg_temp.look();
insert into office.task_blockers (workspace_id, task_id, blocker_task_id)
select t.workspace_id, t.id, pg_temp.task_id(:'stone') from office.tasks as t where t.id = pg_temp.task_id(:'wall');
select pg_temp.look();
select testing.advance('1 minute');
update office.tasks set snoozed_until = office.now() + interval '3 minutes' where id = pg_temp.task_id(:'wall');
delete from office.task_blockers where task_id = pg_temp.task_id(:'wall');
select pg_temp.look();
select testing.advance('3 minutes');
update office.workers set ended_at = office.now(), end_reason = 'stopped', lease_until = office.now() where id = current_setting('testing.worker')::uuid;
select pg_temp.look();
select testing.advance('2 minutes');
select set_config('testing.worker', w.worker_id::text, true) from office.register_worker('box', max_runs => 100, workspace => 'task') as w;
select pg_temp.stays();
select pg_temp.claim();
select results_eq(
  format('select pg_temp.story(%L)', :'wall'),
  $$ values
    ('0 woken task_assigned'), ('0 waited for what blocks its task (1)'), ('1 waited for the end of its task''s snooze (3)'),
    ('4 waited for a worker: none lived (2)'), ('6 claimed attempt 1, (0)') $$,
  'I9: a blocker, a snooze, no worker'
);

-- A worker's own story.
select results_eq(
  $$ select event, regexp_replace(detail, 'r[0-9]+ of', 'run of'), lasted, lift like 'select * from office.stop(%' from office.why('worker:box') $$,
  $$ values
    ('registered', 'on box, for 100 runs at once', interval '0', null::boolean), ('starting', 'run of ann', '0', true),
    ('lives', format('until %s unless it says so again', office.now() + interval '1 day'), '0', null) $$,
  'I9: a worker''s story, by its host, the latest'
);
update office.workers set lease_until = office.now() where id = current_setting('testing.worker')::uuid;
select results_eq(
  $$ select event, detail, lift from office.why(current_setting('testing.worker')) offset 2 $$,
  $$ values ('is silent', 'its lease has run out', 'select * from office.maintain();') $$, 'I9: by its id; a dead one says what lets go of what it had'
);
select throws_ok($$ select office.why('worker:nowhere') $$, 'PT404', null, 'I9: an unknown one is refused');
select is_empty('select * from office.audit()', 'Q26: the books are right');

select * from finish();
rollback;
