-- office.context_snapshot: what a run is told of its wakeups (Q4). sc-W2
begin;
set local search_path = tap, public;
\ir ../support/queue.psql

select plan(7);

select pg_temp.scenario('snapshot', 'ann');
select pg_temp.wake('ann', payload => '{"context": {"a": null, "b": 1}}') as w1 \gset
select testing.advance('1 second');
select pg_temp.wake('ann', 'self', '{"reason": "more", "payload": [1]}') as w2 \gset
select testing.advance('1 second');
select pg_temp.wake('ann', payload => '{"context": 2}') as w3 \gset
select pg_temp.look();
select is(
  office.context_snapshot(pg_temp.run(:'w1')) - 'wakeups',
  jsonb_build_object('user_id', (pg_temp.wakeup(:'w1')).account_id, 'context', 2, 'reason', 'more', 'payload', '[1]'::jsonb),
  'Q4, sc-W2: top-level keys are merged, the newest winning'
);
select is(
  office.context_snapshot(pg_temp.run(:'w1')) -> 'wakeups',
  (
    select jsonb_agg(jsonb_build_object('wakeup_id', w.id, 'source', w.source, 'requested_at', w.requested_at, 'payload', w.payload) order by w.requested_at)
    from office.wakeups as w where w.id in (:'w1', :'w2', :'w3')
  ),
  'Q4, sc-W2: … and every wakeup is kept whole, in order of arrival'
);
select is((office.context_snapshot(pg_temp.run(:'w1')) #> '{wakeups,0,payload,context,a}'), 'null', 'Q4: … to the letter');
set local search_path = office, tap;
select results_eq(
  format('select r.context_snapshot ->> ''reason'' from office.runs as r where r.id = %L', (pg_temp.run(:'w1')).id), $$ values ('more') $$,
  'Q4: it reads like a column where office is in the search path'
);
set local search_path = tap, public;

-- Seen by whom the run is; a row that was made up shows nothing.
create role tester_ada login;
grant office_client to tester_ada;
select office.create_account('ada', db_role => 'tester_ada');
grant usage on schema tap to tester_ada;
select (pg_temp.run(:'w1')).id as run \gset
set session authorization tester_ada;
select is(
  office.context_snapshot(jsonb_populate_record(null::office.runs, jsonb_build_object('id', :'run'))), '{"wakeups": []}',
  'I5: of a run of another''s workspace it shows nothing'
);
reset session authorization;
select office.add_member('snapshot', 'ada');
set session authorization tester_ada;
select is(
  (select office.context_snapshot(r) ->> 'reason' from office.runs as r where r.id = :'run'), 'more', 'I5: … to a member it does'
);
reset session authorization;

select pg_temp.look();
select is_empty('select * from office.audit()', 'Q26: the books balance');
select * from finish();
rollback;
