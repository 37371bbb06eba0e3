-- B1, B2, Q13.6: budgets: alerts once a period, what happens when one is spent, who is let go, what launches reserve. sc-X7
begin;
set local search_path = tap, public;
\ir ../support/queue.psql
\ir ../support/refusal.psql
\ir ../support/money.psql
\ir ../support/acting.psql
select plan(114);

-- A month of one agent: alert, exceeded, refused, paused, resumed next month

select pg_temp.scenario('month', 'ann', 'bob', 'lead');
select office.update_agent('month/lead', '{"role": "coordinator"}');
select is(
  (select concat_ws(' ', b.budget, b.budget_period, b.most_cents, b.action) from office.set_budget('month/ann', 100, run_estimate_cents => 1) as b),
  'agent:month/ann month 100.000000 pause_agent', 'B1: a budget of an agent'
);
select pg_temp.wake('ann') as one \gset
select is(pg_temp.claim(), 'ann:user', 'Q13.6: room: launched');
select pg_temp.start(:'one');
select pg_temp.cost(pg_temp.attempt(:'one'), 79.999999);
select is(pg_temp.told(), '', 'B1: below 80 % nobody is told');
select pg_temp.cost(pg_temp.attempt(:'one'), 0.000001);
select is(pg_temp.told(), 'budget_alert | budget.alert | lead 80', 'B1, sc-X7: at 80 % activity, inbox, and a wake for the one who leads');
select pg_temp.cost(pg_temp.attempt(:'one'), 1), pg_temp.cost(pg_temp.attempt(:'one'), 18);
select is(pg_temp.told(), 'budget_alert | budget.alert | lead 80', 'B1, sc-X7: one alert a period, however often it is checked');
select is(pg_temp.agent('ann'), 'active open', 'B1: an alert holds nothing back');
select is(
  (select q.payload - 'policy_id' || jsonb_build_object('key', q.idempotency_key = format('budget_alert:%s:2035-01-01:alert', (pg_temp.budget('agent:month/ann')).id), 'depth', q.depth)
    from office.wakeups as q where q.source = 'budget_alert'),
  jsonb_build_object('agent_instance_id', (pg_temp.run(:'one')).agent_id, 'budget_pct', 80, 'scope', 'agent:month/ann', 'key', true, 'depth', 1),
  'Q2, Q3: … with whose cost crossed, the percentage and a key of its period'
);
select is(pg_temp.claim(), 'lead:budget_alert', 'B1: … which runs');
select pg_temp.cost(pg_temp.attempt(:'one'), 1);
select is(pg_temp.told(), 'budget_alert, budget_exceeded | budget.alert, budget.exceeded | lead 80, lead 100', 'B1: at the limit, told once more');
select is(pg_temp.agent('ann'), 'active', 'A6, B1: its lane closes at once');
select is((pg_temp.run(:'one')).status, 'running', 'P1: a pause by a budget only stops new claims');
select pg_temp.wake('ann') as two \gset
select is(pg_temp.claim(), '', 'B1, sc-X7: over: the next launch is refused');
select office.carry_out();
select is(pg_temp.agent('ann'), 'paused budget The month budget of agent:month/ann is spent', 'B1, sc-X7: … the agent is paused');
select is(pg_temp.agent('bob'), 'active open', 'B1: … and nobody else');
select pg_temp.cost(pg_temp.attempt(:'one'), 1), pg_temp.look(), office.maintain();
select is(pg_temp.told(), 'budget_alert, budget_exceeded | budget.alert, budget.exceeded | lead 80, lead 100', 'B1: one exceeding a period');
select pg_temp.finish(:'one');
select pg_temp.claim();
select is((pg_temp.run(:'two')).status, 'queued', 'Q13.6: the run stays queued behind it');
select is(
  (select f.reason || ' > ' || f.lift from office.waiting_for((pg_temp.run(:'two')).id) as f limit 1),
  'ann is paused: The month budget of agent:month/ann is spent > select * from office.set_budget(''agent:month/ann'', 200, period => ''month'');',
  'S5: … and says why, and what lifts it'
);
select is(
  (select h.mend from office.held_up() as h where h.kind = 'paused' and h.subject = 'month/ann'),
  'select * from office.set_budget(''agent:month/ann'', 200, period => ''month'');', 'I4: health says what mends it'
);
select is_empty('select * from office.audit()', 'Q26: the books balance');
select testing.set_clock('2035-01-31 23:59:59+00');
select office.maintain(), office.carry_out(), pg_temp.claim();
select is(pg_temp.agent('ann'), 'paused budget The month budget of agent:month/ann is spent', 'B1: until the period is over, by UTC');
select testing.set_clock('2035-02-01 00:00:00+00');
select office.maintain(), office.carry_out();
select is(pg_temp.claim(), 'ann:user', 'B1, sc-X7: next month it is resumed, and what waited runs');
select is(pg_temp.agent('ann'), 'active open', 'B1: … by its row');
select is((select count(*)::integer from office.inbox_items where kind like 'budget.%' and closed_at is null), 0, 'B1: … and nobody need look any more');
select pg_temp.cost(pg_temp.attempt(:'two'), 100);
select is(
  (select count(*)::integer from office.wakeups as q where q.source = 'budget_alert' and q.idempotency_key like '%:2035-02-01:exceeded'), 1,
  'B1: a new period is told of anew'
);
select is((select count(*)::integer from office.wakeups as q where q.source = 'budget_alert'), 3, 'B1: an alert that the limit has overtaken is passed over');
select pg_temp.finish(:'two');

-- A raised limit lets go those that it paused, and only those
select is(office.carry_out() > 0, true, 'A6: the pause is carried out');
select is(pg_temp.agent('ann'), 'paused budget The month budget of agent:month/ann is spent', 'B1: spent once more');
select office.set_budget('ann', 100.5);
select pg_temp.look(), office.carry_out(), pg_temp.look();
select is(pg_temp.agent('ann'), 'active open', 'B1: a raised limit resumes it');
select is((pg_temp.budget('agent:month/ann')).run_estimate_cents, 1.000000, 'B1: what is not given stays as it is');
update office.agents set status = 'paused' where name = 'ann' and workspace_id = (select id from office.workspaces where name = 'month');
select pg_temp.look();
select office.set_budget('ann', 50);
select pg_temp.look(), office.carry_out();
select office.set_budget('ann', 500);
select pg_temp.look(), office.carry_out(), pg_temp.look();
select is(pg_temp.agent('ann'), 'paused person', 'B1: whom a person has paused no budget lets go');
select office.resume('ann');
select office.set_budget('ann', 50);
select pg_temp.look(), office.carry_out();
select is(pg_temp.agent('ann'), 'paused budget The month budget of agent:month/ann is spent', 'B1: a limit set lower than what is spent pauses');
select office.pause('ann', 'mine now');
select office.set_budget('ann', null);
select pg_temp.look(), office.carry_out(), pg_temp.look();
select is(pg_temp.agent('ann'), 'paused person mine now', 'B1: … a person''s pause after it stays, also when the budget is removed');
select is_empty('select * from office.audit()', 'Q26: the books balance');

-- All in scope, and two budgets on one agent

select pg_temp.scenario('scope', 'ann', 'bob', 'cis');
select office.set_budget('workspace:scope', 10, run_estimate_cents => 0), office.set_budget('scope/ann', 5, 'day', run_estimate_cents => 0);
update office.agents set status = 'paused' where name = 'cis' and workspace_id = (select id from office.workspaces where name = 'scope');
select pg_temp.wake('ann') as w \gset
select pg_temp.claim();
select pg_temp.cost(pg_temp.attempt(:'w'), 10);
select office.carry_out();
select is(pg_temp.agent('ann') || ', ' || pg_temp.agent('bob') || ', ' || pg_temp.agent('cis'),
  'paused budget The month budget of workspace:scope is spent, paused budget The month budget of workspace:scope is spent, paused person',
  'B1: pause_agent pauses all agents in scope that are not paused'
);
select is_empty('select * from office.audit()', 'Q26: the books balance');
select office.set_budget('workspace:scope', 100);
select pg_temp.look(), office.carry_out(), pg_temp.look();
select is(pg_temp.agent('ann') || ', ' || pg_temp.agent('bob') || ', ' || pg_temp.agent('cis'),
  'paused budget The month budget of workspace:scope is spent, active open, paused person', 'B1: … each is let go when no budget holds it any more');
select testing.advance('1 day');
select office.maintain(), office.carry_out(), pg_temp.look();
select is(pg_temp.agent('ann'), 'active open', 'B1: … by the last of them');
select pg_temp.finish(:'w');
-- By hand
update office.budgets set limit_cents = 3 where id = (pg_temp.budget('workspace:scope')).id;
select pg_temp.look(), office.carry_out();
select is(pg_temp.agent('bob'), 'paused budget The month budget of workspace:scope is spent', 'B1: a limit lowered by hand');
update office.budgets set action_on_exceed = 'notify' where id = (pg_temp.budget('workspace:scope')).id;
select pg_temp.look(), office.carry_out(), pg_temp.look();
select is(pg_temp.agent('bob'), 'active open', 'B1: … an action changed by hand');
update office.budgets set action_on_exceed = 'pause_agent' where id = (pg_temp.budget('workspace:scope')).id;
select pg_temp.wake('bob');
select is(pg_temp.claim(), '', 'B1: … and back');
delete from office.budgets where id = (pg_temp.budget('workspace:scope')).id;
select pg_temp.look(), office.carry_out(), pg_temp.look();
select is(pg_temp.agent('bob') || ' ' || (select count(*) from office.budgets where removed_at is not null), 'active open 2', 'B1: … a DELETE removes it, and lets go');
select is(pg_temp.claim(), 'bob:user', 'B1: … and the run goes');
select is_empty('select * from office.audit()', 'Q26: the books balance');

-- A person resumes whom a budget has paused: the next launch is refused all the same

select pg_temp.scenario('again', 'ann');
select office.set_budget('again/ann', 1);
select pg_temp.wake('ann') as w \gset
select pg_temp.claim();
select pg_temp.cost(pg_temp.attempt(:'w'), 5);
select pg_temp.finish(:'w');
select office.carry_out();
select office.resume('again/ann');
select pg_temp.wake('ann') as next \gset
select is(pg_temp.claim() || (pg_temp.run(:'next')).status, 'queued', 'Q13.6: checked before every launch');
select office.carry_out();
select is(pg_temp.agent('ann'), 'paused budget The month budget of agent:again/ann is spent', 'Q13.6: … and paused again');
select is(
  (select v.detail ->> 'budget' || ' ' || (v.detail ->> 'action') from office.activity as v where v.kind = 'wakeup_budget_blocked' and v.run_id = (pg_temp.run(:'next')).id),
  'agent:again/ann pause_agent', 'Q13.6: … with activity'
);
select is(pg_temp.told(), 'budget_exceeded | budget.exceeded', 'B1: … and told no second time; nobody leads here');

-- block_new_tasks, notify; the order of the check

select pg_temp.scenario('block', 'ann', 'bob');
select office.create_project('site', workspace => 'block');
select office.set_budget('workspace:block', 10, action_on_exceed => 'notify', run_estimate_cents => 100),
  office.set_budget('project:block/site', 5, action_on_exceed => 'block_new_tasks', run_estimate_cents => 1),
  office.set_budget('block/ann', 4, run_estimate_cents => 1);
select pg_temp.task('site work', 'ann') as task \gset
update office.tasks set project_id = (select id from office.projects where name = 'site' and workspace_id = (select id from office.workspaces where name = 'block')) where id = pg_temp.task_id(:'task');
select is(pg_temp.claim(), 'ann:task_assigned', 'Q13.6: notify lets through whatever a run may cost');
select id as w from office.wakeups where task_id = pg_temp.task_id(:'task') \gset
select pg_temp.start(:'w');
select pg_temp.cost(pg_temp.attempt(:'w'), 20);
select is(pg_temp.told(), 'budget_exceeded, budget_exceeded, budget_exceeded | budget.exceeded, budget.exceeded, budget.exceeded', 'B1: each budget tells for itself');
select pg_temp.finish(:'w');
select office.carry_out();
select office.resume('block/ann');
select pg_temp.wake('ann', 'user', pg_temp.about(:'task')) as next \gset
select is(pg_temp.claim(), '', 'Q13.6: refused');
select is(
  (pg_temp.run(:'next')).result || ' ' || (pg_temp.wakeup(:'next')).status || ' ' || (pg_temp.wakeup(:'next')).reason, 'budget_blocked skipped budget_blocked',
  'Q13.6, Q10: block_new_tasks ends the run budget_blocked; the project''s budget comes before the agent''s'
);
select is((select count(*)::integer from office.activity as v where v.kind = 'wakeup_budget_blocked' and v.run_id = (pg_temp.run(:'next')).id), 1, 'Q13.6: … with activity');
select pg_temp.wake('bob') as other \gset
select is(pg_temp.claim(), 'bob:user', 'B1: notify holds nobody back, and bob works for no project');
select is_empty('select * from office.audit()', 'Q26: the books balance');

-- Reservations

select pg_temp.scenario('side', 'ann', 'bob', 'cis');
select office.update_agent('side/ann', '{"max_concurrent_sessions": 3}');
select office.set_budget('workspace:side', 25, run_estimate_cents => 10);
select pg_temp.message('ann') as a1 \gset
select pg_temp.message('ann') as a2 \gset
select pg_temp.message('ann') as a3 \gset
select pg_temp.wake('bob') as b \gset
select is(pg_temp.claim(), 'ann:message, ann:message', 'B2: of four launches side by side the budget has room for two');
select is(pg_temp.reserved('workspace:side'), '10, 10', 'B2: each reserves its estimate: at first the policy''s');
select is(
  (select string_agg((pg_temp.run(w)).status || ' ' || (pg_temp.run(w)).parked, ', ') from unnest(array[:'a3', :'b']::uuid[]) as w), 'queued budget, queued budget',
  'B2: the others wait'
);
select is(
  (select f.reason || ' > ' || f.lift from office.waiting_for((pg_temp.run(:'b')).id) as f limit 1),
  'the month budget of workspace:side: 0 of 25 cents are spent, 20 are reserved, and a run is expected to cost 10'
  ' > select * from office.set_budget(''workspace:side'', 50, period => ''month'');', 'S5: … and say for what'
);
select is(pg_temp.claim() || pg_temp.told(), '', 'B2: nothing is spent: nobody is paused, nobody is told');
select is((select u.waiting_for from office.up_next as u where u.run = 'r' || (pg_temp.run(:'b')).number),
  'the month budget of workspace:side: 0 of 25 cents are spent, 20 are reserved, and a run is expected to cost 10', 'I9: up_next says so');
select is_empty('select * from office.audit()', 'Q26: the books balance');
select testing.advance('10 seconds');
select pg_temp.start(:'a1');
select pg_temp.cost(pg_temp.attempt(:'a1'), 4);
select is(pg_temp.reserved('workspace:side') || ' of ' || pg_temp.spent('workspace:side'), '6, 10 of 4', 'B2: the ledger settles what was reserved');
select pg_temp.cost(pg_temp.attempt(:'a1'), 7);
select is(pg_temp.reserved('workspace:side') || ' of ' || pg_temp.spent('workspace:side'), '0, 10 of 11', 'B2: … never below zero');
select is(pg_temp.finish(:'a1'), 'succeeded', 'B2: it ends');
select is(pg_temp.reserved('workspace:side'), '10', 'B2: … and reserves nothing any more');
select is(pg_temp.claim(), '', 'B2: 11 spent, 10 reserved, 11 expected by ann''s last runs: no room for any');
select is((pg_temp.run(:'a3')).status || ' ' || (pg_temp.run(:'a3')).parked || ' ' || pg_temp.agent('ann'), 'queued budget active open', 'B2: … while a reservation may be settled for less, they wait');
select pg_temp.start(:'a2'), pg_temp.cost(pg_temp.attempt(:'a2'), 1);
select pg_temp.finish(:'a2');
select is(office_internal.run_estimate((pg_temp.run(:'a1')).agent_id, 99), 6.000000, 'B2: expected: the mean of the agent''s last runs');
select is(pg_temp.claim(), 'ann:message', 'B2: a reservation that was settled lets the next go');
select is(pg_temp.claim(), '', 'B2: … as far as there is room: 12 spent, 6 reserved, bob expected at 10');
select pg_temp.start(:'a3'), pg_temp.cost(pg_temp.attempt(:'a3'), 2);
select pg_temp.finish(:'a3');
select is(pg_temp.claim(), 'bob:user', 'B2: nobody who waits is forgotten');
select is(
  (select y.detail from office.why('r' || (pg_temp.run(:'b')).number) as y where y.event = 'waited' limit 1),
  'the month budget of workspace:side: 0 of 25 cents are spent, 20 are reserved, and a run is expected to cost 10', 'I9: … and its story says for what it waited'
);
select is_empty('select * from office.audit()', 'Q26: the books balance');
select pg_temp.wake('cis') as c \gset
select is(pg_temp.claim(), '', 'B2: 14 spent, 10 reserved: cis waits');
update office.attempts set ended_at = office.now(), outcome = 'failed' where id = pg_temp.attempt(:'b');
select is(pg_temp.reserved('workspace:side'), '', 'B2: an attempt ended by hand reserves nothing either');
update office.runs set status = 'failed' where id = (pg_temp.run(:'b')).id;
select is(pg_temp.claim(), 'cis:user', 'B2: … and who waited goes');
select pg_temp.finish(:'c');
select pg_temp.cost(pg_temp.attempt(:'c'), 2);
select pg_temp.wake('bob') as b2 \gset
select is(pg_temp.claim() || (pg_temp.run(:'b2')).status, 'queued', 'B2: 16 of 25 spent and 10 expected: no room, and nothing to wait for');
select office.carry_out();
select is(pg_temp.agent('bob') || ', ' || pg_temp.agent('cis'), 'paused budget The month budget of workspace:side is spent, active open', 'Q13.6: … so the agent is paused, and that one alone');
select is(pg_temp.told(), 'budget_exceeded | budget.exceeded', 'B1: … and people are told');
select is_empty('select * from office.audit()', 'Q26: the books balance');

-- K13: without what launches reserve, those side by side do pass it

select pg_temp.scenario('naive', 'ann', 'bob');
select office.set_budget('workspace:naive', 25, run_estimate_cents => 0);
select pg_temp.wake('ann') as a \gset
select pg_temp.wake('bob') as b \gset
select is(pg_temp.claim(), 'ann:user, bob:user', 'K13: who expects nothing reserves nothing');
select pg_temp.cost(pg_temp.attempt(w), 20) from unnest(array[:'a', :'b']::uuid[]) as w;
select is(pg_temp.spent('workspace:naive'), '40', 'K13: … and passes the budget');

-- An agent sets no budget, its own least of all

select pg_temp.act(pg_temp.attempt(:'a'));
select is((pg_temp.refusal($$ select office.set_budget('ann', 1000) $$)).detail ->> 'code', 'forbidden', 'I6, B1: an agent may not set a budget');
select pg_temp.act_no_more();

-- stop_running

select pg_temp.scenario('stop', 'ann', 'bob');
select office.set_budget('stop/ann', 5, stop_running => true), office.set_budget('stop/bob', 5, stop_running => true, action_on_exceed => 'notify');
select pg_temp.wake('ann') as a \gset
select pg_temp.wake('bob') as b \gset
select pg_temp.claim();
select pg_temp.start(:'a'), pg_temp.start(:'b');
select pg_temp.cost(pg_temp.attempt(w), 4.9) from unnest(array[:'a', :'b']::uuid[]) as w;
select is((pg_temp.run(:'a')).status || ' ' || (pg_temp.run(:'b')).status, 'running running', 'B2: not passed: they go on');
select pg_temp.cost(pg_temp.attempt(w), 0.1) from unnest(array[:'a', :'b']::uuid[]) as w;
select is(
  (select string_agg((pg_temp.run(w)).status || ' ' || (pg_temp.run(w)).stop_reason, ', ') from unnest(array[:'a', :'b']::uuid[]) as w), 'stopping paused, stopping stopped',
  'B2, P1: stop_running ends a run at the usage event that passes its budget; one whose agent is paused goes back to the queue'
);
select pg_temp.finish(:'a'), pg_temp.finish(:'b');
select is((pg_temp.run(:'a')).status || ' ' || (pg_temp.run(:'b')).result, 'queued stopped', 'P1, P2: … as those stops do');
select is_empty('select * from office.audit()', 'Q26: the books balance');

-- A check that cannot be made

select pg_temp.scenario('closed', 'ann');
select office.set_budget('closed/ann', 100);
select pg_temp.wake('ann') as w \gset
create temporary table kept as select pg_get_functiondef('office_internal.run_estimate(uuid, numeric)'::regprocedure) as body;
create or replace function office_internal.run_estimate(agent_id uuid, otherwise numeric) returns numeric language plpgsql as $$ begin raise exception 'no such thing'; end $$;
select is(pg_temp.claim(), '', 'Q13.6: a check that cannot be made refuses the launch');
select is((pg_temp.run(:'w')).parked || ': ' || (pg_temp.run(:'w')).parked_detail, 'budget: Its budgets could not be checked: no such thing', 'Q13.6: … says why');
select pg_temp.scenario('free', 'ann');
select pg_temp.wake('ann');
select is(pg_temp.claim(), 'ann:user', 'B1: who has no budget is not concerned');
do $$ begin execute (select body from pg_temp.kept); end $$;
select set_config('testing.workspace', 'closed', true), set_config('testing.worker', w.worker_id::text, true)
from office.register_worker('box', max_runs => 100, workspace => 'closed') as w;
select is(pg_temp.claim(), '', 'Q13.6: … and is tried again');
select testing.advance('1 minute');
select is(pg_temp.claim(), 'ann:user', 'Q13.6: … in a minute');
select is_empty('select * from office.audit()', 'Q26: the books balance');

-- Periods are settled

select testing.advance('40 days');
select office.maintain();
select is(
  (select count(*) filter (where p.settled_at is null and office_internal.period_end(b.period, p.period_start) < office.now() - interval '2 days')::integer
    from office.budget_periods as p join office.budgets as b on b.id = p.budget_id),
  0, 'J1: periods that ended two days ago are settled'
);
select is((select count(*) > 0 from office.budget_periods where settled_at is not null), true, 'J1: … some were');
select is(pg_temp.reserved('agent:closed/ann') || (pg_temp.run(:'w')).status, 'claimed', 'J1: … their reservations are released');
select is((select count(*) > 20 from office.usage_events), true, 'J1: … the ledger stays');
select is((select m.done from office.maintain() as m where m.piece = 'budgets'), 0, 'J1: … once');

-- Refusals

select is((pg_temp.refusal($$ select office.set_budget('closed/ann', -1) $$)).detail ->> 'field', 'limit_cents', 'I3: a limit from zero');
select is((pg_temp.refusal($$ select office.set_budget('closed/ann', 'NaN') $$)).detail ->> 'field', 'limit_cents', 'I3: … a number');
select is((pg_temp.refusal($$ select office.set_budget('closed/ann', 1e30) $$)).detail ->> 'field', 'limit_cents', 'I3: … that can be');
select is((pg_temp.refusal($$ select office.set_budget('closed/ann', 1, 'week') $$)).detail ->> 'field', 'period', 'I3: a period');
select is((pg_temp.refusal($$ select office.set_budget('closed/ann', 1, action_on_exceed => 'panic') $$)).detail ->> 'field', 'action_on_exceed', 'I3: an action');
select is((pg_temp.refusal($$ select office.set_budget('closed/ann', 1, account => null) $$)).detail ->> 'field', 'account', 'I3: an account');
select is((pg_temp.refusal($$ select office.set_budget('closed/nobody', 1) $$)).state, 'PT404', 'I2: an agent that is not there');
select is((pg_temp.refusal($$ select office.set_budget('project:closed/none', 1) $$)).state, 'PT404', 'I2: a project that is not there');
select is((pg_temp.refusal($$ select office.set_budget('closed/ann', null, 'year') $$)).state, 'PT404', 'I2: a budget that is not there');
select throws_ok($$ update office.budgets set period = 'day' where removed_at is null $$, 'PT409', null, 'B1: a budget keeps its period, by hand too');
select is_empty('select * from office.audit()', 'Q26: the books balance');

-- K13: what the audit says of broken books, each broken once behind the triggers' back

select pg_temp.scenario('books', 'ann', 'bob');
select office.set_budget('books/ann', 10, 'year', run_estimate_cents => 0), office.set_budget('workspace:books', 100, 'year');
select pg_temp.wake('ann') as a \gset
select pg_temp.wake('bob') as b \gset
select pg_temp.claim();
select pg_temp.cost(pg_temp.attempt(:'a'), 10);
select office.carry_out(), pg_temp.look();
create function pg_temp.found(change text)
returns text
language plpgsql
as $$
declare
  v_found text;
begin
  begin
    set local session_replication_role = replica;
    execute change;
    set local session_replication_role = origin;
    v_found := (select string_agg(format('%s (%s: %s)', a.invariant, a.subject, a.detail), '; ' order by a.invariant) from office.audit() as a);
    raise exception 'undo';
  exception when raise_exception then
    set local session_replication_role = origin;
  end;
  return coalesce(v_found, 'nothing');
end
$$;
select is(pg_temp.found(c.change), c.found, 'K13: the audit finds ' || c.found)
from (values
  (
    format('update office.budget_periods set spent_cents = 11 where budget_id = %L', (pg_temp.budget('agent:books/ann')).id),
    'a budget''s total is what the ledger has (agent:books/ann: 11.000000, not 10.000000)'
  ),
  (
    format('delete from office_internal.signals as s using office.workspaces as w where w.id = s.workspace_id and w.name = ''books''; update office.budget_periods set over = false where budget_id = %L', (pg_temp.budget('agent:books/ann')).id),
    'a spent budget is known to be (agent:books/ann: 10.000000 of 10.000000)'
  ),
  (
    format('update office.budget_reservations set attempt_id = %L where attempt_id = %L',
      (select id from office.attempts where ended_at is not null limit 1), pg_temp.attempt(:'b')),
    format('only live attempts reserve of a budget (%s: 1.000000 cents)',
      (select 'r' || r.number from office.attempts as t join office.runs as r on r.id = t.run_id where t.ended_at is not null limit 1))
  ),
  (
    format('delete from office_internal.signals as s using office.workspaces as w where w.id = s.workspace_id and w.name = ''books''; update office_internal.lanes set open = true where agent_id = %L', (pg_temp.run(:'a')).agent_id),
    'a lane follows its agent (ann: paused, open); whom a spent budget pauses is not claimed for (ann: agent:books/ann)'
  )
) as c (change, found);
select is_empty('select * from office.audit()', 'Q26: the books balance');

select * from finish();
rollback;
