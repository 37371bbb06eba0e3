-- office.collect_worktree: says that a worktree is taken away, before it is (X9): the office decides whether it may. Answers where it is.
-- dropped: its work is given up; else the one who calls has seen that its branch is merged or gone, and nothing in it uncommitted.
-- Refuses an unknown worktree (not_found), one whose task is open or in which a run works (worktree_kept), agents (forbidden).
-- Takes the workspace's gate.
create or replace function office.collect_worktree(worktree text, dropped boolean default false)
returns table (name text, branch text, repository text, folder text)
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
#variable_conflict use_column
declare
  v_account uuid := office_internal.need_person();
  v_tree office.worktrees;
  v_kept text;
begin
  select w.* into v_tree
  from office.worktrees as w
  where w.name = worktree and w.collected_at is null and office_internal.can_see(w.workspace_id);
  if not found then
    perform office_internal.not_found(
      'worktree', coalesce(worktree, ''),
      (select array_agg(w.name) from office.worktrees as w
        where w.collected_at is null and w.workspace_id in (select office.visible_workspaces())),
      'officectl worktree list shows them.'
    );
  end if;
  perform office_internal.take_gates(array[v_tree.workspace_id]);
  v_kept := (select u.kept_by from office.worktree_use as u where u.worktree = v_tree.name);
  if v_kept is not null then
    perform office_internal.refuse(
      'worktree_kept', format('%s is kept: %s.', v_tree.name, v_kept), 'It may go once its task has ended and no run works in it.',
      jsonb_build_object('worktree', v_tree.name)
    );
  end if;
  update office.worktrees as w
  set collected_at = office_internal.wall_clock()
  where w.task_id = v_tree.task_id and w.agent_id = v_tree.agent_id and w.collected_at is null;
  perform office_internal.remember(
    v_tree.workspace_id, 'worktree_collected', jsonb_build_object('worktree', v_tree.name, 'dropped', dropped),
    v_account, v_tree.agent_id, v_tree.task_id
  );
  return query select v_tree.name, v_tree.branch, v_tree.repository, v_tree.folder;
end
$$;

comment on function office.collect_worktree(text, boolean) is 'Says that a worktree is taken away; officectl worktree gc does it.';
