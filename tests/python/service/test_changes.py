"""E2: what a run has changed in its folder is found by the launcher, whatever the program says of it."""

import os
from pathlib import Path

import pytest
from psycopg.types.json import Jsonb

from officectl import changes
from officectl.changes import changed, files_of

from .conftest import Desk, Serving

ENDED = "select result from office.runs where ended_at is not null and result <> 'queued'"


async def run(desk: Desk, serving: Serving, folder: Path, script: str) -> None:
    executor = {"command": ["/bin/sh", "-c", script], "folder": str(folder)}
    desk.rows("select * from office.set_setting('max_retry_count', '0')")
    desk.rows("select * from office.create_agent('hand', executor => %s, cooldown_sec => 0)", Jsonb(executor))
    desk.wake("hand")
    async with serving():
        await desk.until(ENDED)


async def test_e2_files_that_came_changed_and_went(desk: Desk, serving: Serving, tmp_path: Path) -> None:
    for name in ("kept", "edited", "gone"):
        (tmp_path / name).write_text(name)
    (tmp_path / ".git").mkdir()
    script = (
        "mkdir sub; echo x > sub/new; echo y >> edited; rm gone; echo z > .git/index;"
        """ echo '{"summary": "done", "changed_files": ["of its own invention"]}'"""
    )
    await run(desk, serving, tmp_path, script)
    attempt = desk.row("select result from office.attempts")
    assert attempt["result"] == {"summary": "done", "changed_files": ["edited", "gone", "sub/new"]}


async def test_e2_of_a_run_that_failed_they_are_a_step(desk: Desk, serving: Serving, tmp_path: Path) -> None:
    await run(desk, serving, tmp_path, "echo x > half; exit 3")
    steps = desk.rows("select content from office.attempt_steps where kind = 'note'")
    assert {"content": "Changed files: half"} in steps


async def test_e2_a_run_that_changes_nothing_says_nothing(
    desk: Desk, serving: Serving, tmp_path: Path
) -> None:
    (tmp_path / "kept").touch()
    await run(desk, serving, tmp_path, """echo '{"summary": "looked"}'""")
    assert desk.row("select result from office.attempts")["result"] == {"summary": "looked"}


def test_e2_very_many_are_counted(tmp_path: Path) -> None:
    before = files_of(str(tmp_path))
    for n in range(changes.MOST_TOLD + 5):
        (tmp_path / f"{n:04}").touch()
    told = changed(before, files_of(str(tmp_path)))
    assert told[0] == "0000"
    assert told[-1] == "… and 5 more"
    assert len(told) == changes.MOST_TOLD + 1


def test_e2_the_same_size_at_another_time_is_another_file(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("1")
    before = files_of(str(tmp_path))
    (tmp_path / "a").write_text("2")
    os.utime(tmp_path / "a", ns=(1, 1))
    assert changed(before, files_of(str(tmp_path))) == ["a"]


def test_e2_a_folder_of_more_files_than_are_looked_at_is_not_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(changes, "MOST_FILES", 2)
    before = files_of(str(tmp_path))
    for name in "abc":
        (tmp_path / name).touch()
    assert files_of(str(tmp_path)) is None
    assert changed(before, None) == []
    assert files_of(None) is None
    assert files_of(str(tmp_path / "not there")) is None
