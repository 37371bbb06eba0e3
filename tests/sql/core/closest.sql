-- I2: which name a person probably meant.
begin;
set local search_path = tap, public;
select plan(3);

create temporary table meant (given text, nearest text);
insert into meant values
  ('bilder', 'builder'), ('BUILDER', 'builder'), ('buidler', 'builder'), ('triag', 'triage'), ('tri', 'triage'), ('rev', 'reviewer'),
  ('reviewers', 'reviewer'), ('zzz', null), ('', null), ('x', null), (null, null), ('%', null), ('🦆', null);
select results_eq(
  $$ select given, office_internal.closest(given, array['builder', 'triage', 'reviewer']) from meant $$, 'select given, nearest from meant',
  'I2: a slip of the pen finds its name, a word like none finds none'
);
select is(office_internal.closest('builder', null), null, 'I2: among no names none is near');
set local statement_timeout = '2s';
select is(office_internal.closest(repeat('x', 1000000), array['builder', 'triage', 'reviewer']), null, 'I2: a megabyte is no name, and soon found to be none');

select * from finish();
rollback;
