-- office.request_task, office.answer_request: what one person asks of another (T12). sc-T12
begin;
set local search_path = tap, public;
\ir ../support/queue.psql
\ir ../support/refusal.psql
\ir ../support/acting.psql
select plan(24);

create role zoe login;
create role max login;
create role third login;
grant office_client to zoe, max, third;
select office.create_account('zoe', db_role => 'zoe');
select office.create_account('max', db_role => 'max');
select office.create_account('third', db_role => 'third');
select pg_temp.scenario('acme', 'ann');
select office.add_member('acme', m) from unnest(array['zoe', 'max', 'third']) as m;
grant usage on schema tap to zoe, max, third;

set local session authorization zoe;
select r.task from office.request_task('max', 'Read the draft', 'By Friday.', peer_request_id => 'p7', requested_by_node_id => 'zoes-laptop', workspace => 'acme') as r \gset
select is(
  (select r.task from office.request_task('max', 'Read the draft', peer_request_id => 'p7', workspace => 'acme') as r), :'task',
  'T12: the same request again is the same task'
);
reset session authorization;
select results_eq(
  format($$ select t.state, a.name, r.name, t.source_ref, t.peer_request_id, t.requested_by_node_id, t.owner from office.tasks as t
    join office.accounts as a on a.id = t.assignee_account_id join office.accounts as r on r.id = t.requested_by_account_id
    where 't' || t.number = %L $$, :'task'),
  $$ values ('proposed', 'max', 'zoe', 'room-request:p7', 'p7', 'zoes-laptop', 'me') $$, 'T12: proposed, assigned to the person asked'
);
select is((select count(*) from office.inbox as i where i.kind = 'task.request' and i.task = :'task'), 1::bigint, 'T12: an inbox item');

-- While it waits
set local session authorization third;
select is((pg_temp.refusal(format('select office.move_task(%L, %L)', :'task', 'todo'))).state, 'PT403', 'T12 sc-T12: a third person moves it: 403');
select is((pg_temp.refusal(format('select * from office.answer_request(%L, %L)', :'task', 'declined'))).state, 'PT403', 'T12: nor answers it');
reset session authorization;
set local session authorization zoe;
select is((pg_temp.refusal(format('select office.move_task(%L, %L)', :'task', 'cancelled'))).state, 'PT403', 'T12: nor does who asked');
reset session authorization;
select is((pg_temp.refusal(format('update office.tasks set state = ''todo'' where ''t'' || number = %L', :'task'))).state, 'PT403', 'T12: nor an operator, by hand');
set local session authorization max;
select is((pg_temp.refusal(format('select office.assign_task(%L, %L)', :'task', 'ann'))).detail ->> 'code', 'request_waits', 'T12: it is not assigned while it waits');
select is((pg_temp.refusal(format('select office.snooze_task(%L, now())', :'task'))).state, 'PT409', 'T12: nor snoozed');
select is((pg_temp.refusal(format('select office.archive_task(%L)', :'task'))).state, 'PT409', 'T12: nor archived');
select is((pg_temp.refusal(format('select office.delete_task(%L)', :'task'))).state, 'PT409', 'T12: nor deleted');
select is((pg_temp.refusal(format('select * from office.answer_request(%L, %L)', :'task', 'yes'))).detail ->> 'field', 'answer', 'I3: accepted or declined');
reset session authorization;
select pg_temp.wake('ann') as w \gset
select pg_temp.claim();
select pg_temp.start(:'w');
select pg_temp.act((select a.id from office.attempts as a where a.ended_at is null));
select is((pg_temp.refusal(format('select office.move_task(%L, %L)', :'task', 'todo'))).state, 'PT403', 'X2: a run cannot reach it');
select pg_temp.act_no_more();
update office.agents set role = 'coordinator' where name = 'ann';
select pg_temp.act((select a.id from office.attempts as a where a.ended_at is null));
select is((pg_temp.refusal(format('select office.move_task(%L, %L)', :'task', 'todo'))).detail ->> 'code', 'request_waits', 'T12 sc-T12: an assistant moves it: 409');
select pg_temp.act_no_more();

-- The answers
set local session authorization max;
select results_eq(
  format('select a.request, a.state, a.answered, a.said, a.requested_by from office.answer_request(%L, %L, %L) as a', :'task', 'accepted_shared', 'With pleasure.'),
  format($$ values (%L, 'in_progress', 'accepted_shared', 'With pleasure.', 'zoe') $$, :'task'), 'T12 sc-T12: accepted: in progress, and the reply tells'
);
select is((pg_temp.refusal(format('select * from office.answer_request(%L, %L)', :'task', 'declined'))).detail ->> 'code', 'conflict', 'T12: answered once');
reset session authorization;
select is((select t.description from office.tasks as t where 't' || t.number = :'task'), E'By Friday.\n\nWith pleasure.', 'T12: what was asked is kept, their words are added');
select is((select count(*) from office.inbox as i where i.kind = 'task.request'), 0::bigint, 'T12: the inbox item is closed');
set local session authorization zoe;
select r.task as second from office.request_task('max', 'Another', workspace => 'acme') as r \gset
select r.task as third from office.request_task('max', 'A third', workspace => 'acme') as r \gset
select is((pg_temp.refusal($$ select office.request_task('maxi', 'x', workspace => 'acme') $$)).hint, 'Did you mean "max"?', 'I2: an unknown person');
reset session authorization;
set local session authorization max;
select office.move_task(:'second', 'cancelled');
select office.move_task(:'third', 'todo');
reset session authorization;
select results_eq(
  $$ select t.title, t.state, t.request_answer, t.request_answered_at is not null from office.tasks as t where t.requested_by_account_id is not null order by t.number offset 1 $$,
  $$ values ('Another', 'cancelled', 'declined', true), ('A third', 'todo', 'accepted_private', true) $$, 'T12 sc-T12: a move is an answer as well'
);
select lives_ok(format('select office.move_task(%L, %L)', :'third', 'in_progress'), 'T12: once answered it is a task like any other');
update office.tasks set request_answer = 'declined' where title = 'A third';
select is((select t.request_answer from office.tasks as t where t.title = 'A third'), 'accepted_private', 'T12: an answer stays');
select is((pg_temp.refusal(format('select * from office.answer_request(%L, %L)', pg_temp.task('plain'), 'declined'))).hint, 'Nobody asked for it.', 'T12: a task that nobody asked for');
select is_empty('select * from office.audit()', 'Q26: the books balance');

select * from finish();
rollback;
