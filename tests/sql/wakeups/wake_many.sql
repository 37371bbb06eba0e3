-- office.wake_many: many wakes at once, all or none, keys in order (Q3).
begin;
set local search_path = tap, public;
\ir ../support/refusal.psql
\ir ../support/queue.psql

select plan(17);

select pg_temp.scenario('many', 'ann', 'bob');
create temporary table made as
select * from office.wake_many('[
  {"agent": "many/bob", "idempotency_key": "b"},
  {"agent": "ann", "workspace": "many", "source": "self", "payload": {"reason": "x"}, "idempotency_key": "a"},
  {"agent": "many/ann"}
]');
select results_eq(
  $$
    select m.ordinal, a.name, w.source, m.duplicate
    from made as m
    join office.wakeups as w on w.id = m.wakeup_id
    join office.agents as a on a.id = w.agent_id
    order by m.ordinal
  $$,
  $$ values (1, 'bob', 'user', false), (2, 'ann', 'self', false), (3, 'ann', 'user', false) $$,
  'Q3: each request is answered, in the order given'
);
select results_eq(
  $$ select a.name, w.source from office_internal.signals as s join office.wakeups as w on w.id = s.wakeup_id join office.agents as a on a.id = w.agent_id order by s.id $$,
  $$ values ('bob', 'user'), ('ann', 'self'), ('ann', 'user') $$, 'Q4: … and seen by the dispatch in that order'
);
select pg_temp.look();
select set_eq($$ select pg_temp.runs() $$, array['bob:user:event:queued:1, ann:self:event:queued:2'], 'Q4: … which merges them so');

-- Rows go in in the order of their keys, whatever the order of the requests: two callers cannot lock each other out.
create temporary table inserted (nth serial, key text);
create function pg_temp.note() returns trigger language plpgsql as $$ begin insert into inserted (key) values (new.idempotency_key); return null; end $$;
create trigger note after insert on office.wakeups for each row execute function pg_temp.note();
select count(*) from office.wake_many('[{"agent": "many/ann", "idempotency_key": "z"}, {"agent": "many/ann", "idempotency_key": "m"}, {"agent": "many/ann", "idempotency_key": "B"}, {"agent": "many/ann", "idempotency_key": "é"}]');
select is((select string_agg(i.key, ' ' order by i.nth) from inserted as i), 'B m z é', 'Q3: wake_many inserts in key order');
drop trigger note on office.wakeups;

-- Duplicates: of a row that is there, and within one call.
select results_eq(
  $$
    select m.ordinal, m.duplicate, m.wakeup_id = first_value(m.wakeup_id) over (order by m.ordinal)
    from office.wake_many('[{"agent": "many/ann", "idempotency_key": "twice", "payload": {"context": 1}}, {"agent": "many/bob", "idempotency_key": "twice", "payload": {"context": 2}}, {"agent": "many/ann", "idempotency_key": "b"}]') as m
    order by m.ordinal
  $$,
  $$ values (1, false, true), (2, true, true), (3, true, false) $$, 'Q3: the first of a key is taken, the others are its duplicates'
);
select is((select w.payload ->> 'context' from office.wakeups as w where w.idempotency_key = 'twice'), '1', 'Q3: … the first in the order given');

-- The same with many, so that no chance of a sort hides it
create temporary table made_of_many as
select * from office.wake_many((
  select jsonb_agg(jsonb_build_object('agent', 'many/ann', 'idempotency_key', 'key ' || n % 50, 'payload', jsonb_build_object('context', n)) order by n)
  from generate_series(1, 200) as n
));
select results_eq(
  $$ select count(*), max((w.payload ->> 'context')::integer) from made_of_many as m join office.wakeups as w on w.id = m.wakeup_id where not m.duplicate $$,
  $$ values (50::bigint, 50) $$, 'Q3: … always'
);

-- All or none
create temporary table counted as select (select count(*) from office.wakeups) as wakeups, (select count(*) from office_internal.signals) as signals;
select is((r).state, 'PT422', 'Q3: one that is refused refuses all')
from pg_temp.refusal($$ select office.wake_many('[{"agent": "many/ann"}, {"agent": "many/ann", "source": "heartbeat"}, {"agent": "many/bob"}]') $$) as r;
select is((r).state, 'PT404', 'Q3: … also for an agent that is not there')
from pg_temp.refusal($$ select office.wake_many('[{"agent": "many/ann"}, {"agent": "many/nobody"}]') $$) as r;
select results_eq(
  $$ select (select count(*) from office.wakeups), (select count(*) from office_internal.signals) $$, 'select * from counted', 'Q3: … nothing is written'
);
select is((r).detail ->> 'element', '2', 'Q3: … and says which')
from pg_temp.refusal($$ select office.wake_many('[{"agent": "many/ann"}, {"agent": "many/ann", "source": "heartbeat"}]') $$) as r;

select is((pg_temp.refusal(s.statement)).state, 'PT422', 'Q2: refused: ' || s.statement)
from (values
  ($$ select office.wake_many('{}') $$), ($$ select office.wake_many('[1]') $$), ($$ select office.wake_many(null) $$),
  ($$ select office.wake_many('[{"agent": "many/ann", "sauce": "user"}]') $$)
) as s (statement);
select is_empty($$ select from office.wake_many('[]') $$, 'Q3: none is none');

select pg_temp.look();
select is_empty('select * from office.audit()', 'Q26: the books balance');
select * from finish();
rollback;
