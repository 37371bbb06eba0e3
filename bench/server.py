"""A PostgreSQL of the benchmark's own, on disk with fsync on, and databases on it."""

from __future__ import annotations

import os
import platform
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
from psycopg.conninfo import make_conninfo

from officectl.database import deploy
from officectl.database.embedded import Cluster, find_binaries

Connection = psycopg.Connection[Any]

# Where a memory disk as /tmp would make fsync mean nothing.
DISK = Path("/var/tmp")
TEMPLATE = "bench_template"
OPTIONS = {"shared_buffers": "1GB", "max_wal_size": "4GB", "max_connections": "100", "jit": "off"}
SHOWN = ("server_version", "fsync", "shared_buffers", "max_wal_size", "autovacuum")


@contextmanager
def server(version: int, options: Mapping[str, str] = OPTIONS) -> Iterator[str]:
    """A superuser's DSN of a new cluster, which is removed at the end."""
    folder = DISK / f"officectl-bench-{os.getpid()}"
    cluster = Cluster(folder, binaries=find_binaries(version=version), options=options)
    try:
        yield cluster.ensure()
    finally:
        cluster.stop("immediate")
        shutil.rmtree(folder)


@contextmanager
def database(cluster_dsn: str, *, commit: str = "on", template: str = "template1") -> Iterator[str]:
    """DSN of a new database with this `synchronous_commit`, dropped at the end."""
    with psycopg.connect(cluster_dsn, autocommit=True) as conn:
        conn.execute(f"create database bench template {template}".encode())
        try:
            conn.execute(f"alter database bench set synchronous_commit = {commit}".encode())
            yield make_conninfo(cluster_dsn, dbname="bench")
        finally:
            conn.execute("drop database bench with (force)")


@contextmanager
def office(cluster_dsn: str, *, commit: str = "on") -> Iterator[str]:
    """DSN of a freshly deployed database; it is deployed once a cluster, and copied."""
    with psycopg.connect(cluster_dsn, autocommit=True) as conn:
        if not conn.execute("select datname from pg_database where datname = %s", [TEMPLATE]).fetchone():
            conn.execute(f"create database {TEMPLATE}".encode())
            deploy.migrate(make_conninfo(cluster_dsn, dbname=TEMPLATE))
    with database(cluster_dsn, commit=commit, template=TEMPLATE) as dsn:
        yield dsn


def settings(dsn: str) -> dict[str, str]:
    """What a figure is worth nothing without."""
    with psycopg.connect(dsn) as conn:
        rows = conn.execute(
            "select name, current_setting(name) from unnest(%s::text[]) as name", [list(SHOWN)]
        ).fetchall()
    return {"cores": str(os.cpu_count()), "python": platform.python_version(), **dict(rows)}


def furnish(conn: Connection, workspaces: int, agents: int) -> list[tuple[str, str]]:
    """Make workspaces with agents spread over them, cooldown 0; returns (workspace, agent) names."""
    conn.execute("select office.create_workspace('w' || n) from generate_series(1, %s) as n", [workspaces])
    made = conn.execute(
        """
        select made.workspace, made.agent
        from generate_series(1, %s) as n,
          office.create_agent(
            name => 'a' || n, workspace => 'w' || 1 + n %% %s, cooldown_sec => 0,
            executor => '{"command": ["true"]}'
          ) as made
        """,
        [agents, workspaces],
    ).fetchall()
    conn.execute("vacuum analyze")
    return made


class Worker:
    """What a worker process does in the database, without a program, by sets."""

    def __init__(self, conn: Connection, max_runs: int) -> None:
        self.conn = conn
        self.max_runs = max_runs
        row = conn.execute(
            "select worker_id from office.register_worker(host => 'bench', max_runs => %s)", [max_runs]
        ).fetchone()
        assert row is not None
        self.id = row[0]

    def claim(self) -> list[Any]:
        """Attempts of the runs that were claimed."""
        rows = self.conn.execute(
            "select attempt_id from office.claim_runs(%s, %s) where run_id is not null",
            [self.id, self.max_runs],
        ).fetchall()
        return [attempt for (attempt,) in rows]

    def start(self, attempts: list[Any]) -> None:
        self.conn.execute(
            "select office.start_attempt(attempt_id) from unnest(%s::uuid[]) as attempt_id", [attempts]
        )

    def finish(self, attempts: list[Any]) -> None:
        self.conn.execute(
            """
            select office.finish_attempts(jsonb_agg(jsonb_build_object(
              'attempt_id', attempt_id, 'result', '{"summary": "done"}'::jsonb, 'exit_code', 0
            )))
            from unnest(%s::uuid[]) as attempt_id
            """,
            [attempts],
        )
