-- office.read_document, office.write_document: what people and agents write down for a task and its parts (X2, C1, I5).
begin;
set local search_path = tap, public;
\ir ../support/queue.psql
\ir ../support/refusal.psql
\ir ../support/acting.psql
select plan(35);

create function pg_temp.code(statement text) returns text language sql
as $$ select concat_ws(' ', r.state, r.detail ->> 'code', r.detail ->> 'field') from pg_temp.refusal(statement) as r $$;
create function pg_temp.write(name text, body text, task text default null, based_on integer default null) returns text language sql
as $$ select concat_ws(' ', w.of_task, w.document, w.version) from office.write_document(name, body, task, based_on) as w $$;
create function pg_temp.read(name text, task text default null) returns text language sql
as $$ select concat_ws(' ', r.of_task, r.document, r.version, r.written_by) || ': ' || r.body from office.read_document(name, task) as r $$;

select pg_temp.scenario('far', 'oz');
select pg_temp.task('far away') as far \gset
select pg_temp.scenario('acme', 'ann', 'bob');
select pg_temp.task('whole') as whole \gset
select (office.create_task('part', assignee => 'acme/ann', parent => :'whole')).task as part \gset
select (office.create_task('part''s part', parent => :'part')).task as below \gset
select pg_temp.task('alone', 'bob') as alone \gset

-- People
select is(pg_temp.write('Plan', 'First.', :'whole'), :'whole' || ' Plan 1', 'X2: a person writes a document');
select is(
  pg_temp.read('plan', :'whole'), format('%s Plan 1 %s: First.', :'whole', (select a.name from office.accounts as a where a.id = office_internal.system_account())),
  'X2: … and reads it, case aside'
);
select is(pg_temp.write('PLAN', 'Second.', :'whole'), :'whole' || ' Plan 2', 'X2: written anew, it is the same one');
select is(pg_temp.write('plan', 'Third.', :'whole', 2), :'whole' || ' Plan 3', 'X2: based on what is there');
select is(pg_temp.code(format('select office.write_document(%L, %L, %L, 2)', 'plan', 'x', :'whole')), 'PT409 document_changed', 'X2: based on what is there no more: refused');
select is(pg_temp.code(format('select office.write_document(%L, %L, %L, 0)', 'plan', 'x', :'whole')), 'PT409 document_changed', 'X2: new, and there already: refused');
select matches(pg_temp.read('plan', :'whole'), 'Third\.$', 'I3: nothing of that was written');
select is(pg_temp.code(format('select office.write_document(%L, %L, %L, 1)', 'notes', 'x', :'whole')), 'PT404 not_found', 'X2: based on what was never there');
select is(pg_temp.code($$ select office.write_document('plan', 'x') $$), 'PT422 missing task', 'I3: whose document?');
select is(pg_temp.code($$ select * from office.read_document('plan') $$), 'PT422 missing task', 'I3: … to read, too');
select is(pg_temp.code(format('select office.write_document(%L, %L, %L)', E'a\nb', 'x', :'whole')), 'PT422 invalid name', 'C3: a name is one line');
select is(pg_temp.code(format('select office.write_document(%L, %L, %L)', '', 'x', :'whole')), 'PT422 invalid name', 'I3: not empty');
select is(pg_temp.code(format('select office.write_document(null, %L, %L)', 'x', :'whole')), 'PT422 invalid name', 'I3: nor null');
select is(
  pg_temp.code(format('select office.write_document(%L, repeat(%L, 262145), %L)', 'big', 'x', :'whole')), 'PT422 invalid body', 'I3: nor a body that is too long'
);
select is(
  (pg_temp.refusal(format('select * from office.read_document(%L, %L)', 'plam', :'whole'))).hint, 'Did you mean "Plan"?', 'I2: the nearest is told'
);

-- Agents: their task's parent, their task, and what is below
select pg_temp.look();
select is(pg_temp.claim(), 'ann:task_assigned, bob:task_assigned', 'Q11: both runs go');
select matches(
  (select p.assembled_prompt from office.attempt_prompts as p join office.runs as r on r.attempt_id = p.attempt_id where r.task_id = pg_temp.task_id(:'part')),
  E'Documents of the whole \\(officectl agent document NAME\\):\n- "Plan", version 3\n', 'C1: its prompt has the names of the whole''s documents'
);
select doesnt_match(
  (select p.assembled_prompt from office.attempt_prompts as p join office.runs as r on r.attempt_id = p.attempt_id where r.task_id = pg_temp.task_id(:'part')),
  'Third', 'C1: by name only'
);
select pg_temp.act(r.attempt_id) from office.runs as r where r.task_id = pg_temp.task_id(:'part');
select is(pg_temp.read('plan'), (select format('%s Plan 3 %s: Third.', :'whole', a.name) from office.accounts as a where a.id = office_internal.system_account()), 'X2: an agent reads its parent''s');
select is(pg_temp.write('findings', 'So.'), :'whole' || ' findings 1', 'X2: and writes there');
select is(pg_temp.write('notes', 'Mine.', :'part'), :'part' || ' notes 1', 'X2: on its own task');
select is(pg_temp.write('notes', 'For you.', :'below'), :'below' || ' notes 1', 'X2: on a part of it');
select is(pg_temp.code(format('select office.write_document(%L, %L, %L)', 'plan', 'x', :'alone')), 'PT403 forbidden', 'X2: on no other run''s');
select is(pg_temp.code(format('select * from office.read_document(%L, %L)', 'plan', :'far')), 'PT404 not_found', 'A10: of no other workspace');
select is(pg_temp.code(format('select office.write_document(%L, null, %L)', 'findings', :'whole')), 'PT403 forbidden', 'X2: it removes none');
select is(
  pg_temp.code(format('select office.update_task(%L, %L)', :'part', jsonb_build_object('parent', :'alone'))), 'PT403 forbidden',
  'X2: nor hangs its task below another''s to write there'
);
select is((office.read_task() -> 'documents' -> 0) ->> 'document', 'notes', 'X2: read_task names them');
select pg_temp.act_no_more();
select pg_temp.act(r.attempt_id) from office.runs as r where r.task_id = pg_temp.task_id(:'alone');
select is(pg_temp.write('diary', 'Alone.'), :'alone' || ' diary 1', 'X2: a task without a parent is meant itself');
select pg_temp.act_no_more();
select matches(pg_temp.read('findings', :'whole'), 'findings 1 ann: So\.', 'X2: people read what agents wrote');
select is(pg_temp.write('findings', null, :'whole'), :'whole' || ' findings 1', 'X2: a person removes one');
select is(pg_temp.code(format('select * from office.read_document(%L, %L)', 'findings', :'whole')), 'PT404 not_found', 'X2: … and it is gone');
select results_eq(
  format($$ select v.kind, v.detail ->> 'version' from office.activity as v where v.task_id = %L and v.kind like 'document%%' and v.detail ->> 'document' = 'findings' order by v.id $$,
    pg_temp.task_id(:'whole')),
  $$ values ('document_written', '1'), ('document_removed', '1') $$, 'X2: activity'
);
-- Who sees them
create role reader_of_far login;
grant office_reader to reader_of_far;
select office.create_account('faraway', null, 'reader_of_far');
select office.add_member('far', 'faraway');
set local session authorization reader_of_far;
select is((select count(*) from office.task_documents), 0::bigint, 'I5: a member of another workspace sees none');
select throws_ok($$ update office.task_documents set body = 'x' $$, '42501', null, 'I5: nobody writes them by hand');
reset session authorization;
select is_empty('select * from office.audit()', 'Q26: the books balance');

select * from finish();
rollback;
