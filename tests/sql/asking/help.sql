-- I1: help is where to begin: whatever it says, typed, works; and it is known to every face.
begin;
set local search_path = tap, public;
\ir ../support/refusal.psql
select plan(6);

select is((select count(*) > 5 from office.help()), true, 'I1: there is help');
select is_empty($$ select topic from office.help() where topic is null or try is null or topic = '' $$, 'I1: every topic says what to try');
-- Its examples in their order: an agent, a task for it, and a run by the time that r1 is asked about.
create temporary table tickets (id integer primary key);
create function pg_temp.typed() returns setof text language plpgsql
as $$
declare
  v_try text;
  v_said pg_temp.refusal;
begin
  for v_try in
    select h.try from office.help() with ordinality as h (topic, try, nth) where h.try !~ '^(\\|officectl)' order by h.nth
  loop
    -- The run is blocked by the time that it is stopped and tried again.
    if v_try like '%''r1''%' and exists (select from office.runs where status = 'queued') then
      update office.runs set status = 'blocked' where status = 'queued';
    end if;
    v_said := pg_temp.refusal(v_try);
    if v_said.state is not null then
      return next v_try || ': ' || v_said.message;
    end if;
    perform office.dispatch();
  end loop;
end
$$;
select is_empty('select pg_temp.typed()', 'I1: each example, typed in this order, works');
select is((select count(*) from office.runs), 2::bigint, 'I1: and they have made two runs, of a task and of a wake about none');

-- The quickstart of the README, as it is there.
select lives_ok(
  $$
    select * from office.create_agent('second', executor => '{"command": ["/bin/sh", "-c", "echo done"]}');
    select * from office.create_task('Look at order 7', assignee => 'second');
    select * from office.up_next;
    select * from office.result('t1');
  $$,
  'I4: the SQL quickstart works when typed'
);
select is_empty('select * from office.audit()', 'the books are in order');

select * from finish();
rollback;
