-- D2, D6, D8: permissions and publishing: bound to the operation and to the working tree, counted once, for a session, or always. sc-D9
begin;
set local search_path = tap, public;
\ir ../support/refusal.psql
\ir ../support/queue.psql
\ir ../support/deciding.psql
select plan(61);

create function pg_temp.may(
  wakeup uuid, operation jsonb default '{"tool": "shell", "input": {"command": "make"}}', tree text default 'tree 1',
  kind text default 'permission', prompt text default 'May I?', choices jsonb default null
)
returns office.decision_reference
language plpgsql
as $$
declare
  v_asked office.decision_reference;
begin
  perform pg_temp.act(pg_temp.attempt(wakeup));
  v_asked := office.ask(may.prompt, may.choices, kind => may.kind, operation => may.operation, tree => may.tree);
  perform pg_temp.act_no_more();
  return v_asked;
end
$$;
create function pg_temp.save(wakeup uuid, operation jsonb default null, tree text default null)
returns void
language plpgsql
as $$
begin
  perform pg_temp.act(pg_temp.attempt(wakeup));
  perform office.checkpoint('{}', save.operation, save.tree);
  perform pg_temp.act_no_more();
end
$$;
create function pg_temp.how(reference office.decision_reference)
returns text
language sql
as $$ select concat_ws(' ', (reference).status, (reference).choice, (reference).run_status) $$;
create function pg_temp.refused(statement text)
returns text
language sql
as $$ select concat_ws(' ', r.state, r.detail ->> 'code', r.detail ->> 'field') from pg_temp.refusal(statement) as r $$;

select pg_temp.scenario('may', 'ann', 'bob');
select pg_temp.running('ann') as w \gset

-- Asked, allowed once, spent.
select (pg_temp.may(:'w')).* \gset a_
select is(:'a_status' || ' ' || :'a_kind' || ' ' || :'a_run_status', 'pending permission waiting', 'D1: a permission is asked, and its run waits');
select is((select d.choices from office.decisions as d where 'd' || d.number = :'a_decision') @? '$[*] ? (@.id == "always" && @.scope == "always")', true, 'D8: once, this session, or always');
select results_eq(
  $$ select n.operation from office.needs_me as n $$, $$ values ('{"tool": "shell", "input": {"command": "make"}}'::jsonb) $$, 'D1: people see what is to be done'
);
select is((pg_temp.may(:'w')).decision, :'a_decision'::text, 'D1: the same again gives the first row');
select isnt((pg_temp.may(:'w', '{"tool": "shell", "input": {"command": "make install"}}')).decision, :'a_decision'::text, 'D2: another operation is another request');
update office.decisions as d set status = 'void', told_at = office.now() where d.status = 'pending' and 'd' || d.number <> :'a_decision';
select is(pg_temp.how(office.answer(:'a_decision', 'once')), 'answered once running', 'D8: allowed once');
select is(pg_temp.how(pg_temp.may(:'w')), 'answered once running', 'D8: the agent is told');
select (pg_temp.may(:'w')).* \gset b_
select isnt(:'b_decision'::text, :'a_decision'::text, 'D8: once is once: it asks anew');
select is(:'b_status'::text, 'pending', 'D8: … and waits again');
select office.answer(:'b_decision', 'no');
select is(pg_temp.how(pg_temp.may(:'w')), 'answered no running', 'D8: refused');
select is((pg_temp.may(:'w')).decision, :'b_decision'::text, 'D1: … and asked again it stays so');
select is_empty('select from office.permission_rules', 'D3: neither has made a rule');

-- The working tree changed: sc-D9.
select pg_temp.running('bob') as x \gset
select (pg_temp.may(:'x')).decision as d \gset
select office.answer(:'d', 'once');
select (pg_temp.may(:'x', tree => 'tree 2')).* \gset c_
select is(:'c_status'::text, 'pending', 'sc-D9: permission asked, working tree changed, answered: not used, asked again');
select results_eq(
  format('select d.status, d.reason, d.choice from office.decisions as d where d.number = substr(%L, 2)::bigint', :'d'),
  $$ values ('void', 'The working tree changed.', null::text) $$, 'D2: the first is void'
);
select is((pg_temp.may(:'x', tree => 'tree 3')).decision = :'c_decision', false, 'D2: what is open is void too when the tree has changed');
select is((pg_temp.refusal(format('select office.answer(%L, ''once'')', :'c_decision'))).message, 'This request no longer applies.', 'D3: an answer to it is refused, and says so');
select (pg_temp.may(:'x', tree => 'tree 3')).decision as d \gset
-- … as its checkpoint says, before it asks again.
select pg_temp.save(:'x', '{"tool": "shell", "input": {"command": "make"}}', 'tree 3');
select is((select d.checkpoint_id from office.decisions as d where 'd' || d.number = :'d'), null, 'D1: it was asked before that checkpoint');
select is(pg_temp.how(office.answer(:'d', 'once')), 'answered once running', 'D2: a checkpoint that says the same changes nothing');
select is(pg_temp.how(pg_temp.may(:'x', tree => 'tree 3')), 'answered once running', 'D2: … and it is told');
select (pg_temp.may(:'x', tree => 'tree 3')).decision as d \gset
select isnt((select d.checkpoint_id from office.decisions as d where 'd' || d.number = :'d'), null, 'D1: now there is a checkpoint');
select pg_temp.save(:'x', null, 'tree 4');
select is(pg_temp.how(office.answer(:'d', 'always', 'go')), 'void running', 'D2: answered, but the tree has changed meanwhile: void, and the run goes on without it');
select is_empty('select from office.permission_rules', 'D3: what is void makes no rule');
select (pg_temp.may(:'x', tree => 'tree 4')).decision as d \gset
select pg_temp.save(:'x', '{"tool": "shell", "input": {"command": "make clean"}}', 'tree 4');
update office.decisions as d set status = 'answered', choice = 'once' where 'd' || d.number = :'d';
select results_eq(
  format('select d.status, d.reason from office.decisions as d where d.number = substr(%L, 2)::bigint', :'d'),
  $$ values ('void', 'Another operation is pending.') $$, 'D2: another operation is pending: void, answered by hand as well'
);
-- Questions are not voided.
select (pg_temp.ask(:'x')).decision as d \gset
select pg_temp.save(:'x', '{"tool": "shell"}', 'tree 9');
select is(pg_temp.how(office.answer(:'d', 'yes')), 'answered yes running', 'D2: a question is not voided');
select pg_temp.ask(:'x');
select office.answer((pg_temp.may(:'x', '{"tool": "shell"}', 'tree 9')).decision, 'no');
select pg_temp.may(:'x', '{"tool": "shell"}', 'tree 9');
select is(pg_temp.leave(:'x'), 'queued', 'D2: who has not heard that a permission is void is started again to hear it');
select is(
  (select c.answer #>> '{0,reason}' from office.claim_runs(current_setting('testing.worker')::uuid, 9) as c where c.attempt_id = pg_temp.attempt(:'x')),
  'Another operation is pending.', 'D7: … and is told so'
);
select pg_temp.start(:'x');
select pg_temp.finish(:'x');

-- For this session; always.
select pg_temp.running('bob') as x \gset
select (pg_temp.may(:'x')).decision as d \gset
select office.answer(:'d', 'session');
select is(pg_temp.how(pg_temp.may(:'x')), 'answered session running', 'D8: allowed for this session');
select is((pg_temp.may(:'x')).decision, :'d'::text, 'D8: … it is not spent');
select (pg_temp.may(:'x', tree => 'tree 2')).* \gset e_
select is(:'e_status' || ' ' || :'e_choice' || ' ' || :'e_run_status', 'answered session running', 'D8: in another tree the rule answers at once: the run has not waited');
select is((select d.rule_id is not null and d.decided_by_account_id is null from office.decisions as d where 'd' || d.number = :'e_decision'), true, 'D8: … and says so');
select is(pg_temp.how(pg_temp.may(:'w')), 'answered no running', 'D8: another agent has no part in it');
select pg_temp.finish(:'x');
select pg_temp.running('bob') as y \gset
select is((pg_temp.may(:'y')).status, 'pending', 'D8: another run without a task is another session');
select (pg_temp.may(:'y')).decision as d \gset
select office.answer(:'d', 'always');
select is((pg_temp.may(:'y')).choice, 'always', 'D8: always');
select pg_temp.finish(:'y');
select pg_temp.running('bob') as z \gset
select is(pg_temp.how(pg_temp.may(:'z')), 'answered always running', 'D8: counts for the next run too, at once');
select is((pg_temp.may(:'z', '{"tool": "shell", "input": {"command": "make install"}}')).status, 'pending', 'D8: … for this very operation');
update office.decisions as d set status = 'void', told_at = office.now() where d.status = 'pending';
select is((pg_temp.may(:'z', '{"tool": "shell", "input": {"command": "ls /"}, "covers": "shell(ls)"}')).status, 'pending', 'D8: an operation may say what it is one of');
select (pg_temp.may(:'z', '{"tool": "shell", "input": {"command": "ls /"}, "covers": "shell(ls)"}')).decision as d \gset
select office.answer(:'d', 'always');
select pg_temp.may(:'z', '{"tool": "shell", "input": {"command": "ls /"}, "covers": "shell(ls)"}');
select is((pg_temp.may(:'z', '{"tool": "shell", "input": {"command": "ls /etc"}, "covers": "shell(ls)"}')).status, 'answered', 'D8: … which is then covered as a whole');
select is(
  (pg_temp.may(:'z', '{"tool": "shell", "input": {"command": "ls /usr"}, "covers": "shell(ls)"}', choices => '[{"id": "ok", "text": "OK", "scope": "once"}]')).status,
  'pending', 'D8: a rule answers with a choice that is offered, or not at all'
);
update office.decisions as d set status = 'void', told_at = office.now() where d.status = 'pending';
select is((select count(*)::integer from office.permission_rules), 3, 'D8: three rules');
delete from office.permission_rules;
select is((pg_temp.may(:'z', '{"tool": "shell", "input": {"command": "ls /var"}, "covers": "shell(ls)"}')).status, 'pending', 'D8: an operator removes them');
update office.decisions as d set status = 'void', told_at = office.now() where d.status = 'pending';
-- Here: the project.
select pg_temp.finish(:'z');
select office.create_project('left', workspace => 'may'), office.create_project('right', workspace => 'may');
select t.task as one from office.create_task('One', assignee => 'bob', project => 'left', workspace => 'may') as t \gset
select t.task as two from office.create_task('Two', assignee => 'bob', project => 'right', workspace => 'may') as t \gset
select pg_temp.claim();
create function pg_temp.at_task(task text)
returns uuid
language sql
as $$ select w.id from office.wakeups as w where w.task_id = pg_temp.task_id(task) order by w.id limit 1 $$;
select pg_temp.start(pg_temp.at_task(:'one'));
select office.answer((pg_temp.may(pg_temp.at_task(:'one'))).decision, 'always');
select pg_temp.may(pg_temp.at_task(:'one'));
select pg_temp.finish(pg_temp.at_task(:'one'));
select pg_temp.claim();
select pg_temp.start(pg_temp.at_task(:'two'));
select is((pg_temp.may(pg_temp.at_task(:'two'))).status, 'pending', 'D8: always here: in another project it is asked');
select office.stop(:'two');
select pg_temp.finish(pg_temp.at_task(:'two'));

-- Publishing.
select pg_temp.running('bob') as p \gset
select (pg_temp.may(:'p', '{"body": "Hello ", "to": "all"}', kind => 'publish')).* \gset p_
select is(:'p_kind' || ' ' || :'p_run_status', 'publish waiting', 'D6: publishing is asked for');
select office.answer(:'p_decision', 'yes');
select (pg_temp.may(:'p', '{"body": "Hello ", "to": "all"}', kind => 'publish')).* \gset q_
select is(:'q_operation'::jsonb, '{"body": "Hello ", "to": "all"}', 'D6: the reviewed payload comes with the approval, byte for byte');
select is((select d.spent_at is not null from office.decisions as d where 'd' || d.number = :'p_decision'), true, 'D6: … which is spent');
select is((pg_temp.may(:'p', '{"body": "Hello ", "to": "all"}', kind => 'publish')).status, 'pending', 'D6: it covers no later write');
select office.answer((pg_temp.may(:'p', '{"body": "Hello ", "to": "all"}', kind => 'publish')).decision, 'yes');
select is((pg_temp.may(:'p', '{"body": "Hello", "to": "all"}', kind => 'publish')).status, 'pending', 'D6: nor another payload');
select is(
  (select d.spent_at from office.decisions as d where d.kind = 'publish' and d.choice = 'yes' order by d.number desc limit 1), null,
  'D6: what was not given out is not spent'
);
select pg_temp.running('ann') as o \gset
select is(pg_temp.run(:'o') is null or (pg_temp.run(:'o')).id <> (pg_temp.run(:'p')).id, true, 'D6: another run');
select is((pg_temp.may(:'w', '{"body": "Hello ", "to": "all"}', kind => 'publish')).status, 'pending', 'D6: … has no part in it');

-- An agent that is launched again is told, and asks before it acts.
select pg_temp.leave(:'p');
select office.answer('d' || d.number, 'yes') from office.decisions as d where d.status = 'pending' and d.run_id = (pg_temp.run(:'p')).id;
select is(
  (select c.prompt like '%Ask for the same again before you act%' from office.claim_runs(current_setting('testing.worker')::uuid, 9) as c where c.attempt_id = pg_temp.attempt(:'p')),
  true, 'D2: who goes on asks again before acting'
);
select pg_temp.start(:'p');
select is((pg_temp.may(:'p', '{"body": "Hello", "to": "all"}', kind => 'publish')).choice, 'yes', 'D6: … and is given the answer');

-- What is refused.
select pg_temp.act(pg_temp.attempt(:'p'));
select is(pg_temp.refused($$ select office.ask('?', kind => 'order') $$), 'PT422 invalid kind', 'I3: question, permission or publish');
select is(pg_temp.refused($$ select office.ask('?', kind => null) $$), 'PT422 invalid kind', 'I3: … one of them');
select is(pg_temp.refused($$ select office.ask('?', kind => 'permission') $$), 'PT422 invalid operation', 'I3: a permission has an operation');
select is(pg_temp.refused($$ select office.ask('?', operation => '{}') $$), 'PT422 invalid operation', 'I3: a question has none');
select is(pg_temp.refused($$ select office.ask('?', kind => 'publish', operation => '[]') $$), 'PT422 invalid operation', 'I3: … an object');
select is(pg_temp.refused($$ select office.ask('?', kind => 'permission', operation => '{"covers": 1}') $$), 'PT422 invalid operation', 'I3: covers is a text');
select is(pg_temp.refused($$ select office.ask('?', kind => 'permission', operation => '{}', tree => '') $$), 'PT422 invalid tree', 'I3: a tree is a text that says something');
select is(pg_temp.refused($$ select office.ask('?', '[{"id": "a", "text": "A", "scope": "never"}]', kind => 'permission', operation => '{}') $$), 'PT422 invalid choices', 'D8: once, session or always');
select is(pg_temp.refused($$ select office.ask('?', '[{"id": "a", "text": "A", "scope": "always"}]', kind => 'publish', operation => '{}') $$), 'PT422 invalid choices', 'D6: publishing is approved once');
select pg_temp.act_no_more();
select is_empty('select * from office.audit()', 'Q26: the books balance');

select * from finish();
rollback;
