"""The command line as a shell would call it, in this process, on a database of the test's own."""

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from officectl.cli.main import main

Json = dict[str, Any]


@dataclass(frozen=True)
class Answer:
    """What a command left behind."""

    code: int
    out: str
    err: str

    @property
    def items(self) -> list[Json]:
        """The items of JSON output."""
        document = json.loads(self.out)
        assert document["schema_version"] == 1
        items: list[Json] = document["items"]
        return items


Officectl = Callable[..., Answer]


@pytest.fixture
def anywhere(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Officectl:
    """`anywhere("task", "list")` calls officectl; no database is named."""
    for name in ("OFFICE_DSN", "OFFICE_SOCKET", "PGHOST", "PGSERVICE", "PGDATABASE", "PGPORT", "PGHOSTADDR"):
        monkeypatch.delenv(name, raising=False)

    def call(*words: str) -> Answer:
        monkeypatch.setattr(sys, "argv", ["officectl", *words])
        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            main()
        shown = capsys.readouterr()
        code = ended.value.code
        assert isinstance(code, int)
        assert "Traceback" not in shown.err
        return Answer(code, shown.out, shown.err)

    return call


@pytest.fixture
def officectl(anywhere: Officectl, database: str, monkeypatch: pytest.MonkeyPatch) -> Officectl:
    """The same, on a fresh office."""
    monkeypatch.setenv("OFFICE_DSN", database)
    return anywhere


@pytest.fixture
def staffed(officectl: Officectl) -> Officectl:
    """The same, with the agents lead and triage in the first workspace."""
    for words in (
        ("create", "lead", "--role", "coordinator", "--", "/bin/true"),
        ("create", "triage", "--reports-to", "lead", "--", "/bin/sh", "-c", "echo looked"),
    ):
        answer = officectl("agent", *words)
        assert answer.code == 0, answer.err
    return officectl
