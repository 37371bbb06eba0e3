-- T2: the moves of a task are the table's and no others, by function, by UPDATE and by a drag of the stage. sc-T1
begin;
set local search_path = tap, public;
\ir ../support/refusal.psql
select plan(14);

-- The rule's own table, written down once more, so that a changed row of task_moves shows.
create temporary table rule (from_state text, to_states text[]);
insert into rule values
  ('proposed', '{todo,cancelled,in_progress}'),
  ('todo', '{in_progress,cancelled,done,proposed}'),
  ('in_progress', '{in_review,blocked,done,todo,cancelled}'),
  ('in_review', '{in_progress,done,blocked,cancelled}'),
  ('blocked', '{todo,in_progress,cancelled}'),
  ('done', '{todo}'),
  ('cancelled', '{proposed,todo}');

-- A task in each state, reached by allowed moves only; and every pair with what the rule says of it.
create function pg_temp.task_in(state text) returns text
language plpgsql
as $$
declare
  v_task text := task from office.create_task('A task', state => case when task_in.state = 'proposed' then 'proposed' else 'todo' end);
begin
  if task_in.state in ('in_progress', 'in_review', 'blocked', 'done', 'cancelled') then
    perform office.move_task(v_task, 'in_progress');
    perform office.move_task(v_task, task_in.state);
  end if;
  return v_task;
end
$$;
create temporary table pairs as
select f.from_state, t.from_state as to_state, t.from_state = any(f.to_states) as allowed, f.from_state = t.from_state as same
from rule as f, rule as t;

create temporary table tried as
select
  p.*, pg_temp.task_in(p.from_state) as by_function, pg_temp.task_in(p.from_state) as by_update, pg_temp.task_in(p.from_state) as by_drag
from pairs as p;
create temporary table told as
select
  t.*,
  pg_temp.refusal(format('select * from office.move_task(%L, %L)', t.by_function, t.to_state)) as function_said,
  pg_temp.refusal(format('update office.tasks set state = %L where number = %s', t.to_state, substr(t.by_update, 2))) as update_said,
  pg_temp.refusal(format(
    'update office.tasks set stage_id = (select s.id from office.stages as s join office.workflows as f on f.id = s.workflow_id '
    'where f.kind = %L and s.state = %L) where number = %s', 'office', t.to_state, substr(t.by_drag, 2)
  )) as drag_said
from tried as t;

select is((select count(*) from told), 49::bigint, 'T2 sc-T1: all 49 pairs of states are tried');
select results_eq(
  $$ select from_state, to_state from told where (function_said).state is null order by 1, 2 $$,
  $$ select from_state, to_state from pairs where allowed or same order by 1, 2 $$,
  'T2 sc-T1: the function makes the moves of the table, and those to the same state, and no other'
);
select results_eq(
  $$ select from_state, to_state from told where (update_said).state is null order by 1, 2 $$,
  $$ select from_state, to_state from pairs where allowed or same order by 1, 2 $$,
  'T2 sc-T1: so does a plain UPDATE'
);
select results_eq(
  $$ select from_state, to_state from told where (drag_said).state is null order by 1, 2 $$,
  $$ select from_state, to_state from pairs where allowed or same order by 1, 2 $$,
  'T2 sc-T1: so does a drag to another stage'
);
create temporary view refused as
select r.by, t.from_state, t.to_state, r.task, (r.said).state, (r.said).message, (r.said).detail, (r.said).hint
from told as t
cross join lateral (values
  ('function', t.by_function, t.function_said), ('update', t.by_update, t.update_said), ('drag', t.by_drag, t.drag_said)
) as r (by, task, said)
where not t.allowed and not t.same;
select is((select count(*) from refused), 3 * 20::bigint, 'T2: twenty pairs are refused, by each of the three ways');
select is_empty(
  $$ select * from refused where state is distinct from 'PT409' or detail ->> 'code' is distinct from 'move_refused' $$,
  'T2 I3: every refusal is PT409 with code move_refused'
);
select is_empty(
  $$ select * from refused where position(from_state in message) = 0 or position(to_state in message) = 0 $$,
  'T2: the message names both states'
);
select is_empty(
  $$
    select r.* from refused as r join rule using (from_state)
    where exists (select from unnest(rule.to_states) as s where position(s in r.hint) = 0)
      or (select array_agg(s order by s) from unnest(rule.to_states) as s)
        is distinct from (select array_agg(s order by s) from jsonb_array_elements_text(r.detail -> 'allowed') as s)
  $$,
  'T2: the hint and the detail say what is allowed'
);
select is_empty(
  $$
    select w.task, w.state, s.state, g.state
    from (
      select r.by, r.task, case when t.allowed then t.to_state else t.from_state end as state
      from told as t
      cross join lateral (values ('function', t.by_function), ('update', t.by_update), ('drag', t.by_drag)) as r (by, task)
    ) as w
    join office.tasks as s on s.number = substr(w.task, 2)::bigint
    join office.stages as g on g.id = s.stage_id
    where s.state <> w.state or g.state <> w.state
  $$,
  'T2 T4: afterwards state and stage agree, moved or not'
);
select is_empty(
  $$
    select t.by_function
    from told as t
    join office.tasks as s on s.number = substr(t.by_function, 2)::bigint
    where t.same and exists (
      select from office.activity as v where v.task_id = s.id and v.kind = 'task_moved' and v.detail ->> 'from' = v.detail ->> 'to'
    )
  $$,
  'T2: a move to the same state leaves no event'
);
-- By name of the stage, case aside; by a name that is neither.
select is(
  (office.move_task(pg_temp.task_in('in_progress'), 'In Review')).state, 'in_review', 'T4: a stage is named as people see it'
);
select is(
  (pg_temp.refusal(format('select * from office.move_task(%L, %L)', pg_temp.task_in('todo'), 'in_progres'))).hint,
  'Did you mean "in_progress"?',
  'T2 I2: a state that is none is refused with the nearest'
);
-- K13: without the trigger a plain UPDATE makes any move, so the refusals above are the trigger's.
alter table office.tasks disable trigger tasks_check;
select lives_ok(
  format('update office.tasks set state = %L where number = %s', 'in_review', substr(pg_temp.task_in('todo'), 2)),
  'K13: without the trigger the same UPDATE passes'
);
alter table office.tasks enable trigger tasks_check;
select is_empty('select * from office.audit()', 'the books are in order');

select * from finish();
rollback;
