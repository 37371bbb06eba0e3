-- D1, D9: an agent asks, its run waits; the same thing again gives the first row.
begin;
set local search_path = tap, public;
\ir ../support/refusal.psql
\ir ../support/queue.psql
\ir ../support/deciding.psql
select plan(35);

select pg_temp.scenario('asks', 'ann', 'bob');
select pg_temp.running('ann') as w \gset
select (pg_temp.ask(:'w', 'Red or blue?', '[{"id": "red", "text": "Red"}, {"id": "blue", "text": "Blue", "more": 1}]')).* \gset first_
select is(:'first_status' || ' ' || :'first_kind' || ' ' || :'first_run_status', 'pending question waiting', 'D9: ask puts the run in waiting');
select is(pg_temp.stands(:'w'), 'waiting, attempt 1 lives', 'D9: … with its program');
select is((pg_temp.ask(:'w', 'Red or blue?', '[{"id": "red", "text": "Red"}, {"id": "blue", "text": "Blue"}]')).decision, :'first_decision', 'D1: the same thing again gives the first row');
select isnt((pg_temp.ask(:'w', 'Red or blue?')).decision, :'first_decision', 'D1: with other choices it is another');
select isnt((pg_temp.ask(:'w', 'Red or  blue?')).decision, :'first_decision', 'D1: with another text it is another');
select is((select count(*)::integer from office.decisions), 3, 'D1: three rows');
select results_eq(
  $$ select n.kind, n.workspace, n.agent, n.run = (select 'r' || r.number from office.runs as r), n.choices, n.blocks like '%waits%', n.lift from office.needs_me as n order by n.asked_at, n.id limit 1 $$,
  format($$ values ('question', 'asks', 'ann', true, '[{"id": "red", "text": "Red"}, {"id": "blue", "text": "Blue"}]'::jsonb, true, %L) $$,
    format('select * from office.answer(%L, %L);', :'first_decision', 'red')),
  'D1: needs_me shows what is open, what it blocks and how to answer'
);
select is((select d.choices from office.decisions as d order by d.number offset 1 limit 1), '[{"id": "yes", "text": "Yes"}, {"id": "no", "text": "No"}]', 'D1: yes and no when no choices are given');
select office.answer(:'first_decision', 'blue', 'as the sea');
select is((pg_temp.run(:'w')).status, 'waiting', 'D9: it waits while any is open');
select is((pg_temp.decision((pg_temp.ask(:'w', 'Red or blue?', '[{"id": "red", "text": "Red"}, {"id": "blue", "text": "Blue"}]')))).choice, 'blue', 'D1: asked again it gives the answer');
select isnt((pg_temp.decision((pg_temp.ask(:'w', 'Red or blue?', '[{"id": "red", "text": "Red"}, {"id": "blue", "text": "Blue"}]')))).told_at, null, 'D9: … which counts as told');
select is((pg_temp.ask(:'w', 'Red or  blue?')).status, 'pending', 'D1: the others stay as they are');
-- Another attempt asks anew.
select pg_temp.running('bob') as other \gset
select isnt((pg_temp.ask(:'other', 'Red or blue?')).run, (pg_temp.ask(:'w', 'Red or blue?')).run, 'D1: another attempt asks for itself');
update office.decisions set status = 'void' where run_id = (pg_temp.run(:'other')).id;
select is((pg_temp.run(:'other')).status, 'running', 'D9: what is void holds nothing up');
select is((pg_temp.ask(:'other', 'Red or blue?')).status, 'pending', 'D2: what is void may be asked again');

-- Who and what

select is((pg_temp.refusal($$ select office.ask('Which?') $$)).detail ->> 'code', 'forbidden', 'D1: people do not ask');
create function pg_temp.asked(statement text)
returns text
language plpgsql
as $$
declare
  v_said pg_temp.refusal;
begin
  perform pg_temp.act(r.attempt_id) from office.runs as r where r.status in ('running', 'waiting') order by r.number desc limit 1;
  v_said := pg_temp.refusal(statement);
  perform pg_temp.act_no_more();
  return concat_ws(' ', v_said.state, v_said.detail ->> 'code', v_said.detail ->> 'field');
end
$$;
select is(pg_temp.asked($$ select office.ask(null) $$), 'PT422 invalid prompt', 'I3: a text is needed');
select is(pg_temp.asked($$ select office.ask('  ') $$), 'PT422 invalid prompt', 'I3: … that says something');
select is(pg_temp.asked($$ select office.ask(repeat('x', 8001)) $$), 'PT422 invalid prompt', 'I3: … of at most 8,000 characters');
select is(pg_temp.asked($$ select office.ask('?', '{}') $$), 'PT422 invalid choices', 'I3: choices are an array');
select is(pg_temp.asked($$ select office.ask('?', '[]') $$), 'PT422 invalid choices', 'I3: … not empty');
select is(pg_temp.asked($$ select office.ask('?', '[{"id": "a"}]') $$), 'PT422 invalid choices', 'I3: … each with a text');
select is(pg_temp.asked($$ select office.ask('?', '[{"id": "a b", "text": "A"}]') $$), 'PT422 invalid choices', 'I3: … and an id that is a word');
select is(pg_temp.asked($$ select office.ask('?', '[{"id": "a", "text": "A"}, {"id": "a", "text": "B"}]') $$), 'PT422 invalid choices', 'D1: … of its own');
select is(pg_temp.asked($$ select office.ask('?', expires_after => '0 seconds') $$), 'PT422 invalid expires_after', 'I3: a time lies ahead');
select is(pg_temp.asked($$ select office.ask('?', expires_after => '2 years') $$), 'PT422 invalid expires_after', 'I3: … within a year');
select is(pg_temp.asked($$ select office.ask('?', on_expire => 'shrug') $$), 'PT422 invalid on_expire', 'D1: go_on or fail');
select is(pg_temp.asked($$ select office.ask('?', on_expire => null) $$), 'PT422 invalid on_expire', 'D1: … one of them');
select is((select count(*)::integer from office.decisions), 5, 'I3: what is refused leaves nothing');
select is(
  (select count(*)::integer from generate_series(1, 9) as n, lateral pg_temp.ask(:'other', 'Question ' || n) as a where a.status = 'pending'),
  9, 'D1: ten may be open at once'
);
select is(pg_temp.asked($$ select office.ask('One more?') $$), 'PT409 too_many', 'D1: … not eleven');

-- A run that is being stopped asks nothing more.
select office.stop('agent:asks/bob');
select is((pg_temp.run(:'other')).status, 'stopping', 'P2: a waiting run whose program lives is asked to stop');
select is((select string_agg(distinct d.status, ' ') from office.decisions as d where d.run_id = (pg_temp.run(:'other')).id and d.status <> 'void'), 'expired', 'D4: … and what it asked expires');
select is((pg_temp.refusal(format('select pg_temp.ask(%L, %L)', :'other', 'Still?'))).detail ->> 'code', 'conflict', 'D9: a run that is being stopped asks nothing more');
select is_empty('select * from office.audit()', 'Q26: the books balance');

select * from finish();
rollback;
