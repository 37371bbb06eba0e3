-- Q25, sc-W23: a limit seen by one run puts its provider account on hold for all, until it resets and one run has tried. A limit seen
-- once must not cost every other run a launch to find out.
begin;
set local search_path = tap, public;
\ir ../support/refusal.psql
\ir ../support/queue.psql
\ir ../support/deciding.psql
\ir ../support/providers.psql
select plan(62);

-- One account, three workspaces; another account beside it

select pg_temp.spending('one', 'anthropic:team', null, 'ann', 'amy');
select pg_temp.spending('two', 'anthropic:team', null, 'bob', 'ben');
select pg_temp.spending('other', 'openai:own', null, 'cis');
select pg_temp.scenario('none', 'dan');

-- What runs when the limit is hit goes on
select pg_temp.at('two');
select pg_temp.wake('ben') as going \gset
select pg_temp.claim();
select pg_temp.start(:'going');
select pg_temp.hits('one', 'ann', 'API Error: 429 Too Many Requests. Retry-After: 3600') as hit \gset
select is(pg_temp.holds(), 'anthropic:team until 11:00:30', 'Q25, sc-W23: a limit hit puts the account on hold until its reset and 30 s');
select is(
  (select h.run_id = (pg_temp.run(:'hit')).id and h.attempt_id = pg_temp.attempt(:'hit') and h.since = office.now() from office.provider_holds as h),
  true, 'Q25: … which says whence'
);
select is((pg_temp.run(:'going')).status, 'running', 'Q25: what runs there already is left alone');

select pg_temp.at('one');
select pg_temp.wake('amy') as amy \gset
select is(pg_temp.claim_at('one'), '', 'Q25, sc-W23: another agent''s run of that account waits');
select pg_temp.at('two');
select pg_temp.wake('bob') as bob \gset
select is(pg_temp.claim_at('two'), '', 'Q25, sc-W23: … in another workspace, too');
select is(
  concat_ws(' ', (pg_temp.run(:'bob')).status, (pg_temp.run(:'bob')).parked, to_char((pg_temp.run(:'bob')).due_at at time zone 'UTC', 'HH24:MI:SS'), (pg_temp.run(:'bob')).retry_count),
  'queued provider 11:00:30 0', 'Q25, sc-W23: … out of its lane until then, no retry counted'
);
select is(
  pg_temp.waits(:'bob'),
  'Provider anthropic:team is on hold until 2035-01-01 11:00:30 UTC: its limit was hit | select * from office.end_hold(''anthropic:team'');',
  'Q25, S5, sc-W23: … and says why, until when, and what lifts it'
);
select is((select u.waiting_for from office.up_next as u where u.agent = 'bob'), 'Provider anthropic:team is on hold until 2035-01-01 11:00:30 UTC: its limit was hit', 'S5: … in up_next');
select pg_temp.at('other');
select pg_temp.wake('cis') as cis \gset
select is(pg_temp.claim_at('other'), 'cis:user', 'Q25: other accounts go on');
select pg_temp.at('none');
select pg_temp.wake('dan') as dan \gset
select is(pg_temp.claim_at('none'), 'dan:user', 'Q25: … and who names none');

-- A success of what ran before the limit was hit proves nothing
select pg_temp.at('two');
select pg_temp.finish(:'going');
select is(pg_temp.holds(), 'anthropic:team until 11:00:30', 'Q25: only the probe''s success ends the hold');

-- Q21: people do not pass a hold
select pg_temp.at('one');
select pg_temp.wake('ann') as again \gset
select is(pg_temp.claim_at('one'), '', 'Q21, Q25: a person''s wake brings the run forward, and the provider on hold still holds it');
select is(
  (select string_agg(f.reason, '; ') from office.waiting_for((pg_temp.run(:'hit')).id) as f), 'Provider anthropic:team is on hold until 2035-01-01 11:00:30 UTC: its limit was hit',
  'Q21: … not its back-off'
);
select is_empty('select * from office.audit()', 'Q26: the books balance while an account is on hold');

-- The time comes
select testing.set_clock('2035-01-01 11:00:29+00');
select is(pg_temp.claim_at('two') || pg_temp.claim_at('one'), '', 'Q25: nobody tries before');
select testing.set_clock('2035-01-01 11:00:30+00');
select is(pg_temp.claim_at('two'), 'bob:user', 'Q25, sc-W23: then one probe goes');
select is(pg_temp.holds(), 'anthropic:team until 11:00:30 probed', 'Q25: … known as such');
select is(pg_temp.claim_at('one') || pg_temp.claim_at('two'), '', 'Q25, sc-W23: … and only one, in all workspaces');
select is(
  pg_temp.waits(:'amy'), 'Provider anthropic:team is on hold: one run tries whether its limit has reset | select * from office.end_hold(''anthropic:team'');',
  'S5: … the others say so'
);
select is_empty('select * from office.audit()', 'Q26: the books balance while it is tried');

-- It hits the limit again
select pg_temp.at('two');
select pg_temp.start(:'bob');
select pg_temp.fail(:'bob', 'usage limit reached, try again in 30 minutes');
select is(pg_temp.holds(), 'anthropic:team until 11:31:00', 'Q25: a probe that hits the limit renews the hold');
select is(pg_temp.claim_at('two') || pg_temp.claim_at('one'), '', 'Q25: … and all wait on');
select is((select to_char(min(r.due_at) at time zone 'UTC', 'HH24:MI:SS') from office.runs as r where r.parked = 'provider'), '11:31:00', 'Q25: … until then');
select is_empty('select * from office.audit()', 'Q26: the books balance after a renewal');

-- It fails otherwise: the next one tries
select testing.set_clock('2035-01-01 11:31:00+00');
select is(pg_temp.claim_at('one', 1), 'ann:user', 'Q25: the next probe');
select pg_temp.start(:'hit');
select pg_temp.fail(:'hit', 'segmentation fault');
select is(pg_temp.holds(), 'anthropic:team until 11:31:00', 'Q25: a probe that fails otherwise frees its place');
select is(pg_temp.claim_at('one', 1), 'amy:user', 'Q25: … for the next');
select is(pg_temp.holds(), 'anthropic:team until 11:31:00 probed', 'Q25: … probe');

-- It is lost
select office.expire_worker(current_setting('testing.worker')::uuid);
select is((pg_temp.run(:'amy')).status, 'queued', 'Q22: a probe whose worker died before its start is queued again');
select is(pg_temp.holds(), 'anthropic:team until 11:31:00', 'Q25, Q22: … and its place is free');
select is(pg_temp.claim_at('two', 1), 'bob:user', 'Q25: … for another workspace''s');

-- It is stopped
select pg_temp.start(:'bob');
select office.stop('r' || (pg_temp.run(:'bob')).number);
select is(pg_temp.holds(), 'anthropic:team until 11:31:00 probed', 'Q25: a probe that is being stopped is still one');
select pg_temp.fail(:'bob', 'killed');
select is(pg_temp.holds(), 'anthropic:team until 11:31:00', 'Q25: a probe that was stopped frees its place');

-- By hand
select set_config('testing.worker', w.worker_id::text, true) from office.register_worker('box', max_runs => 100, workspace => 'one') as w;
select is(pg_temp.claim(1), 'amy:user', 'Q25: the next');
select pg_temp.start(:'amy');
update office.runs set status = 'interrupted' where id = (pg_temp.run(:'amy')).id;
select is(pg_temp.holds(), 'anthropic:team until 11:31:00', 'Q25: a probe that a hand ended frees its place');
update office.runs set status = 'queued' where id = (pg_temp.run(:'amy')).id;

-- It succeeds
select is(pg_temp.claim(1), 'amy:user', 'Q25: the next');
select pg_temp.at('two');
select pg_temp.wake('bob') as bob, pg_temp.wake('ben') as ben \gset
select is(pg_temp.claim(), '', 'Q25: all wait for the probe');
select pg_temp.finish(:'amy');
select is(pg_temp.holds(), '', 'Q25, sc-W23: its success ends the hold');
select is((select h.ended_by from office.provider_holds as h), 'probe', 'Q25: … and is known to have done so');
select is(pg_temp.claim_at('two'), 'bob:user, ben:user', 'Q25, sc-W23: then all go');
select pg_temp.finish(:'bob'), pg_temp.finish(:'ben');
select is_empty('select * from office.audit()', 'Q26: the books balance after the hold');

-- A probe that asks a person was served

select pg_temp.spending('asks', 'anthropic:asks', null, 'ann', 'bob');
select pg_temp.hits('asks', 'ann', 'rate limit, retry-after: 60');
select pg_temp.wake('bob') as bob \gset
select pg_temp.claim();
select testing.advance('91 seconds');
select pg_temp.claim(1);
select id as probe, attempt_id as attempt from office.runs where id = (select h.probe_run_id from office.provider_holds as h where h.provider = 'anthropic:asks') \gset
select office.start_attempt(:'attempt');
select pg_temp.ask((select w.id from office.wakeups as w where w.run_id = :'probe'));
select is(pg_temp.holds(), '', 'Q25: a probe that waits for a person was served: nobody waits for the person');
update office.runs set status = 'finished' where id = :'probe';

-- The models of one account

select pg_temp.spending('models', 'anthropic:max', 'claude-opus-4-1', 'ann', 'amy');
select pg_temp.scenario('more-models', 'bob', 'ben');
select office.update_agent('more-models/bob', '{"executor": {"command": ["/bin/true"], "provider": "anthropic:max", "model": "claude-sonnet-4-5"}}');
select office.update_agent('more-models/ben', '{"executor": {"command": ["/bin/true"], "provider": "anthropic:max"}}');
select pg_temp.hits('models', 'ann', 'You''ve hit your Opus limit · resets 3pm') as hit \gset
select is(pg_temp.holds(), 'anthropic:max/claude-opus-4-1 until 15:00:30', 'Q25: a limit of the model holds that model');
select pg_temp.wake('amy') as amy \gset
select is(pg_temp.claim(), '', 'Q25: … for its agents');
select pg_temp.at('more-models');
select pg_temp.wake('bob') as bob, pg_temp.wake('ben') as ben \gset
select is(pg_temp.claim(), 'bob:user, ben:user', 'Q25: … and for no other model of the account');
select is(
  pg_temp.waits(:'amy'),
  'Provider anthropic:max, model claude-opus-4-1 is on hold until 2035-01-01 15:00:30 UTC: the limit of claude-opus-4-1 was hit | select * from office.end_hold(''anthropic:max'', ''claude-opus-4-1'');',
  'S5: … and the reason says so'
);
select pg_temp.start(:'bob');
select pg_temp.fail(:'bob', '5-hour limit reached ∙ resets 2pm');
select is(pg_temp.holds(), 'anthropic:max until 14:00:30, anthropic:max/claude-opus-4-1 until 15:00:30', 'Q25: a limit that names no model is the account''s');
select testing.set_clock('2035-01-01 14:00:30+00');
select is(pg_temp.claim_at('models'), '', 'Q25: both hold an agent of that model');

-- end_hold

select is((pg_temp.refusal($$ select * from office.end_hold('anthropic:mex') $$)).hint, 'Did you mean "anthropic:max"?', 'I2: an account that is not on hold is refused, with the nearest that is');
select set_eq(
  $$ select * from office.end_hold('anthropic:max') $$,
  $$ values ('anthropic:max', null, '2035-01-01 14:00:30+00'::timestamptz), ('anthropic:max', 'claude-opus-4-1', '2035-01-01 15:00:30+00'::timestamptz) $$,
  'Q25: an operator ends all holds of an account'
);
select is(pg_temp.claim_at('models'), 'amy:user', 'Q25: … and who waits goes');
select is((pg_temp.run(:'hit')).parked, 'retry', 'Q25: … but for who has a retry of his own to wait for');
select is(
  (pg_temp.refusal($$ select * from office.end_hold('anthropic:max') $$)).state, 'PT404', 'Q25: there is nothing more to end'
);

-- Nobody waits

select pg_temp.spending('quiet', 'anthropic:quiet', null, 'ann');
select pg_temp.hits('quiet', 'ann', 'rate limit, retry-after: 60') as hit \gset
select office.stop('r' || (pg_temp.run(:'hit')).number);
select is((select m.done from office.maintain() as m where m.piece = 'holds'), 0, 'Q25: a hold that lasts is left');
select testing.advance('2 minutes');
select is((select m.done from office.maintain() as m where m.piece = 'holds'), 1, 'Q25: a hold that has passed, and for which nobody waits, is over');
select is((select h.ended_by from office.provider_holds as h where h.provider = 'anthropic:quiet'), 'time', 'Q25: … by time');

-- Retention takes the run that hit the limit: who waits is told all the same

select pg_temp.spending('old', 'anthropic:old', null, 'ann', 'bob');
select pg_temp.hits('old', 'ann', 'rate limit, retry-after: 60') as hit \gset
select office.stop('r' || (pg_temp.run(:'hit')).number);
select pg_temp.wake('bob') as bobs \gset
select pg_temp.claim(1);
set local session_replication_role = replica;
delete from office.runs where id = (pg_temp.run(:'hit')).id;
set local session_replication_role = origin;
select is((pg_temp.run(:'bobs')).parked, 'provider', 'Q25: one more waits');
select office.end_hold('anthropic:old');
select office.dispatch();
select is(pg_temp.claim(1), 'bob:user', 'Q25: … and goes on when a person ends the hold, whoever hit the limit');
select pg_temp.finish(:'bobs');

-- A give-up by its limit, too

select pg_temp.spending('last', 'anthropic:last', null, 'ann');
select office.set_setting('max_retry_count', '0', 'last');
select pg_temp.hits('last', 'ann', 'rate limit, retry-after: 60') as hit \gset
select is((pg_temp.run(:'hit')).status || ' ' || pg_temp.holds(), 'failed anthropic:last until ' || to_char((office.now() + interval '90 seconds') at time zone 'UTC', 'HH24:MI:SS'), 'Q25, Q19: a run that gives up by a limit has seen it, too');

-- A probe that hits a limit of unknown length keeps the others from burning a launch each

select pg_temp.spending('unknown', 'anthropic:unknown', null, 'ann', 'bob');
select pg_temp.hits('unknown', 'ann', 'rate limit exceeded') as first \gset
select is((select count(*)::integer from office.provider_holds as h where h.provider = 'anthropic:unknown'), 0, 'Q25: a limit whose reset is not known holds only its own run');
select pg_temp.hits('unknown', 'bob', 'rate limit, retry-after: 60') as second \gset
select testing.advance('91 seconds');
select pg_temp.claim(1);
select pg_temp.fail(:'second', 'rate limit exceeded');
select is(
  (select h.until = (pg_temp.run(:'second')).scheduled_retry_at and h.probe_run_id is null from office.provider_holds as h where h.provider = 'anthropic:unknown'), true,
  'Q25: … but a probe that hits it renews the hold until it is tried again'
);

select office.end_hold(h.provider) from (select distinct provider from office.provider_holds where ended_at is null) as h;
select pg_temp.claim_at(w.name) from office.workspaces as w where w.name in ('one', 'two', 'asks', 'models', 'more-models', 'last', 'unknown');
select is_empty('select * from office.audit()', 'Q26: the books balance');
select * from finish();
rollback;
