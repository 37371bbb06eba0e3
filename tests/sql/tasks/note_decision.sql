-- X2: an agent notes a decision from inside its run; people do not.
begin;
set local search_path = tap, public;
\ir ../support/refusal.psql
select plan(5);

create role tester_gate login;
grant office_client to tester_gate;
insert into office_internal.gateways (login, kind) values ('tester_gate', 'token');
select from office.create_agent('builder', executor => '{"command": ["/bin/true"]}');
select task as t from office.create_task('one', assignee => 'builder') \gset
select token from office.claim_runs((select worker_id from office.register_worker('box'))) where run_id is not null \gset

select is((pg_temp.refusal($$ select office.note_decision('Blue.') $$)).detail ->> 'code', 'forbidden', 'X2: a person notes none');
set local session authorization tester_gate;
select office.act_with(:'token');
select office.note_decision('Blue.');
select is((pg_temp.refusal($$ select office.note_decision('') $$)).detail ->> 'field', 'decision', 'I3: an empty one is refused');
select is((pg_temp.refusal($$ select office.note_decision(repeat('x', 4001)) $$)).state, 'PT422', 'I3: so is one of 4,001 characters');
reset session authorization;
set local office.acting = '';
select results_eq(
  $$ select v.detail ->> 'decision', a.name, 't' || t.number, 'r' || r.number, v.attempt_id = r.attempt_id from office.activity as v
     join office.agents as a on a.id = v.agent_id join office.tasks as t on t.id = v.task_id join office.runs as r on r.id = v.run_id
     where v.kind = 'decision_noted' $$,
  format($$ values ('Blue.', 'builder', %L, 'r1', true) $$, :'t'), 'X2: it is kept with agent, task, run and attempt'
);
select is_empty('select * from office.audit()', 'the books are in order');

select * from finish();
rollback;
