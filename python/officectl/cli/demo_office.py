"""The demo's office: who is in it, where they work, and what there is to do."""

import hashlib
import re
import sys
from pathlib import Path

from psycopg import sql

from officectl.office import Json, Office

WORKSPACE = "demo"

DEMO_AGENT = (sys.executable, "-m", "officectl", "demo-agent")

AGENTS: dict[str, tuple[tuple[str, ...], Json]] = {
    "lead": (
        (),
        {"role": "coordinator", "instructions": "You keep an eye on the whole."},
    ),
    "builder": (
        ("--write", "checklist"),
        {"reports_to": "lead", "instructions": "You list what is left to do."},
    ),
    "scout": (
        ("--write", "report"),
        {
            "reports_to": "lead",
            "instructions": "You survey what you are given. Hand the work that is left to builder.",
        },
    ),
}
"""Name, the demo agent's arguments, settings; a leader before those who report to it."""


def furnish(desk: Office, folder: Path) -> str:
    """Workspace, agents and a project on the folder, made as far as they are missing; the project's name."""
    make_workspace(desk)
    for name, (arguments, settings) in AGENTS.items():
        # Each writes a document of its own there: they need not wait for each other.
        executor = {"command": [*DEMO_AGENT, *arguments], "folder": str(folder), "folder_shared": True}
        make_agent(desk, name, {**settings, "executor": executor, "cooldown_sec": 0})
    known = _exists(desk, "projects", "folder", str(folder))
    if known:
        return str(known[0]["name"])
    name = _project_name(folder)
    if _exists(desk, "projects", "name", name):
        name = f"{name}-{hashlib.sha256(str(folder).encode()).hexdigest()[:6]}"
    return desk.create_project(name, folder=str(folder), workspace=WORKSPACE)["project"]


def make_workspace(desk: Office) -> None:
    """The demo's, where it is missing."""
    if not desk.execute(
        "select 1 from office.workspaces where name = %s and deleted_at is null", (WORKSPACE,)
    ):
        desk.create_workspace(WORKSPACE)


def make_agent(desk: Office, name: str, about: Json) -> None:
    """An agent of the demo's, or bring it up to date."""
    if _exists(desk, "agents", "name", name):
        desk.update_agent(f"{WORKSPACE}/{name}", about)
    else:
        desk.create_agent(name, workspace=WORKSPACE, **about)


def give_work(desk: Office, project: str) -> None:
    """A task, one that waits for it, and a wake without a task."""
    first = desk.create_task(
        f"Survey {project}",
        "Count what is there, and find what was left to do.",
        assignee="scout",
        project=project,
        workspace=WORKSPACE,
    )
    desk.create_task(
        f"Look {project} over once it is surveyed",
        assignee="lead",
        project=project,
        blocked_by=[first["task"]],
        workspace=WORKSPACE,
    )
    desk.wake(f"{WORKSPACE}/builder", payload={"context": "Is there something to list already?"})


def _exists(desk: Office, table: str, column: str, value: str) -> list[Json]:
    return desk.execute(
        sql.SQL(
            "select x.name from office.{} x join office.workspaces w on w.id = x.workspace_id"
            " where w.name = %s and x.{} = %s and x.deleted_at is null"
        ).format(sql.Identifier(table), sql.Identifier(column)),
        (WORKSPACE, value),
    )


def _project_name(folder: Path) -> str:
    """The folder's own name, as far as a name may hold it."""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", folder.name).strip("-._")[:40] or "folder"
