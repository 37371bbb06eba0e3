-- X9, S4, sc-X9: a worktree per task and agent, where a project says so; what keeps it, and who may take it away.
begin;
set local search_path = tap, public;
\ir ../support/refusal.psql
\ir ../support/queue.psql
\ir ../support/acting.psql
select plan(35);

create function pg_temp.code(statement text) returns text language sql
as $$
  select concat_ws(' ', r.state, r.detail ->> 'code', r.detail ->> 'field') from pg_temp.refusal(statement) as r where r.hint <> ''
$$;
create function pg_temp.launched(workspace text, runs integer) returns table (agent text, folder text, worktree jsonb, prompt text, attempt_id uuid)
language sql
as $$
  select c.agent, c.folder, c.worktree, c.prompt, c.attempt_id
  from office.claim_runs(current_setting('testing.worker')::uuid, runs) as c
  where c.run_id is not null
  order by c.agent
$$;

select pg_temp.scenario('trees', 'ann', 'bob', 'a.b');
select set_config('testing.worker', (select worker_id::text from office.register_worker('here', max_runs => 8)), true);
select office.set_setting('max_concurrent_runs', '8', 'trees');

-- What a project can be.
select is(pg_temp.code($$ select office.create_project('p', isolation => 'worktree', workspace => 'trees') $$), 'PT422 invalid isolation', 'X9: a worktree needs a folder');
select is(pg_temp.code($$ select office.create_project('p', '/srv/p', isolation => 'nonsense', workspace => 'trees') $$), 'PT422 invalid isolation', 'X9: shared or worktree');
select office.create_project('site', '/srv/site', workspace => 'trees');
select is(pg_temp.code($$ select office.update_project('site', '{"isolation": "x"}', 'trees') $$), 'PT422 invalid isolation', 'X9: the same when it is changed');
select is(pg_temp.code($$ select office.update_project('site', '{"isolaton": "x"}', 'trees') $$), 'PT422 unknown_field isolaton', 'X9: an unknown setting');
select is(pg_temp.code($$ select office.update_project('site', '{"folder": 7}', 'trees') $$), 'PT422 invalid folder', 'X9: a wrong type');
select is(pg_temp.code($$ select office.update_project('site', '{"folder": "x/y"}', 'trees') $$), 'PT422 invalid folder', 'X9: no relative folder');
select is(pg_temp.code($$ select office.update_project('nowhere', '{}', 'trees') $$), 'PT404 not_found', 'X9: an unknown project');

-- Shared: one at a time, with the reason; changed to worktrees, both.
select task as one from office.create_task('One', assignee => 'ann', project => 'site', workspace => 'trees') \gset
select task as two from office.create_task('Two', assignee => 'bob', project => 'site', workspace => 'trees') \gset
select is((select count(*) from pg_temp.launched('trees', 8)), 1::bigint, 'S4, sc-X9: shared, one at a time');
select matches((select u.waiting_for from office.up_next as u where u.task = :'two'), 'Same folder as "One"', 'S5, sc-X9: with the reason');
select office.update_project('site', '{"isolation": "worktree"}', 'trees');
select row_eq(
  $$ select l.agent, l.folder, l.worktree ->> 'branch', l.worktree ->> 'repository', l.worktree ->> 'start' from pg_temp.launched('trees', 8) as l $$,
  row('bob'::text, '/srv/site.worktrees/' || :'two' || '-bob', 'office/' || :'two' || '-bob', '/srv/site'::text, null::text),
  'X9: the other, waiting for the folder until now, in a worktree of its own'
);
select matches(
  (select p.assembled_prompt from office.attempt_prompts as p join office.attempts as e on e.id = p.attempt_id
    join office.runs as r on r.id = e.run_id join office.agents as a on a.id = r.agent_id where a.name = 'bob'),
  E'Folder: /srv/site.worktrees/' || :'two' || '-bob, a git worktree of your own, on branch office/' || :'two' || E'-bob\n', 'C1: the prompt says so'
);
select is((select array_agg(k.key) from office.resources as k where k.key like 'worktree:%'), array['worktree:' || :'two' || '-bob'], 'S4: its key');

-- Names.
select task as three from office.create_task('Three', assignee => 'a.b', project => 'site', workspace => 'trees') \gset
select is((select l.folder from pg_temp.launched('trees', 8) as l), '/srv/site.worktrees/' || :'three' || '-a-b', 'X9: a name that git takes');
select office.create_agent('a-b', executor => '{"command": ["true"]}', workspace => 'trees', cooldown_sec => 0);
select matches(
  (select office_internal.worktree_of(t.id, a.id, '{}') ->> 'folder' from office.tasks as t, office.agents as a
    where 't' || t.number = :'three' and a.name = 'a-b'),
  '^/srv/site.worktrees/' || :'three' || '-a-b-[0-9a-f]{12}$', 'X9: of two agents, two'
);

-- An executor of its own folder keeps it.
select task as four from office.create_task('Four', assignee => 'ann', project => 'site', workspace => 'trees') \gset
select office.update_task(:'four', '{"executor": {"command": ["true"], "folder": "/srv/own"}}');
select office.finish_attempt(e.id) from office.attempts as e join office.runs as r on r.id = e.run_id join office.agents as a on a.id = r.agent_id
where a.name = 'ann' and e.ended_at is null;
select row_eq($$ select l.folder, l.worktree from pg_temp.launched('trees', 8) as l $$, row('/srv/own'::text, null::jsonb), 'S4: an executor''s own folder stays');

-- A reviewer begins where the assignee is.
select office.finish_attempt(e.id) from office.attempts as e where e.ended_at is null;
select office.add_participant(:'two', 'ann', 'reviewer');
select office.move_task(:'two', 'in_progress') where (select t.state from office.tasks as t where 't' || t.number = :'two') = 'todo';
select office.carry_out();
select office.move_task(:'two', 'in_review');
select row_eq(
  $$ select l.agent, l.worktree ->> 'name', l.worktree ->> 'start' from pg_temp.launched('trees', 8) as l where l.agent = 'ann' $$,
  row('ann'::text, :'two' || '-ann', 'office/' || :'two' || '-bob'), 'X9: a reviewer''s begins with the assignee''s branch'
);
select matches(
  (select p.assembled_prompt from office.attempt_prompts as p join office.attempts as e on e.id = p.attempt_id
    join office.runs as r on r.id = e.run_id and r.reason = 'review_requested'), 'its assignee works on branch office/' || :'two' || '-bob', 'C1: … and is told'
);

-- What keeps one.
select matches((select u.kept_by from office.worktree_use as u where u.worktree = :'two' || '-ann'), '^r[0-9]+ works in it$', 'X9: a run keeps it');
select is((select u.kept_by from office.worktree_use as u where u.worktree = :'two' || '-bob'), :'two' || ' is in_review', 'X9: an open task keeps it');
select is(pg_temp.code(format($$ select office.collect_worktree('%s-bob') $$, :'two')), 'PT409 worktree_kept', 'X9: it is not taken away');
select is(pg_temp.code($$ select office.collect_worktree('t0-nobody') $$), 'PT404 not_found', 'X9: nor one that is not');
select office.finish_attempt(e.id) from office.attempts as e where e.ended_at is null;
select is(
  pg_temp.code(format($$ select office.collect_worktree('%s-ann') $$, :'two')), 'PT409 worktree_kept', 'P7: nor before what ran there is cleaned up after'
);
select office.confirm_cleanup(e.id, 0) from office.attempts as e where e.cleaned_at is null;
select office.move_task(:'two', 'done');
select is((select u.kept_by from office.worktree_use as u where u.worktree = :'two' || '-bob'), null::text, 'X9: ended, it may go');
select is((select c.folder from office.collect_worktree(:'two' || '-bob') as c), '/srv/site.worktrees/' || :'two' || '-bob', 'X9: it goes');
select is_empty(format($$ select from office.worktree_use as u where u.worktree = '%s-bob' $$, :'two'), 'X9: … and is listed no more');
select is(pg_temp.code(format($$ select office.collect_worktree('%s-bob') $$, :'two')), 'PT404 not_found', 'X9: once');
select is((select a.detail ->> 'worktree' from office.activity as a where a.kind = 'worktree_collected'), :'two' || '-bob', 'X9: it is written down');

-- Open again: the same name and branch, made anew.
select office.move_task(:'two', 'todo');
select is(
  (select l.worktree ->> 'name' from pg_temp.launched('trees', 8) as l where l.agent = 'bob'), :'two' || '-bob', 'X9: reopened, it is made again'
);
select is((select w.collected_at from office.worktrees as w where w.name = :'two' || '-bob'), null::timestamptz, 'X9: … and is there');

-- A project that goes back to its folder, and one that moves: what is there stays where it is.
select office.finish_attempt(e.id) from office.attempts as e where e.ended_at is null;
select office.confirm_cleanup(e.id, 0) from office.attempts as e where e.cleaned_at is null;
select office.update_project('site', '{"folder": "/srv/elsewhere"}', 'trees');
select office.add_comment(:'two', 'And now?');
select is((select l.worktree ->> 'repository' from pg_temp.launched('trees', 8) as l where l.agent = 'bob'), '/srv/site', 'X9: one that was made stays');
select office.update_project('site', '{"isolation": "shared"}', 'trees');
select office.finish_attempt(e.id) from office.attempts as e where e.ended_at is null;
select office.confirm_cleanup(e.id, 0) from office.attempts as e where e.cleaned_at is null;
select office.add_comment(:'two', 'Once more.');
select row_eq($$ select l.folder, l.worktree from pg_temp.launched('trees', 8) as l where l.agent = 'bob' $$, row('/srv/elsewhere'::text, null::jsonb), 'X9: shared again');

-- By hand, and by an agent.
select is(pg_temp.code($$ select office.collect_worktree(null) $$), 'PT404 not_found', 'X9: none is none');
select is_empty('select * from office.audit()', 'Q26: the books are in order');
select pg_temp.act((select e.id from office.attempts as e where e.ended_at is null limit 1));
select is(pg_temp.code(format($$ select office.collect_worktree('%s-ann') $$, :'two')), 'PT403 forbidden', 'X9: an agent takes none away');
select is(pg_temp.code($$ select office.update_project('site', '{"isolation": "worktree"}') $$), 'PT403 forbidden', 'X9: nor changes a project');
select * from finish();
rollback;
