-- I3: every refusal is SQLSTATE PT and a status, DETAIL as JSON with a code of office.errors, and a HINT that says what to do.
begin;
set local search_path = tap, public;
\ir ../support/refusal.psql
select plan(9);

-- Every code that a function names is a row of errors; every row is named by a function, or is one that is to come.
create temporary table named as
select p.oid::regprocedure::text as function, c.code[1] as code
from pg_proc as p
cross join lateral regexp_matches(p.prosrc, $q$refuse\(\s*(?:case\s+.*?then\s+)?'([a-z_]+)'$q$, 'g') as c (code)
where p.pronamespace in ('office'::regnamespace, 'office_internal'::regnamespace);
select isnt_empty('select * from named', 'I3: functions that refuse are found');
select is_empty(
  'select n.* from named as n where not exists (select from office.errors as e where e.code = n.code)', 'I3: every code that a function names is a row of errors'
);
select is_empty(
  $$ select * from office.errors where meaning !~ '\.$' or code !~ '^[a-z_]+$' $$, 'I3: every code has a sentence'
);
-- The one way to say no.
select results_eq(
  $$ select e.code, r.state, r.message, r.detail, r.hint
     from office.errors as e, pg_temp.refusal(format('select office_internal.refuse(%L, %L, %L, %L)', e.code, 'No.', 'Do this.', '{"n": 1}')) as r
     order by e.code $$,
  $$ select e.code, 'PT' || e.status, 'No.', jsonb_build_object('code', e.code, 'n', 1), 'Do this.' from office.errors as e order by e.code $$,
  'I3: each code gives PT and its status, the sentence, the code and values as JSON, and the hint'
);
select is_empty(
  $$ select retryable, code from office.errors where retryable <> (code in ('schema_changed', 'too_many_attempts')) $$, 'I3: retryable marks what may succeed later'
);
-- By hand, past the functions, the constraints speak for themselves; through the functions they are said as a refusal.
select is(
  (pg_temp.refusal($$ insert into office.accounts (name) values ('not a name') $$)).state, '23514', 'K13: a constraint has an error of its own'
);
select results_eq(
  $$ select state, detail, hint from pg_temp.refusal($q$ select * from office.create_task(repeat('x', 201)) $q$) $$,
  $$ values ('PT422', '{"code": "invalid", "field": "title"}'::jsonb, 'Title, at most 200 characters.') $$,
  'I3: through a function it names the field, and what would do'
);
select results_eq(
  $$ select state, detail, hint from pg_temp.refusal($q$ select * from office.create_task(null) $q$) $$,
  $$ values ('PT422', '{"code": "invalid", "field": "title"}'::jsonb, 'It may not be null.') $$, 'I3: null is said as null'
);
select is_empty('select * from office.audit()', 'the books are in order');

select * from finish();
rollback;
