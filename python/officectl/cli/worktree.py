"""`officectl worktree`: the git worktrees of tasks' agents."""

from typing import Any

import click

from officectl import worktrees
from officectl.cli.session import Session, dry_run_option, look_up, session_options, workspace_option
from officectl.errors import Refused
from officectl.render import show_rows

QUERY = """
select worktree, workspace, task, state, agent, kept_by, branch, folder, repository, made_at
from office.worktree_use
"""
CHOSEN = "where (%(workspace)s::text is null or lower(workspace) = lower(%(workspace)s))"


@click.group("worktree")
def command() -> None:
    """Worktrees: where agents of projects with isolation "worktree" work, each on its own branch."""


@command.command("list")
@workspace_option
@session_options
def list_(session: Session, workspace: str | None) -> None:
    """All worktrees, and what keeps each."""
    with session.office() as desk:
        rows = [_looked_at(row) for row in desk.execute(QUERY + CHOSEN, {"workspace": workspace})]
    show_rows(
        rows,
        ["worktree", "task", "state", "agent", "branch", "kept_by"],
        wide=["workspace", "folder", "repository", "made_at"],
        layout=session.layout,
        empty="There is no worktree.",
    )


@command.command()
@workspace_option
@dry_run_option
@session_options
def gc(session: Session, workspace: str | None, dry_run: bool) -> None:
    """Take away those whose task has ended and whose branch is merged; say what keeps the others."""
    with session.office() as desk:
        rows = [_looked_at(row) for row in desk.execute(QUERY + CHOSEN, {"workspace": workspace})]
    for row in rows:
        row["became"] = "kept"
        if row["kept_by"] is None:
            row["became"] = "would go" if dry_run else "gone"
            if not dry_run:
                try:
                    _take_away(session, row, dropped=False)
                except Refused as fault:
                    # The others are taken away all the same.
                    row["became"], row["kept_by"] = "kept", fault.message
    show_rows(
        rows,
        ["worktree", "task", "became", "kept_by"],
        wide=["workspace", "agent", "branch", "folder"],
        layout=session.layout,
        empty="There is no worktree.",
    )


@command.command()
@click.argument("worktree")
@click.option("--yes", is_flag=True, help="Do not ask.")
@session_options
def drop(session: Session, worktree: str, yes: bool) -> None:
    """Give up the work of a worktree whose task has ended, merged or not: folder and branch go."""
    with session.office() as desk:
        row = look_up(desk, "worktree", QUERY, "where worktree = %(ref)s", worktree)
    lost = _looked_at(dict(row))["kept_by"] if row["kept_by"] is None else None
    if lost and not yes:
        click.confirm(f"{worktree}: {lost}. Give that up?", abort=True, err=True)
    _take_away(session, row, dropped=True)
    click.echo(f"{worktree} is gone.")


def _looked_at(row: dict[str, Any]) -> dict[str, Any]:
    """With what git says of one that the office would let go."""
    if row["kept_by"] is None:
        try:
            row["kept_by"] = worktrees.kept_by(row)
        except worktrees.NoWorktree as fault:
            row["kept_by"] = str(fault)
    return row


def _take_away(session: Session, row: dict[str, Any], *, dropped: bool) -> None:
    try:
        with worktrees.removing(row, dropped=dropped), session.office() as desk:
            desk.collect_worktree(row["worktree"], dropped)
    except worktrees.NoWorktree as fault:
        raise Refused(
            f"{row['worktree']} could not be taken away: {fault}", "Look there with git."
        ) from fault
