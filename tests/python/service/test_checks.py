"""T15: real checks of a real tree: a task is done once its check has passed; a tree is checked once."""

from __future__ import annotations

import asyncio
import sys
import time
from pathlib import Path

from psycopg.types.json import Jsonb

from .conftest import DEADLINE, PACKAGE, Desk, Serving

# Mends the file when it is told that the check has failed; completes its task each time.
AGENT = """
if grep -q 'check of task' ; then echo good > made; else echo bad > made; fi
officectl agent complete
"""


def checked(desk: Desk, folder: Path, command: list[str]) -> str:
    """A project with this check, and a task of an agent in it."""
    desk.rows(
        "select * from office.create_project('site', %s, check_command => %s)", str(folder), Jsonb(command)
    )
    executor = {
        "command": ["/bin/sh", "-c", AGENT],
        "environment": {"PYTHONPATH": str(PACKAGE), "PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin"},
    }
    desk.rows("select * from office.create_agent('ann', executor => %s, cooldown_sec => 0)", Jsonb(executor))
    row = desk.row("select task from office.create_task('Make it', assignee => 'ann', project => 'site')")
    return str(row["task"])


async def test_t15_what_fails_goes_back_and_what_passes_is_done(
    desk: Desk, serving: Serving, tmp_path: Path
) -> None:
    checked(
        desk, tmp_path, ["/bin/sh", "-c", "echo run >> ../runs; echo it is $(cat made); grep -q good made"]
    )
    async with serving():
        await desk.until("select 1 from office.tasks where state = 'done'")
    checks = desk.rows("select status, exit_code, output from office.task_checks order by number")
    assert [(check["status"], check["exit_code"]) for check in checks] in (
        [("failed", 1), ("passed", 0)],
        [("failed", 1), ("used", 0)],
    )
    assert "it is bad" in checks[0]["output"]
    assert [run["reason"] for run in desk.rows("select reason from office.runs order by number")] == [
        "task_assigned",
        "changes_requested",
    ]
    assert (tmp_path.parent / "runs").read_text() == "run\nrun\n"
    assert desk.rows("select * from office.audit()") == []


async def test_t15_the_same_tree_is_not_run_again_and_another_is(
    desk: Desk, serving: Serving, tmp_path: Path
) -> None:
    """D2: what passed is bound to the tree's identity."""
    task = checked(desk, tmp_path, ["/bin/sh", "-c", "echo run >> ../again"])
    (tmp_path / "made").write_text("good\n")
    desk.rows("select office.assign_task(%s, null)", task)
    desk.rows("select office.move_task(%s, 'in_progress')", task)
    desk.rows("update office.tasks set requires_approval = true returning 1")
    runs = tmp_path.parent / "again"
    async with serving():
        desk.rows("select office.complete_task(%s)", task)
        await desk.until("select 1 from office.tasks where state = 'in_review'")
        assert runs.read_text() == "run\n"
        # Approved, with the tree as it was.
        await desk.until("select 1 from office.needs_me")
        desk.rows("select office.review_task(%s, 'approved')", task)
        await desk.until("select 1 from office.tasks where state = 'done'")
        assert runs.read_text() == "run\n", "the tree is what has passed"
        (tmp_path / "made").write_text("changed since\n")
        desk.rows("update office.tasks set requires_approval = false returning 1")
        desk.rows("select office.move_task(%s, 'todo')", task)
        desk.rows("select office.move_task(%s, 'done')", task)
        await desk.until("select 1 from office.tasks where state = 'done'")
    assert runs.read_text() == "run\nrun\n"
    assert desk.rows("select * from office.audit()") == []


async def test_t15_a_check_that_cannot_be_run_has_failed(
    desk: Desk, serving: Serving, tmp_path: Path
) -> None:
    task = checked(desk, tmp_path, ["/no/such/program"])
    desk.rows("select office.assign_task(%s, null)", task)
    desk.rows("select office.move_task(%s, 'in_progress')", task)
    async with serving():
        desk.rows("select office.complete_task(%s)", task)
        told = await desk.until("select title, body from office.inbox_items where kind = 'task.check'")
    assert told["title"] == f"The check of {task} fails"
    assert desk.row("select state from office.tasks")["state"] == "in_progress"
    output = desk.row("select output, exit_code from office.task_checks")
    assert "/no/such/program" in output["output"]


async def test_t15_the_end_of_a_long_output_is_kept(desk: Desk, serving: Serving, tmp_path: Path) -> None:
    """It says what failed."""
    script = (
        "import sys; [print(str(n) * 100_000) for n in range(60)]; print('test_login FAILED'); sys.exit(1)"
    )
    task = checked(desk, tmp_path, [sys.executable, "-c", script])
    desk.rows("select office.assign_task(%s, null)", task)
    desk.rows("select office.move_task(%s, 'in_progress')", task)
    async with serving():
        desk.rows("select office.complete_task(%s)", task)
        told = await desk.until("select output from office.task_checks where status = 'failed'")
    assert "test_login FAILED" in told["output"][-100:]


async def test_t15_a_tree_that_was_changed_meanwhile_is_run_again(
    desk: Desk, serving: Serving, tmp_path: Path
) -> None:
    """D2: nobody knows which of the two passed."""
    begun, go_on = tmp_path.parent / "begun", tmp_path.parent / "go-on"
    script = f"grep -q good made || exit 1; touch {begun}; until [ -e {go_on} ]; do sleep 0.05; done"
    task = checked(desk, tmp_path, ["/bin/sh", "-c", script])
    (tmp_path / "made").write_text("good\n")
    desk.rows("select office.assign_task(%s, null)", task)
    desk.rows("select office.move_task(%s, 'in_progress')", task)
    async with serving():
        desk.rows("select office.complete_task(%s)", task)
        deadline = time.monotonic() + DEADLINE
        while not begun.exists():
            assert time.monotonic() < deadline
            await asyncio.sleep(0.02)
        (tmp_path / "made").write_text("bad\n")
        go_on.touch()
        await desk.until("select 1 from office.tasks where state = 'done'")
        desk.rows("select office.move_task(%s, 'todo')", task)
        desk.rows("select office.move_task(%s, 'done')", task)
        again = await desk.until(
            "select status from office.task_checks where number = 2 and ended_at is not null"
        )
    assert again["status"] == "failed"
