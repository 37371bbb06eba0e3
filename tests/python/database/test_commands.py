"""The frame of the command line, `db` and `doctor` (I8, I13), run as programs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import psycopg
import pytest

from officectl import __version__
from officectl.cli import main as frame
from officectl.database.embedded import Cluster

NOWHERE = "host=/nowhere dbname=office"


def officectl(*arguments: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run officectl in a process of its own, without any database named but by the arguments."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("PG", "OFFICE_"))}
    return subprocess.run(
        [sys.executable, "-m", "officectl", *(str(argument) for argument in arguments)],
        env=inherited | {"PYTHONPATH": os.pathsep.join(sys.path)} | environment,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        check=False,
    )


def outcome(*arguments: str | Path, **environment: str) -> tuple[int, str]:
    """Exit code and officectl's line on stderr; there is never a traceback."""
    done = officectl(*arguments, **environment)
    assert "Traceback" not in done.stderr
    return done.returncode, next(line for line in done.stderr.splitlines() if line.startswith("officectl: "))


# The frame


def test_help_names_every_command_and_imports_none() -> None:
    """I8: help is there at once."""
    program = "import sys; sys.argv = ['officectl', '--help']\n"
    program += "import atexit; from officectl.cli.main import main\n"
    program += "heavy = {'psycopg', 'rich', 'yoyo'}\n"
    program += "atexit.register(lambda: print(*heavy & set(sys.modules)))\n"
    program += "main()"
    done = subprocess.run(
        [sys.executable, "-c", program],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=True,
    )
    for name in (*frame.EVERY_DAY, *frame.NOUNS):
        assert f"  {name} " in done.stdout
    assert done.stdout.endswith("\n\n")


def test_every_command_has_a_help_of_its_own() -> None:
    """I8: each command that the frame names is there."""
    context = click.Context(frame.command)
    for name in (*frame.EVERY_DAY, *frame.NOUNS):
        command = frame.command.get_command(context, name)
        assert command is not None
        assert command.help, name


def test_version() -> None:
    """I8: the version comes from one place."""
    assert officectl("--version").stdout == f"officectl {__version__}\n"


def test_unknown_command_is_usage() -> None:
    """I8: exit code 2, with what was probably meant."""
    assert outcome("tsak") == (2, "officectl: No such command 'tsak'. Did you mean 'task'?")
    assert outcome("db", "stauts") == (2, "officectl: No such command 'stauts'. Did you mean 'status'?")
    assert outcome("db", "backup") == (2, "officectl: Missing argument 'FILE'.")


def test_unreachable_database_is_3() -> None:
    """I8: one line says where and why."""
    said = "officectl: no database at /nowhere (database office): No such file or directory"
    for command in (("db", "status"), ("db", "migrate"), ("status",), ("task", "list")):
        assert outcome(*command, "--dsn", NOWHERE) == (3, said)
    assert outcome("--dsn", NOWHERE, "-o", "json", "db", "status") == (3, said)
    assert outcome("db", "status", OFFICE_DSN=NOWHERE) == (3, said)


def test_bad_dsn_is_2() -> None:
    """I8: a DSN that cannot be read is usage."""
    assert outcome("db", "status", "--dsn", "nonsense") == (2, "officectl: the DSN cannot be read")


def test_broken_pipe_is_quiet() -> None:
    """I8: whoever closes the pipe has seen enough."""
    program = f"{sys.executable} -m officectl db sql --empty | head -n 1"
    done = subprocess.run(
        ["/bin/sh", "-c", program],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.startswith("-- officectl")
    assert done.stderr == ""


def test_debug_shows_the_traceback() -> None:
    """I8: never a traceback, unless OFFICE_DEBUG asks for it."""
    done = officectl("db", "status", "--dsn", NOWHERE, OFFICE_DEBUG="1")
    assert "Traceback" in done.stderr


# db


@pytest.fixture
def home(cluster_dsn: str) -> Iterator[Path]:
    """A folder for an embedded database, reachable by its user; what was started in it is stopped."""
    folder = Path(str(psycopg.conninfo.conninfo_to_dict(cluster_dsn)["host"])).parent.with_name(
        f"officectl-home-{os.getpid()}"
    )
    yield folder
    cluster = Cluster(folder)
    cluster.stop("immediate")
    subprocess.run(["rm", "-rf", folder], check=True)


@pytest.mark.slow
def test_init_makes_an_embedded_office(home: Path) -> None:
    """A12: `db init` makes, starts and migrates; a second time it finds all done."""
    first = officectl("db", "init", "--folder", home)
    assert first.returncode == 0, first.stderr
    assert f"Deployed: officectl {__version__}" in first.stdout
    dsn = Cluster(home).dsn
    again = officectl("db", "init", "--folder", home)
    assert f"Deployed: officectl {__version__}, 0 new migrations" in again.stdout
    assert status(dsn)["state"] == "current"


def test_init_refuses_a_taken_folder(tmp_path: Path) -> None:
    """A12: one line, exit code 1, nothing written."""
    (tmp_path / "mine").write_text("")
    code, line = outcome("db", "init", "--folder", tmp_path)
    assert (code, "holds files that are not officectl's" in line) == (1, True)
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]


def status(dsn: str) -> dict[str, Any]:
    done = officectl("db", "status", "--dsn", dsn, "-o", "json")
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert document["schema_version"] == 1
    found: dict[str, Any] = document["items"][0]
    return found


def test_status_and_migrate(fresh_database: str) -> None:
    """A4: what is pending, and then nothing."""
    before = status(fresh_database)
    assert (before["state"], before["deployed"], len(before["pending"]) > 0) == ("absent", None, True)
    done = officectl("db", "migrate", "--dsn", fresh_database)
    assert (done.returncode, done.stdout) == (
        0,
        f"Deployed: officectl {__version__}, {len(before['pending'])} new migrations\n",
    )
    after = status(fresh_database)
    assert (after["state"], after["deployed"], after["pending"]) == ("current", __version__, [])


def test_backup_and_restore(database: str, fresh_database: str, tmp_path: Path) -> None:
    """A12: pg_dump's; into an empty database, over an office only when told to, and never half."""
    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute("select * from office.create_task('Look at order 7')")
    file = tmp_path / "office.dump"
    assert officectl("db", "backup", file, "--dsn", database).returncode == 0
    assert outcome("db", "backup", file, "--dsn", database) == (1, f"officectl: {file} is there already")

    done = officectl("db", "restore", file, "--dsn", fresh_database)
    assert (done.returncode, done.stderr) == (0, "")
    tasks = "select title from office.tasks"
    with psycopg.connect(fresh_database, autocommit=True) as connection:
        assert connection.execute(tasks).fetchall() == [("Look at order 7",)]
        connection.execute("select * from office.create_task('Made later')")
    assert status(fresh_database)["state"] == "current"

    code, line = outcome("db", "restore", file, "--dsn", fresh_database)
    assert (code, "Nobody is there to ask" in line) == (2, True)
    (tmp_path / "broken.dump").write_bytes(file.read_bytes()[:-2000])
    code, line = outcome("db", "restore", tmp_path / "broken.dump", "--dsn", fresh_database, "--yes")
    assert (code, line.startswith("officectl: pg_restore failed: ")) == (1, True)
    with psycopg.connect(fresh_database, autocommit=True) as connection:
        assert len(connection.execute(tasks).fetchall()) == 2
    assert officectl("db", "restore", file, "--dsn", fresh_database, "--yes").returncode == 0
    with psycopg.connect(fresh_database, autocommit=True) as connection:
        assert connection.execute(tasks).fetchall() == [("Look at order 7",)]


@pytest.fixture
def login(database: str) -> Iterator[str]:
    """A login of the server that may do nothing yet."""
    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute('create role "plain login" login')
        yield "plain login"
        connection.execute('drop owned by "plain login"')
        connection.execute('drop role "plain login"')


def test_grant(database: str, login: str) -> None:
    """I5, I6: a role, an account, a gateway; a login that is not there is refused with what makes it."""
    theirs = psycopg.conninfo.make_conninfo(database, user=login)
    code, _ = outcome("task", "list", "--dsn", theirs)
    assert code == 4
    done = officectl("db", "grant", login, "--role", "client", "--account", "plain", "--dsn", database)
    assert done.stdout == "Granted to plain login: client, plain\n"
    assert officectl("task", "list", "--dsn", theirs).returncode == 0
    assert officectl("db", "grant", login, "--gateway", "act_as", "--dsn", database).returncode == 0
    with psycopg.connect(database) as connection:
        kinds = connection.execute("select kind from office_internal.gateways where login = %s", [login])
        assert kinds.fetchall() == [("act_as",)]
    assert outcome("db", "grant", "nobody_here", "--role", "client", "--dsn", database) == (
        1,
        "officectl: the server has no login nobody_here",
    )
    assert outcome("db", "grant", login, "--dsn", database)[0] == 2


# doctor


def test_doctor_before_and_after_a_deploy(fresh_database: str) -> None:
    """I13: yes or no for each right before anything is touched."""
    done = officectl("doctor", "--dsn", fresh_database, "-o", "json")
    checks = {item["check"]: item["ok"] for item in json.loads(done.stdout)["items"]}
    assert (done.returncode, set(checks.values())) == (0, {"yes"})
    assert {"server version", "direct connection", "may create schemas", "roles", "LISTEN", "clocks"} <= set(
        checks
    )
    assert "can serve" not in checks
    with psycopg.connect(fresh_database) as connection:
        row = connection.execute("select count(*) from pg_namespace where nspname like 'office%'").fetchone()
        assert row == (0,)


def test_doctor_says_no(fresh_database: str) -> None:
    """I13: exit code 1 and what would lift it."""
    with psycopg.connect(fresh_database, autocommit=True) as connection:
        connection.execute("create schema office")
        connection.execute("create role somebody_else login")
        connection.execute("alter schema office owner to somebody_else")
    done = officectl("doctor", "--dsn", fresh_database)
    with psycopg.connect(fresh_database, autocommit=True) as connection:
        connection.execute("drop schema office")
        connection.execute("drop role somebody_else")
    assert done.returncode == 1
    assert "Deploy as somebody_else." in done.stdout
    assert officectl("doctor", "--dsn", NOWHERE).returncode == 1


def examined(dsn: str) -> tuple[int, dict[str, str]]:
    """Exit code of doctor, and yes or no by the name of the check."""
    done = officectl("doctor", "--dsn", dsn, "-o", "json")
    return done.returncode, {item["check"]: item["ok"] for item in json.loads(done.stdout)["items"]}


def test_doctor_tells_serving_and_deploying_apart(database: str, login: str) -> None:
    """I13: a worker's login serves and need not deploy; one that can do neither is told what would help."""
    code, rows = examined(database)
    assert (code, rows["can deploy"], rows["can serve"]) == (0, "yes", "yes")
    theirs = psycopg.conninfo.make_conninfo(database, user=login)
    code, rows = examined(theirs)
    assert (code, rows["can deploy"], rows["can serve"]) == (1, "no", "no")
    assert "db grant 'plain login' --role worker" in officectl("doctor", "--dsn", theirs).stdout
    for role, serves in (("client", "no"), ("worker", "yes")):
        assert officectl("db", "grant", login, "--role", role, "--dsn", database).returncode == 0
        code, rows = examined(theirs)
        assert (code, rows["can deploy"], rows["can serve"]) == (int(serves == "no"), "no", serves)
    assert rows["owner"] == "no"


def test_interrupt_is_130(fresh_database: str) -> None:
    """I8: Ctrl-C ends quietly."""
    with psycopg.connect(fresh_database, autocommit=True) as blocker:
        from officectl.database.deploy import _ADVISORY_LOCK

        blocker.execute(f"select pg_advisory_lock({_ADVISORY_LOCK})".encode())
        child = subprocess.Popen(
            [sys.executable, "-m", "officectl", "db", "migrate", "--dsn", fresh_database],
            env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
            stderr=subprocess.PIPE,
            text=True,
        )
        assert child.stderr is not None
        assert child.stderr.readline() == "waiting for another deploy of this database\n"
        time.sleep(0.1)
        child.send_signal(2)
        assert child.wait(10) == 130
        assert child.stderr.read().strip() == ""
