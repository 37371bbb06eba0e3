-- office.worktree_use: the worktrees that are there, and what each is kept by (X9).
create view office.worktree_use with (security_invoker = true) as
select
  w.name as worktree,
  s.name as workspace,
  't' || t.number as task,
  t.state,
  a.name as agent,
  case
    when h.run is not null then h.run || ' works in it'
    when t.state not in ('done', 'cancelled') and t.archived_at is null and t.deleted_at is null then 't' || t.number || ' is ' || t.state
  end as kept_by,
  w.branch,
  w.folder,
  w.repository,
  w.made_at
from office.worktrees as w
join office.workspaces as s on s.id = w.workspace_id
join office.tasks as t on t.id = w.task_id
join office.agents as a on a.id = w.agent_id
left join lateral (
  select 'r' || r.number as run
  from office.resources as k
  join office.runs as r on r.id = k.run_id
  where k.key = 'worktree:' || w.name
  order by r.number
  limit 1
) as h on true
where office.is_somebody() and w.collected_at is null
order by w.made_at, w.name;

comment on view office.worktree_use is 'Worktrees of tasks'' agents, and what keeps them.';
comment on column office.worktree_use.worktree is 'Its name.';
comment on column office.worktree_use.workspace is 'The workspace.';
comment on column office.worktree_use.task is 'The task.';
comment on column office.worktree_use.state is 'How the task stands.';
comment on column office.worktree_use.agent is 'The agent that works there.';
comment on column office.worktree_use.kept_by
is 'Why it stays: its task is open, or a run works in it; null: it may go once its branch is merged or dropped.';
comment on column office.worktree_use.branch is 'The branch that is checked out there.';
comment on column office.worktree_use.folder is 'Where it is.';
comment on column office.worktree_use.repository is 'The repository that it belongs to.';
comment on column office.worktree_use.made_at is 'Since when.';
