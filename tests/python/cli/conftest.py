"""The command line as a shell would call it, in this process, on a database of the test's own."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from officectl.cli.main import main
from officectl.database.embedded import Cluster

Json = dict[str, Any]

OFFICECTL = (sys.executable, "-m", "officectl")
"""The program, for a process of its own."""


def without_database() -> dict[str, str]:
    """The environment, with nothing in it that names a database or a run."""
    return {name: value for name, value in os.environ.items() if not name.startswith(("PG", "OFFICE_"))}


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
    for name in os.environ.keys() - without_database().keys():
        monkeypatch.delenv(name)

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


@pytest.fixture
def cluster_folder() -> Iterator[Path]:
    """A place for an embedded database that PostgreSQL's user can reach; stopped and removed at the end."""
    base = Path("/dev/shm") if Path("/dev/shm").is_dir() else Path(tempfile.gettempdir())
    folder = base / f"officectl-cli-{os.getpid()}"
    yield folder
    Cluster(folder).stop("immediate")
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def node_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which Node finds the package pg."""
    npm = shutil.which("npm")
    if npm is None or shutil.which("node") is None:
        pytest.skip("node and npm are not installed")
    folder = tmp_path_factory.mktemp("node")
    install = [npm, "install", "--no-audit", "--no-fund", "--ignore-scripts", "--prefer-offline", "pg@8"]
    try:
        done = subprocess.run(install, cwd=folder, capture_output=True, text=True, timeout=60, check=False)
    except subprocess.TimeoutExpired:
        pytest.skip("npm did not install pg within a minute")
    if done.returncode != 0:
        pytest.skip(f"npm cannot install pg: {done.stderr.strip().splitlines()[-1:]}")
    return folder
