"""`make test`: what it makes of a PostgreSQL 15 that cannot be had."""

from __future__ import annotations

import signal
import subprocess
from typing import Any

import lint
import pytest
import run_tests


@pytest.fixture
def without_15(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A machine that has no PostgreSQL 15, and suites that pass at once; hears which of them ran."""
    ran: list[str] = []

    def pass_at_once(suite: run_tests.Suite) -> None:
        ran.append(suite.name)
        suite.tally = run_tests.Tally(suite.name, passed=1)

    def not_to_be_had(*_command: Any, **_options: Any) -> subprocess.CompletedProcess[str]:
        return subprocess.CompletedProcess([], run_tests.NOT_TO_BE_HAD)

    monkeypatch.setattr(signal, "signal", lambda *_: None)
    monkeypatch.setattr(subprocess, "run", not_to_be_had)
    monkeypatch.setattr(run_tests.Suite, "run", pass_at_once)
    monkeypatch.setattr(lint, "run", lambda: iter([("ruff", [])]))
    return ran


@pytest.mark.parametrize(
    ("required", "exit_code", "told"), [("", 0, "0 failed, 1 skipped"), ("1", 1, "1 failed, 0 skipped")]
)
def test_postgres_15_that_cannot_be_had_is_skipped_unless_it_is_required(
    without_15: list[str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    required: str,
    exit_code: int,
    told: str,
) -> None:
    """A10: skipped is said, never passed over; the proof of a release (`.ci/run`) fails."""
    monkeypatch.setenv("REQUIRE_POSTGRES_15", required)
    assert run_tests.main() == exit_code
    assert without_15 == ["PostgreSQL 18", "once, on 18"]
    last_lines = capsys.readouterr().out.splitlines()[-5:]
    assert f"PostgreSQL 15   0 passed, {told}" in last_lines
