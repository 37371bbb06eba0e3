-- B1, E2: the ledger: each usage event counts once, what is not known is null, costs are reported, estimated or unknown; totals are
-- the ledger's, in the same transaction, for a hand-written insert as well. sc-X7
begin;
set local search_path = tap, public;
\ir ../support/queue.psql
\ir ../support/refusal.psql
\ir ../support/money.psql
select plan(45);

select pg_temp.scenario('ledger', 'ann', 'bob');
select office.create_project('site', workspace => 'ledger'), office.create_project('shop', workspace => 'ledger');
select pg_temp.task('the task', 'ann') as task \gset
update office.tasks set project_id = (select id from office.projects where name = 'site') where id = pg_temp.task_id(:'task');
select pg_temp.look();
select office.set_budget('workspace:ledger', 100), office.set_budget('project:ledger/site', 100, 'day'),
  office.set_budget('ledger/ann', 100, 'year'), office.set_budget('ledger/ann', 100, 'total', account => 'personal');
select pg_temp.claim();
select id as w from office.wakeups where task_id = pg_temp.task_id(:'task') \gset
select pg_temp.start(:'w');
select pg_temp.attempt(:'w') as attempt \gset

-- What is reported
select results_eq(
  format($$ select usage_event_id, duplicate, cost_cents, cost_source from office.record_cost(%L, '[
    {"usage_event_id": "m1", "model": "opus", "tokens_in": 1200, "tokens_cached_read": 0, "tokens_out": 80, "cost_cents": 1.234567},
    {"usage_event_id": "m2", "model": "opus", "tokens_out": 5, "cost_cents": 0.000001},
    {"usage_event_id": "m1", "cost_cents": 50}]') $$, :'attempt'),
  $$ values ('m1', false, 1.234567, 'reported'), ('m2', false, 0.000001, 'reported'), ('m1', true, 1.234567, 'reported') $$,
  'B1: each event of a batch is recorded once, and answered'
);
select is(
  (select r.duplicate || ' ' || r.cost_cents from office.record_cost(:'attempt', '[{"usage_event_id": "m1", "cost_cents": 50}]') as r),
  'true 1.234567', 'B1, sc-X7: delivered twice, counted once: the first stands'
);
select is(
  (select concat_ws('|', u.tokens_in, u.tokens_cached_read, coalesce(u.tokens_cached_write::text, 'null'), u.tokens_out)
    from office.usage_events as u where u.usage_event_id = 'm1'),
  '1200|0|null|80', 'E2, sc-X7: a token count that was not told is null, one that is zero is zero'
);
select is(
  (select coalesce(u.tokens_in::text, 'null') || coalesce(u.tokens_cached_read::text, 'null') from office.usage_events as u where u.usage_event_id = 'm2'),
  'nullnull', 'E2, sc-X7: unknown tokens stay NULL'
);
select is(
  (select concat_ws(' ', u.run_id = (pg_temp.run(:'w')).id, a.name, p.name, u.account, u.at = office.now())
    from office.usage_events as u join office.agents as a on a.id = u.agent_id join office.projects as p on p.id = u.project_id
    where u.usage_event_id = 'm1'),
  't ann site included t', 'B1: a row says whose it is: run, agent, the project of that time, the account'
);
select is(pg_temp.spent('workspace:ledger'), '1.234568', 'B1: the workspace''s total, exact to the millionth of a cent');
select is(pg_temp.spent('project:ledger/site'), '1.234568', 'B1: … the project''s');
select is(pg_temp.spent('agent:ledger/ann', 'year'), '1.234568', 'B1: … the agent''s');
select is(pg_temp.spent('agent:ledger/ann', 'total'), '0', 'B1: … but not that of personal spending');
select is(
  (select string_agg(b.period || ' ' || p.period_start, ', ' order by b.period) from office.budget_periods as p join office.budgets as b on b.id = p.budget_id),
  'day 2035-01-01, month 2035-01-01, total 1970-01-01, year 2035-01-01', 'B1: periods begin on a UTC day'
);

-- The project of that time
update office.tasks set project_id = (select id from office.projects where name = 'shop') where id = pg_temp.task_id(:'task');
select pg_temp.look();
select office.set_budget('project:ledger/shop', 100);
select pg_temp.cost(:'attempt', 2);
select is(pg_temp.spent('project:ledger/site') || ' ' || pg_temp.spent('project:ledger/shop'), '1.234568 2', 'B1: what was spent stays with the project of its time');
select is(pg_temp.spent('workspace:ledger'), '3.234568', 'B1: … and the workspace has all');
select is_empty('select * from office.audit()', 'Q26: the books balance');

-- Estimated, or unknown
insert into office.model_prices (model, input_cents, cached_read_cents, output_cents) values ('opus', 500, 50, 2500);
select is(
  (select concat_ws(' ', r.cost_cents, r.cost_source) from office.record_cost(:'attempt',
    '[{"usage_event_id": "e1", "model": "opus", "tokens_in": 1000, "tokens_cached_read": 20000, "tokens_cached_write": 100, "tokens_out": 10}]') as r),
  '1.575000 estimated', 'E2: no cost told: estimated from the price table; a cache without a price of its own as what is read anew'
);
select is(
  (select concat_ws(' ', coalesce(r.cost_cents::text, 'null'), r.cost_source) from office.record_cost(:'attempt',
    '[{"usage_event_id": "e2", "model": "haiku", "tokens_in": 1000, "tokens_out": 10}]') as r),
  'null unknown', 'E2: no price: unknown, never invented'
);
select is(
  (select concat_ws(' ', coalesce(r.cost_cents::text, 'null'), r.cost_source) from office.record_cost(:'attempt',
    '[{"usage_event_id": "e3", "model": "opus", "tokens_in": 1000}]') as r),
  'null unknown', 'E2: not all tokens known: unknown'
);
select is(
  (select concat_ws(' ', r.cost_cents, r.cost_source) from office.record_cost(:'attempt', '[{"usage_event_id": "e4", "model": "opus", "tokens_in": 9, "tokens_out": 9, "cost_cents": 0}]') as r),
  '0.000000 reported', 'E2: a reported zero is a cost'
);
select is(pg_temp.spent('workspace:ledger'), '4.809568', 'B1: what is unknown counts nothing');
select is((select p.unknown_events from office.budget_periods as p join office.budgets as b on b.id = p.budget_id where b.scope = 'workspace'), 2, 'B1: … and is counted as unknown');
select is(
  (select concat_ws('|', v.model, coalesce(v.tokens_in::text, 'null'), coalesce(v.cost_cents::text, 'null'), v.cost_source, v.events) from office.attempt_usage as v where v.attempt_id = :'attempt'),
  'opus|null|null|unknown|7', 'E2: of what any event leaves open an attempt''s whole is unknown'
);
select is(
  (select concat_ws('|', s.workspace, s.runs, s.events, trim_scale(s.cost_cents), trim_scale(s.estimated_cents), s.unknown_events) from office.spend as s where s.model = 'opus' and s.project = 'shop'),
  'ledger|1|3|1.575|1.575|1', 'B1: the view spend'
);

-- Personal spending is counted apart
select is((select count(*)::integer from office.record_cost(:'attempt', '[{"usage_event_id": "p1", "cost_cents": 7, "account": "personal"}]')), 1, 'B1: personal spending');
select is(pg_temp.spent('workspace:ledger') || ' ' || pg_temp.spent('agent:ledger/ann', 'total'), '4.809568 7', 'B1: … is counted apart');
select office.update_agent('ledger/bob', '{"executor": {"command": ["true"], "account": "personal"}}');
select pg_temp.wake('bob') as bob \gset
select pg_temp.claim();
select pg_temp.cost(pg_temp.attempt(:'bob'), 3);
select is((select u.account from office.usage_events as u where u.attempt_id = pg_temp.attempt(:'bob')), 'personal', 'X7, B1: an executor says which');

-- A late word, and one by hand
select pg_temp.start(:'bob'), pg_temp.finish(:'bob');
select pg_temp.cost(pg_temp.attempt(:'bob'), 4);
select is((select trim_scale(sum(cost_cents))::text from office.usage_events where attempt_id = pg_temp.attempt(:'bob')), '7', 'B1: what comes after the end counts: the money is spent');
insert into office.usage_events (workspace_id, usage_event_id, attempt_id, cost_cents)
select workspace_id, 'hand', id, 10 from office.attempts where id = :'attempt';
select is(pg_temp.spent('workspace:ledger') || ' ' || pg_temp.spent('project:ledger/shop'), '14.809568 13.575', 'B1: a row inserted by hand counts the same');
insert into office.usage_events (workspace_id, usage_event_id, agent_id, at, cost_cents)
select workspace_id, 'last year', id, '2034-12-31 23:59:59+00', 5 from office.agents where name = 'ann' and workspace_id = (select id from office.workspaces where name = 'ledger');
select is(pg_temp.spent('workspace:ledger'), '14.809568', 'B1: … in the period of its UTC day');
select is(
  (select trim_scale(p.spent_cents)::text from office.budget_periods as p join office.budgets as b on b.id = p.budget_id where b.scope = 'agent' and b.period = 'year' and p.period_start = '2034-01-01'),
  '5', 'B1: … whichever that is'
);
select throws_ok($$ update office.usage_events set cost_cents = 0 $$, 'PT409', null, 'B1: the ledger is not changed');
select throws_ok($$ delete from office.usage_events $$, 'PT409', null, 'B1: … and nothing leaves it');
select throws_ok($$ truncate office.usage_events $$, 'PT409', null, 'B1: … not all at once either');
select throws_ok(
  $$ insert into office.usage_events (workspace_id, usage_event_id, attempt_id, cost_cents) select workspace_id, 'hand', id, 10 from office.attempts $$,
  '23505', null, 'B1: by hand, too, an event is there once'
);
select is_empty('select * from office.audit()', 'Q26: the books balance');

-- Before there was a budget
select office.set_budget('workspace:ledger', 100, 'year');
select pg_temp.look();
select is(pg_temp.spent('workspace:ledger', 'year'), '14.809568', 'B1: a budget that is set later counts what was spent in its period before');
select is_empty('select * from office.audit()', 'Q26: the books balance');

-- Refusals
select is((pg_temp.refusal(format('select office.record_cost(%L, %L)', :'attempt', '[{"cost_cents": 1}]'))).detail ->> 'field', 'events.usage_event_id', 'I3: an event has an id');
select is((pg_temp.refusal(format('select office.record_cost(%L, %L)', :'attempt', '[{"usage_event_id": "x", "tokens_in": -1}]'))).detail ->> 'field', 'events.tokens_in', 'I3: no tokens below zero');
select is((pg_temp.refusal(format('select office.record_cost(%L, %L)', :'attempt', '[{"usage_event_id": "x", "tokens_out": 1.5}]'))).detail ->> 'field', 'events.tokens_out', 'I3: … and no half ones');
select is((pg_temp.refusal(format('select office.record_cost(%L, %L)', :'attempt', '[{"usage_event_id": "x", "cost_cents": "1"}]'))).detail ->> 'field', 'events.cost_cents', 'I3: a cost is a number');
select is((pg_temp.refusal(format('select office.record_cost(%L, %L)', :'attempt', '[{"usage_event_id": "x", "cost_cents": -1}]'))).detail ->> 'field', 'events.cost_cents', 'I3: … from zero');
select is((pg_temp.refusal(format('select office.record_cost(%L, %L)', :'attempt', '[{"usage_event_id": "x", "cost": 1}]'))).detail ->> 'field', 'events.cost', 'I3: an unknown field is named');
select is((pg_temp.refusal(format('select office.record_cost(%L, %L)', :'attempt', '{"usage_event_id": "x"}'))).state, 'PT422', 'I3: events are an array');
select is((pg_temp.refusal(format('select office.record_cost(%L, %L)', office.uuid7(), '[{"usage_event_id": "x"}]'))).state, 'PT404', 'I3: an attempt that is not there');
select is((select count(*)::integer from office.usage_events where usage_event_id = 'x'), 0, 'I3: what is refused leaves nothing');
select is_empty('select * from office.audit()', 'Q26: the books balance');

select * from finish();
rollback;
