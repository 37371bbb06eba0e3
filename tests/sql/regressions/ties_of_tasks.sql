-- What a task may hang on, by function and by hand: a workflow, stage and parent of its own workspace, never itself, nothing that is gone;
-- parts of parts, however deep, go with their whole (T1, T4, T8, T14). And cycles of blockers in statements of many rows (T8).
begin;
set local search_path = tap, public;
\ir ../support/queue.psql
\ir ../support/refusal.psql
select plan(28);

create function pg_temp.hand(task text, change text) returns text language plpgsql as $$
declare v_said pg_temp.refusal := pg_temp.refusal(format('update office.tasks as t set %s where t.id = %L', change, pg_temp.task_id(task)));
begin
  return concat_ws(' ', v_said.state, v_said.detail ->> 'code', v_said.detail ->> 'field');
end $$;
select pg_temp.scenario('other', 'oz');
select pg_temp.task('elsewhere') as elsewhere \gset
select office.create_workflow('far', '[{"name": "Far", "state": "todo"}]', 'other') as far \gset
select pg_temp.scenario('acme', 'ann');
select office.create_workflow('near', '[{"name": "Start", "state": "todo"}, {"name": "Go", "state": "in_progress"}]', 'acme') as near \gset
select pg_temp.task('a') as a \gset
select pg_temp.task('b') as b \gset

select is(pg_temp.hand(:'a', format('workflow_id = %L', :'far')), 'PT422 invalid workflow', 'T1: no workflow of another workspace');
select is(
  pg_temp.hand(:'a', 'stage_id = (select s.id from office.stages as s where s.name = ''Far'')'), 'PT422 invalid stage',
  'T4: no stage of another workflow'
);
select is(pg_temp.hand(:'a', format('workflow_id = %L', :'near')), '', 'T4: another workflow of its own');
select is(
  (select s.name from office.tasks as t join office.stages as s on s.id = t.stage_id where t.id = pg_temp.task_id(:'a')), 'Start',
  'T4: … where it stands in the stage of its state'
);
select is(pg_temp.hand(:'a', 'stage_id = null'), '', 'T4: no stage named');
select is(
  (select s.name from office.tasks as t join office.stages as s on s.id = t.stage_id where t.id = pg_temp.task_id(:'a')), 'Start',
  'T4: … is that of its state'
);
select throws_ok(
  format(
    'insert into office.tasks (workspace_id, workflow_id, title) select w.id, %L, ''x'' from office.workspaces as w where w.name = ''acme''',
    :'far'
  ), 'PT422', null, 'T1: a new one neither'
);

-- Parents
select is(pg_temp.hand(:'a', 'parent_id = id'), 'PT409 parent_cycle parent', 'T14: no part of itself');
select is(pg_temp.hand(:'a', format('parent_id = %L', pg_temp.task_id(:'elsewhere'))), 'PT422 invalid parent', 'T8: nor of another workspace''s');
select office.update_task(:'b', jsonb_build_object('parent', :'a'));
select pg_temp.task('c') as c \gset
select office.update_task(:'c', jsonb_build_object('parent', :'b'));
select is(
  (pg_temp.refusal(format('select office.update_task(%L, %L)', :'a', jsonb_build_object('parent', :'c')))).detail ->> 'code', 'parent_cycle',
  'T14: nor of its part''s part'
);
select is(pg_temp.hand(:'a', format('parent_id = %L', pg_temp.task_id(:'c'))), 'PT409 parent_cycle parent', 'T14: by hand neither');
select pg_temp.task('d') as d \gset
select pg_temp.task('e') as e \gset
select throws_ok(
  format(
    'update office.tasks as t set parent_id = case t.id when %1$L then %2$L::uuid else %1$L end where t.id in (%1$L, %2$L)',
    pg_temp.task_id(:'d'), pg_temp.task_id(:'e')
  ), 'PT409', null, 'T14: both halves in one statement'
);
select pg_temp.task('gone') as gone \gset
select office.archive_task(:'gone');
select is(
  (pg_temp.refusal(format('select office.create_task(%L, parent => %L)', 'x', :'gone'))).detail ->> 'code', 'conflict', 'T14: no part of what is archived'
);
select is(pg_temp.hand(:'d', format('parent_id = %L', pg_temp.task_id(:'gone'))), 'PT409 conflict parent', 'T14: by hand neither');
select is(
  pg_temp.hand(:'c', 'title = ''still c'''), '', 'T14: a part whose whole is as it was may be changed'
);

-- A tree as deep as it is wide goes at once.
do $$
declare
  v_parent uuid;
begin
  for n in 1..3000 loop
    insert into office.tasks (workspace_id, workflow_id, title, parent_id)
    select w.id, w.office_workflow_id, 'deep ' || n, v_parent from office.workspaces as w where w.name = 'acme'
    returning id into v_parent;
  end loop;
end $$;
update office.tasks set archived_at = office.now() where title = 'deep 1500';
select is((select count(*) from office.tasks where title like 'deep %' and archived_at is not null), 1501::bigint, 'T14: archived with all below it');
delete from office.tasks where title = 'deep 1';
select is(
  (select count(*) from office.tasks where title like 'deep %' and deleted_at is not null and (archived_at is null) = (number < (
    select number from office.tasks where title = 'deep 1500'
  ))), 3000::bigint, 'T14: deleted with all below it, archived ones too'
);
select is(
  (select count(*) from office.activity as v join office.tasks as t on t.id = v.task_id where t.title like 'deep %' and v.kind = 'task_closed'),
  3000::bigint, 'T14: each ends once'
);
-- The run of a part that is done, but has not ended, is stopped with its whole.
delete from office_internal.signals;
select pg_temp.task('whole') as whole \gset
select (office.create_task('half', assignee => 'acme/ann', parent => :'whole')).task as half \gset
select pg_temp.look();
select is(pg_temp.claim(), 'ann:task_assigned', 'Q11: its part''s run goes');
select office.start_attempt(r.attempt_id) from office.runs as r where r.task_id = pg_temp.task_id(:'half');
select office.move_task(:'half', 'done');
select pg_temp.look();
select is((select r.status from office.runs as r where r.task_id = pg_temp.task_id(:'half')), 'running', 'T5: done, its run ends by itself');
select office.archive_task(:'whole');
select pg_temp.look();
select is((select r.status from office.runs as r where r.task_id = pg_temp.task_id(:'half')), 'stopping', 'T14: archived, it is stopped');

-- Blockers by the thousand, in one statement
create temporary table chain as
with made as (
  insert into office.tasks (workspace_id, workflow_id, title)
  select w.id, w.office_workflow_id, 'link ' || n from office.workspaces as w, generate_series(1, 2000) as n where w.name = 'acme'
  returning id, workspace_id, number, title
)
select *, row_number() over (order by number) as nth from made;
select lives_ok(
  $$ insert into office.task_blockers (workspace_id, task_id, blocker_task_id)
    select t.workspace_id, t.id, b.id from chain as t join chain as b on b.nth = t.nth - 1 $$, 'T8: a chain in one statement'
);
create function pg_temp.tie(task bigint, blocker bigint) returns pg_temp.refusal language sql as $$
  select pg_temp.refusal(format(
    'insert into office.task_blockers (workspace_id, task_id, blocker_task_id)'
    ' select t.workspace_id, t.id, b.id from chain as t, chain as b where t.nth = %s and b.nth = %s', task, blocker
  ))
$$;
select is((pg_temp.tie(1500, 3)).state, null, 'T8: one more that makes no cycle, in the middle of it');
select is((pg_temp.tie(3, 1500)).detail ->> 'code', 'blocker_cycle', 'T8: one that makes one');
select is(
  jsonb_array_length((pg_temp.tie(3, 1502)).detail -> 'path'), 5, 'T8: the shortest way round is told: along what was added'
);
select matches((pg_temp.tie(1, 1000)).message, ' waits for 981 more\.$', 'T8: a long one is cut');
select is(
  (pg_temp.refusal(
    'insert into office.task_blockers (workspace_id, task_id, blocker_task_id)
      select t.workspace_id, t.id, b.id from chain as t join chain as b on b.nth = t.nth - 2 where t.nth > 2
      union all select t.workspace_id, t.id, b.id from chain as t, chain as b where t.nth = 700 and b.nth = 701'
  )).detail ->> 'path',
  (select jsonb_build_array(a.link, b.link, a.link)::text from (select 't' || number as link from chain where nth = 700) as a,
    (select 't' || number as link from chain where nth = 701) as b),
  'T8: one bad row among thousands is found'
);
select is_empty('select * from office.audit()', 'Q26: the books balance');

select * from finish();
rollback;
