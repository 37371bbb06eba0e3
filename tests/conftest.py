"""Servers and databases for every test: one cluster a run, one deployed template, fresh copies of it.

The suite runs on one PostgreSQL version at a time (`--pg=15`; 18, the embedded one, unless told otherwise).
`make test` runs it on both.
"""

from __future__ import annotations

import os
import shutil
import signal
import tempfile
import uuid
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from pytest_postgresql.janitor import DatabaseJanitor
from support import servers

from officectl.database import deploy
from officectl.database.embedded import Binaries, Cluster

Connection = psycopg.Connection[Any]

MEMORY = Path("/dev/shm") if Path("/dev/shm").is_dir() else Path(tempfile.gettempdir())
FOLDER = "officectl-tests-"
TEMPLATE = "office_template"
# Commits are synchronous: what a killed server had acknowledged must be there again.
OPTIONS = {
    "fsync": "off",
    "full_page_writes": "off",
    "autovacuum": "off",
    "jit": "off",
    "max_connections": "200",
    # Segments in the data folder, so that a killed server leaves nothing elsewhere in memory.
    "dynamic_shared_memory_type": "mmap",
    "timezone": "UTC",
}


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--pg",
        type=int,
        choices=servers.VERSIONS,
        default=18,
        help="PostgreSQL version (default: 18, embedded)",
    )
    parser.addoption(
        "--once",
        choices=("without", "alone"),
        help="leave out the tests in which the server's version plays no part, or all others",
    )


def pytest_report_header(config: pytest.Config) -> str:
    return f"PostgreSQL {config.getoption('--pg')}"


ONCE = (
    "python/agent",
    "python/cli",
    "python/database/test_connect.py",
    "python/database/test_embedded.py",
    "python/database/test_wheel.py",
    "python/executors",
    "python/harness",
    "python/service",
)
"""Tests in which the version of the server plays no part: they run beside the embedded one only, …"""
TWICE = (
    "python/cli/test_statements.py",
    "python/harness/test_clock.py",
    "python/harness/test_races.py",
    "python/service/test_life.py",
    "python/service/test_pooler_serve.py",
)
"""… but these: what people type, and the whole way of a run, on every version."""


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out on PostgreSQL 15 what its run on 18 shows, and what `--once` says."""
    folder = Path(__file__).parent
    once, others = list[pytest.Item](), list[pytest.Item]()
    for item in items:
        path = str(item.path.relative_to(folder))
        (once if path.startswith(ONCE) and not path.startswith(TWICE) else others).append(item)
    wanted = config.getoption("--once")
    if wanted is None and config.getoption("--pg") != 18 and others:
        wanted = "without"
    if wanted == "without":
        items[:], left_out = others, once
    elif wanted == "alone":
        items[:], left_out = once, others
    else:
        return
    config.hook.pytest_deselected(items=left_out)


@pytest.fixture(scope="session")
def binaries(pytestconfig: pytest.Config) -> Binaries:
    """The server's programs: `binaries.folder / "psql"` and so on."""
    version = pytestconfig.getoption("--pg")
    found = servers.server(version)
    if found is None:
        pytest.exit(f"PostgreSQL {version} is not to be had on this machine", returncode=3)
    return found


@pytest.fixture(scope="session")
def cluster_dsn(binaries: Binaries) -> Iterator[str]:
    """A superuser's DSN of this run's own cluster, in memory, stopped and removed at the end."""
    _remove_leftovers()
    with _cluster(binaries, str(os.getpid())) as cluster:
        yield cluster.dsn


@pytest.fixture
def own_cluster(binaries: Binaries) -> Iterator[Cluster]:
    """A running cluster that the test may kill, in memory, stopped and removed at the end."""
    with _cluster(binaries, f"{uuid.uuid4().hex[:8]}-{os.getpid()}") as cluster:
        yield cluster


@contextmanager
def _cluster(binaries: Binaries, name: str) -> Iterator[Cluster]:
    folder = MEMORY / f"{FOLDER}{binaries.version}-{name}"
    cluster = Cluster(folder, binaries=binaries, options=OPTIONS)
    try:
        cluster.ensure()
        yield cluster
    finally:
        cluster.stop("immediate")
        shutil.rmtree(folder, ignore_errors=True)


def _remove_leftovers() -> None:
    """Stop and remove the clusters of test runs that were killed."""
    for folder in MEMORY.glob(f"{FOLDER}*-*"):
        if _alive(int(folder.name.rsplit("-", 1)[1])):
            continue
        for pid_file in folder.rglob("postmaster.pid"):
            postmaster = int(pid_file.read_text().split()[0])
            if _alive(postmaster):
                os.kill(postmaster, signal.SIGQUIT)
        shutil.rmtree(folder, ignore_errors=True)


def _alive(pid: int) -> bool:
    return Path(f"/proc/{pid}").exists()


@pytest.fixture(scope="session")
def template(cluster_dsn: str) -> str:
    """Name of a deployed database with pgTAP in schema tap and the test clock in schema testing.

    Nobody stays connected to it, so that it can be copied.
    """
    dsn = make_conninfo(cluster_dsn, dbname=TEMPLATE)
    with psycopg.connect(cluster_dsn, autocommit=True) as conn:
        conn.execute(f"create database {TEMPLATE}")
    deploy.migrate(dsn)
    with psycopg.connect(dsn) as conn:
        conn.execute((Path(__file__).parent / "python/support/clock.sql").read_bytes())
        if script := servers.pgtap():
            conn.execute(
                "create schema tap; grant usage on schema tap to public; set local search_path = tap"
            )
            # Written for older servers as well: bodies for those are not checked against this one.
            conn.execute("set local check_function_bodies = off")
            conn.execute(script.encode())
    return TEMPLATE


@pytest.fixture
def database(cluster_dsn: str, template: str) -> Iterator[str]:
    """DSN of a fresh copy of the template, dropped at the end whoever is still connected."""
    with _database(cluster_dsn, template) as dsn:
        yield dsn


@pytest.fixture(scope="module")
def module_database(cluster_dsn: str, template: str) -> Iterator[str]:
    """The same for all tests of a module, which undo what they do."""
    with _database(cluster_dsn, template) as dsn:
        yield dsn


@pytest.fixture
def fresh_database(cluster_dsn: str) -> Iterator[str]:
    """DSN of an empty database, dropped at the end whoever is still connected."""
    with _database(cluster_dsn, None) as dsn:
        yield dsn


class Copying(DatabaseJanitor):
    """Copies files, which in memory takes half as long as writing every page to the log."""

    def _build_create_database_sql(self) -> sql.Composed:
        return super()._build_create_database_sql() + sql.SQL(" strategy file_copy")


@contextmanager
def _database(cluster_dsn: str, template: str | None) -> Iterator[str]:
    server = conninfo_to_dict(cluster_dsn)
    name = f"test_{uuid.uuid4().hex[:12]}"
    with Copying(
        user=str(server["user"]),
        host=str(server["host"]),
        port=str(server.get("port", 5432)),
        dbname=name,
        template_dbname=template,
    ):
        yield make_conninfo(cluster_dsn, dbname=name)


@pytest.fixture
def connect(database: str) -> Iterator[Callable[..., Connection]]:
    """Opens real sessions on `database`: `connect(**psycopg_options)`, in autocommit by default."""
    with ExitStack() as opened:

        def open_session(**options: Any) -> Connection:
            return opened.enter_context(psycopg.connect(database, **{"autocommit": True, **options}))

        yield open_session


@pytest.fixture
def session(connect: Callable[..., Connection]) -> Connection:
    """One session on `database`, in autocommit."""
    return connect()


@pytest.fixture
def sessions(connect: Callable[..., Connection]) -> Callable[[int], list[Connection]]:
    """n sessions on `database`, in autocommit: `first, second = sessions(2)`."""
    return lambda n: [connect() for _ in range(n)]
