-- D3, D5: the first answer wins, a refusal says what is so, and who may answer. sc-D1 as far as one session shows it.
begin;
set local search_path = tap, public;
\ir ../support/refusal.psql
\ir ../support/queue.psql
\ir ../support/deciding.psql
select plan(42);

create function pg_temp.code(statement text)
returns text
language sql
as $$ select concat_ws(' ', s.state, s.detail ->> 'code', s.message) from pg_temp.refusal(statement) as s $$;

select pg_temp.scenario('answers', 'ann', 'bob', 'eve');
select pg_temp.running('ann') as w \gset
select (pg_temp.ask(:'w')).decision as d \gset
select is(pg_temp.code(format('select office.answer(%L, %L)', :'d', 'maybe')), format('PT422 invalid %s has no choice "maybe".', :'d'), 'D3: a choice not among the ids is refused');
select is((pg_temp.refusal(format('select office.answer(%L, %L)', :'d', 'maybe'))).hint, 'Choices: yes, no.', 'D3: … naming them');
select is(pg_temp.code(format('select office.answer(%L, null)', :'d')), format('PT422 invalid %s has no choice "".', :'d'), 'D3: … none is none of them');
select is(pg_temp.code(format('select office.answer(%L, %L, through => %L)', :'d', 'yes', 'pigeon')), 'PT422 invalid through is web, phone, cli, node or sql, and a note has at most 2000 characters.', 'D1: through what is one of five');
select is((pg_temp.refusal(format('select office.answer(%L, %L, repeat(%L, 2001))', :'d', 'yes', 'x'))).detail ->> 'field', 'note', 'D1: a note has at most 2,000 characters');
select is((pg_temp.refusal($$ select office.answer('d999', 'yes') $$)).state, 'PT404', 'I2: an unknown decision is refused');
select is((select d.status from office.decisions as d where 'd' || d.number = :'d'), 'pending', 'D3: what is refused changes nothing');
select results_eq(
  format($$ select a.status, a.choice, a.note, a.run_status from office.answer(%L, 'yes', 'go') as a $$, :'d'),
  $$ values ('answered', 'yes', 'go', 'running') $$, 'D3, D9: answered; its live program goes on'
);
select results_eq(
  format($$ select d.decided_by_account_id = office_internal.system_account(), d.decided_by_agent_id, d.through, d.decided_at = office.now() from office.decisions as d where 'd' || d.number = %L $$, :'d'),
  $$ values (true, null::uuid, 'sql', true) $$, 'D1: who, through what, when'
);
select is(pg_temp.code(format('select office.answer(%L, %L)', :'d', 'no')), 'PT409 already_answered Already answered.', 'D3: the first answer wins');
select is(pg_temp.code(format('select office.answer(%L, %L)', :'d', 'yes')), 'PT409 already_answered Already answered.', 'D3: … also against the same');
select is((pg_temp.refusal(format('select office.answer(%L, %L)', :'d', 'no'))).detail ->> 'choice', 'yes', 'D3: … which is told');

-- By hand the same holds.
select is(pg_temp.code(format('update office.decisions set choice = %L where number = %s', 'no', substr(:'d', 2))), 'PT409 already_answered Already answered.', 'D3: by hand: what was answered stays');
select is(pg_temp.code(format('update office.decisions set status = %L, choice = null, decided_at = null where number = %s', 'pending', substr(:'d', 2))), 'PT409 move_refused A decision cannot go from answered to pending.', 'D3: … it is not opened again');
select (pg_temp.ask(:'w', 'And now?')).decision as d2 \gset
select is(pg_temp.code(format('update office.decisions set status = %L, choice = %L where number = %s', 'answered', 'maybe', substr(:'d2', 2))), format('PT422 invalid %s has no choice "maybe".', :'d2'), 'D3: by hand: a choice is one of the ids');
update office.decisions set status = 'answered', choice = 'no' where 'd' || number = :'d2';
select is((pg_temp.run(:'w')).status, 'running', 'D9: by hand: an answer lets the run go on');

-- Ended, expired, void

select (pg_temp.ask(:'w', 'Third?', expires_after => '1 hour')).decision as d3 \gset
select testing.advance('59 minutes');
select is((select count(*)::integer from office.needs_me), 1, 'D3: it is open');
select testing.advance('1 minute');
select is((select count(*)::integer from office.needs_me), 0, 'D3: past its time it counts as expired before any sweep');
select is((pg_temp.ask(:'w', 'Third?')).status, 'expired', 'D7: … so is its program told');
select is(pg_temp.code(format('select office.answer(%L, %L)', :'d3', 'yes')), 'PT409 request_expired This request expired.', 'D3: … and it is answered no more');
select is((select done from office.maintain() where piece = 'decisions'), 1, 'D7: maintain sweeps');
select is(pg_temp.code(format('select office.answer(%L, %L)', :'d3', 'yes')), 'PT409 request_expired This request expired.', 'D3: … the same after the sweep');
select is((pg_temp.run(:'w')).status, 'running', 'D7: go_on: the run goes on');
select is((select done from office.maintain() where piece = 'decisions'), 0, 'D7: … once');
select (pg_temp.ask(:'w', 'Fourth?')).decision as d4 \gset
update office.runs set status = 'finished' where id = (pg_temp.run(:'w')).id;
select is(pg_temp.code(format('select office.answer(%L, %L)', :'d4', 'yes')), 'PT409 request_ended This request ended with its work.', 'D3: its work ended');
select pg_temp.running('bob') as v \gset
select (pg_temp.ask(:'v')).decision as d5 \gset
update office.decisions set status = 'void' where 'd' || number = :'d5';
select is(pg_temp.code(format('select office.answer(%L, %L)', :'d5', 'yes')), 'PT409 request_void This request no longer applies.', 'D3: void');

-- Who may answer

select (pg_temp.ask(:'v', 'Who?')).decision as d6 \gset
select pg_temp.running('eve') as x \gset
create function pg_temp.by_agent(wakeup uuid, decision text)
returns text
language plpgsql
as $$
declare
  v_said text;
begin
  perform pg_temp.act(pg_temp.attempt(wakeup));
  v_said := pg_temp.code(format('select office.answer(%L, %L)', decision, 'yes'));
  perform pg_temp.act_no_more();
  return v_said;
end
$$;
select matches(pg_temp.by_agent(:'x', :'d6'), '^PT403 forbidden', 'D5: an agent may not answer');
select office.update_agent('answers/eve', '{"can_approve": true}');
select office.update_agent('answers/bob', '{"can_approve": true}');
select matches(pg_temp.by_agent(:'v', :'d6'), '^PT403 forbidden', 'D5: … never what it asked itself');
select is(pg_temp.by_agent(:'x', :'d6'), '', 'D5: … one that can_approve may, what another asked');
select is((select a.name from office.decisions as d join office.agents as a on a.id = d.decided_by_agent_id where 'd' || d.number = :'d6'), 'eve', 'D1: … and is kept as who did');
select (pg_temp.ask(:'v', 'Elsewhere?')).decision as d7 \gset
select pg_temp.scenario('others', 'mia');
select pg_temp.running('mia') as y \gset
select office.update_agent('others/mia', '{"can_approve": true}');
select matches(pg_temp.by_agent(:'y', :'d7'), '^PT404 not_found', 'D5: … in its own workspace only');

create role tester_one login;
create role tester_two login;
create role tester_three login;
grant office_client to tester_one, tester_two, tester_three;
select office.create_account('one', db_role => 'tester_one');
select office.create_account('two', db_role => 'tester_two');
select office.create_account('three', db_role => 'tester_three');
select office.add_member('answers', 'one');
create function pg_temp.by_person(login text, decision text)
returns text
language plpgsql
as $$
declare
  v_said text;
begin
  execute format('set local session authorization %I', login);
  v_said := pg_temp.code(format('select office.answer(%L, %L)', decision, 'yes'));
  reset session authorization;
  return v_said;
end
$$;
grant execute on all functions in schema pg_temp to public;
select is((select count(*)::integer from office.members as m join office.workspaces as w on w.id = m.workspace_id where w.name = 'answers'), 2, '(two members)');
select matches(pg_temp.by_person('tester_three', :'d7'), '^PT404 not_found', 'D5: who is no member sees none');
select matches(pg_temp.by_person('tester_one', :'d7'), '^PT403 forbidden', 'D5: with several members a question is not everyone''s');
update office.accounts set operator = true where name = 'one';
select matches(pg_temp.by_person('tester_one', :'d7'), '^PT403 forbidden', 'V2: an operator without a verified address is none');
update office.accounts set email_verified_at = office.now() where name = 'one';
select is(pg_temp.by_person('tester_one', :'d7'), '', 'D5: an operator answers');
update office.accounts set operator = false where name = 'one';
update office.wakeups set account_id = (select id from office.accounts where name = 'one') where id = :'v';
select (pg_temp.ask(:'v', 'For whom?')).decision as d8 \gset
select is(pg_temp.by_person('tester_one', :'d8'), '', 'D5: the account for whom the run goes answers');
select is((select a.name from office.decisions as d join office.accounts as a on a.id = d.decided_by_account_id where 'd' || d.number = :'d8'), 'one', 'D5: … found from the caller''s identity');
update office.wakeups set account_id = office_internal.system_account() where id = :'v';
select (pg_temp.request(:'v')).decision as d9 \gset
create function pg_temp.approve(login text, decision text)
returns text
language plpgsql
as $$
declare
  v_said text;
begin
  execute format('set local session authorization %I', login);
  v_said := pg_temp.code(format('select office.answer(%L, %L)', decision, 'approved'));
  reset session authorization;
  return v_said;
end
$$;
select matches(pg_temp.approve('tester_two', :'d9'), '^PT404', 'D5: who is no member approves nothing');
select office.add_member('answers', 'two');
select is(pg_temp.approve('tester_two', :'d9'), '', 'D5: any member answers an approval');
-- In a workspace of one member any member answers.
delete from office.members where account_id in (select id from office.accounts where name in ('two', 'one'));
update office.members set account_id = (select id from office.accounts where name = 'three') where workspace_id = (select id from office.workspaces where name = 'answers');
select (pg_temp.ask(:'v', 'Alone?')).decision as d10 \gset
select is(pg_temp.by_person('tester_three', :'d10'), '', 'D5: the only member answers');
select is_empty('select * from office.audit()', 'Q26: the books balance');

select * from finish();
rollback;
