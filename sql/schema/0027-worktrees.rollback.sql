delete from office.errors
where code = 'worktree_kept';
-- squawk-ignore ban-drop-function
drop function if exists office.create_project(text, text, text, jsonb, text, text);
-- squawk-ignore ban-drop-function
drop function if exists office.claim_runs(uuid, integer);
alter type office_internal.launch drop attribute worktree;
drop table office.worktrees;
alter table office.projects drop column work_folder, drop column isolation;
