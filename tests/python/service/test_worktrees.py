"""X9, sc-X9: five agents on one git repository, each in a worktree of its own; what is merged goes."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from psycopg.types.json import Jsonb

from officectl import worktrees

from .conftest import DEADLINE, PACKAGE, Desk, Serving

AGENTS = 5
# Works on a file of its own, waits until all five do, and commits.
WORK = """
set -e
: > work-$OFFICE_TASK.txt
until [ "$(ls ../*/work-*.txt | wc -l)" -ge 5 ]; do sleep 0.05; done
git add . && git -c user.name=a -c user.email=a@b commit -qm "$OFFICE_TASK"
echo '{"summary": "done"}'
"""
LOG = """
echo $OFFICE_RUN >> log
git add log
git -c user.name=a -c user.email=a@b commit -qm log
"""
ENDED = "select count(*) as runs from office.runs where ended_at is not null having count(*) >= %s"


def git(folder: Path, *words: str) -> str:
    done = subprocess.run(
        ["git", "-C", str(folder), "-c", "user.name=a", "-c", "user.email=a@b", *words],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    return done.stdout.strip()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """With one commit."""
    place = tmp_path.resolve() / "site"
    place.mkdir()
    git(place, "init", "-q")
    (place / "README").write_text("A site.\n")
    git(place, "add", ".")
    git(place, "commit", "-qm", "Begin")
    return place


def project(desk: Desk, repository: Path, isolation: str = "worktree") -> None:
    desk.rows("select * from office.create_project('site', %s, isolation => %s)", str(repository), isolation)


def agent(desk: Desk, name: str, script: str) -> None:
    executor = {"command": ["/bin/sh", "-c", script], "environment": {"PYTHONPATH": str(PACKAGE)}}
    desk.rows(
        "select * from office.create_agent(%s, executor => %s, cooldown_sec => 0)", name, Jsonb(executor)
    )


def task(desk: Desk, assignee: str) -> str:
    row = desk.row("select task from office.create_task('Work', assignee => %s, project => 'site')", assignee)
    return str(row["task"])


def collected(desk: Desk, database: str) -> dict[str, tuple[str, str | None]]:
    """What `officectl worktree gc` said of each."""
    done = subprocess.run(
        [sys.executable, "-m", "officectl", "worktree", "gc", "--json", "worktree,became,kept_by"],
        env={**os.environ, "OFFICE_DSN": database, "PYTHONPATH": str(PACKAGE)},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    rows: list[dict[str, Any]] = json.loads(done.stdout)["items"]
    return {row["worktree"]: (row["became"], row["kept_by"]) for row in rows}


async def test_sc_x9_five_worktrees_five_branches_five_runs_at_once(
    desk: Desk, serving: Serving, repository: Path, database: str
) -> None:
    project(desk, repository)
    for n in range(AGENTS):
        agent(desk, f"w{n}", WORK)
    tasks = [task(desk, f"w{n}") for n in range(AGENTS)]
    async with serving(max_runs=8):
        # Each ends only once all five work at the same time.
        await desk.until(ENDED, AGENTS)
        await desk.until("select 1 where not exists (select from office.resources)")
    assert desk.rows("select distinct result from office.runs") == [{"result": "succeeded"}]
    names = [f"{number}-w{n}" for n, number in enumerate(tasks)]
    trees = repository.with_name("site.worktrees")
    assert sorted(path.name for path in trees.iterdir()) == sorted(names)
    assert git(repository, "status", "--porcelain") == "", "the project's own folder is as it was"
    for name, number in zip(names, tasks, strict=True):
        assert git(repository, "show", "--format=%s", "--name-only", f"office/{name}").split() == [
            number, f"work-{number}.txt",
        ]  # fmt: skip

    # Open: kept. Merged and done: gone. Done, not merged; merged, with something uncommitted: kept.
    assert {became for became, _ in collected(desk, database).values()} == {"kept"}
    desk.rows("select office.move_task(%s, 'done')", tasks[0])
    desk.rows("select office.move_task(%s, 'done')", tasks[1])
    desk.rows("select office.move_task(%s, 'done')", tasks[2])
    git(repository, "merge", "-q", f"office/{names[0]}", "-m", "Merge")
    git(repository, "merge", "-q", f"office/{names[2]}", "-m", "Merge")
    (trees / names[2] / "README").write_text("Not committed.\n")
    assert collected(desk, database) == {
        names[0]: ("gone", None),
        names[1]: ("kept", f"office/{names[1]} is not merged"),
        names[2]: ("kept", "uncommitted changes"),
        names[3]: ("kept", f"{tasks[3]} is in_progress"),
        names[4]: ("kept", f"{tasks[4]} is in_progress"),
    }
    assert not (trees / names[0]).exists()
    assert git(repository, "branch", "--list", f"office/{names[0]}") == ""
    assert names[0] not in collected(desk, database)
    (trees / names[2] / "app").mkdir()
    (trees / names[2] / "app" / ".env").write_text("PASSWORD=hunter2hunter2\n")
    shown = worktrees.diff(desk.row("select * from office.worktrees where name = %s", names[2]))
    assert "+Not committed." in shown
    assert "hunter2" not in shown, "E2: no secret file"
    assert shown.endswith("Not shown, it may hold secrets: app/.env\n")
    assert (trees / names[2] / "README").read_text() == "Not committed.\n"
    assert desk.rows("select * from office.audit()") == []


async def test_sc_x9_shared_is_one_at_a_time(desk: Desk, serving: Serving, repository: Path) -> None:
    project(desk, repository, "shared")
    agent(desk, "ann", "until [ -e go ]; do sleep 0.05; done")
    agent(desk, "bob", "true")
    task(desk, "ann")
    async with serving(max_runs=8):
        await desk.until("select 1 from office.runs where status = 'running'")
        task(desk, "bob")
        await desk.until(
            "select 1 from office.up_next where agent = 'bob' and waiting_for like 'Same folder as %%'"
        )
        (repository / "go").touch()
        await desk.until(ENDED, 2)


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda place: shutil.rmtree(place / ".git"), "not a git repository"),
        (lambda place: shutil.rmtree(place), "There is no folder"),
        (lambda place: git(place, "update-ref", "-d", "HEAD"), "HEAD"),
    ],
)
async def test_x9_no_repository_blocks_the_run(
    desk: Desk, serving: Serving, repository: Path, spoil: Any, said: str
) -> None:
    """Q23: nothing that a timer would mend."""
    project(desk, repository)
    agent(desk, "ann", "true")
    task(desk, "ann")
    spoil(repository)
    async with serving():
        blocked = await desk.until(
            "select a.error from office.runs as r join office.attempts as a on a.id = r.attempt_id"
            " where r.status = 'blocked'"
        )
    assert said in blocked["error"]
    assert desk.rows("select * from office.audit()") == []


async def test_x9_the_second_run_of_a_task_finds_what_the_first_left(
    desk: Desk, serving: Serving, repository: Path
) -> None:
    """Also where somebody has removed the folder: what was committed is there again."""
    project(desk, repository)
    agent(desk, "ann", LOG)
    number = task(desk, "ann")
    tree = repository.with_name("site.worktrees") / f"{number}-ann"
    async with serving():
        await desk.until(ENDED, 1)
        desk.rows("select office.add_comment(%s, 'Again.')", number)
        await desk.until(ENDED, 2)
        await desk.until("select 1 where not exists (select from office.resources)")
        shutil.rmtree(tree)
        desk.rows("select office.add_comment(%s, 'And again.')", number)
        await desk.until(ENDED, 3)
    assert (tree / "log").read_text() == "r1\nr2\nr3\n"
    assert git(tree, "branch", "--show-current") == f"office/{number}-ann"


def tree(repository: Path, agent: str, start: str | None = None) -> dict[str, str | None]:
    """As a launch has it."""
    return {
        "branch": f"office/t1-{agent}",
        "repository": str(repository),
        "folder": str(repository.with_name("site.worktrees") / f"t1-{agent}"),
        "start": start,
    }


def commit(folder: Path, name: str, content: str) -> None:
    (folder / name).write_text(content)
    git(folder, "add", ".")
    git(folder, "commit", "-qm", name)


def test_x9_a_worktree_that_git_was_killed_over_is_made_anew(repository: Path) -> None:
    """Half of its files would look like the other half's removal."""
    for n in range(9):
        (repository / f"file{n}").write_text("Here.\n")
    commit(repository, ".gitattributes", "file5 filter=slow\n")
    begun = repository.with_name("begun")
    git(repository, "config", "filter.slow.smudge", f"touch {begun}; sleep 60; cat")
    wanted = tree(repository, "ann")
    folder = Path(str(wanted["folder"]))
    making = subprocess.Popen(
        ["git", "-C", str(repository), "worktree", "add", "-qb", str(wanted["branch"]), str(folder)],
        start_new_session=True,
    )  # fmt: skip
    deadline = time.monotonic() + DEADLINE
    while not begun.exists():
        assert time.monotonic() < deadline
        time.sleep(0.02)
    os.killpg(making.pid, signal.SIGKILL)
    making.wait()
    git(repository, "config", "--unset", "filter.slow.smudge")
    worktrees.prepare(wanted)
    assert git(folder, "status", "--porcelain") == ""
    assert (folder / "file8").exists()
    assert git(folder, "branch", "--show-current") == wanted["branch"]


def test_x9_a_reviewer_sees_what_was_committed_since_his_last_round(repository: Path) -> None:
    ann = tree(repository, "ann")
    rev = tree(repository, "rev", ann["branch"])
    there, here = Path(str(ann["folder"])), Path(str(rev["folder"]))
    worktrees.prepare(ann)
    commit(there, "page", "first\n")
    worktrees.prepare(rev)
    assert (here / "page").read_text() == "first\n"
    commit(there, "page", "second\n")
    worktrees.prepare(rev)
    assert (here / "page").read_text() == "second\n"
    # What he has committed himself is not merged for him.
    commit(here, "remarks", "Shorter.\n")
    commit(there, "page", "third\n")
    worktrees.prepare(rev)
    assert (here / "page").read_text() == "second\n"
    assert (here / "remarks").exists()


def test_x9_what_is_committed_while_gc_looks_is_not_lost(repository: Path) -> None:
    ann = tree(repository, "ann")
    worktrees.prepare(ann)
    assert worktrees.kept_by(ann) is None
    commit(Path(str(ann["folder"])), "late", "Not merged.\n")
    with pytest.raises(worktrees.NoWorktree, match="is not merged"), worktrees.removing(ann, dropped=False):
        pytest.fail("it would be said to go")
    assert git(repository, "show", f"{ann['branch']}:late") == "Not merged."
    with worktrees.removing(ann, dropped=True):
        pass
    assert git(repository, "branch", "--list", str(ann["branch"])) == ""
