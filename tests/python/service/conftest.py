"""An office on a fresh database, with short leases, and processes that serve it."""

import asyncio
import os
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg.rows import dict_row
from psycopg.types.json import Jsonb

from officectl.database import grants
from officectl.service.serve import serve

DEADLINE = 30.0
Row = dict[str, Any]

PACKAGE = Path(__file__).parents[3] / "python"


class Desk:
    """A person's own connection: asks, and waits for facts."""

    def __init__(self, connection: psycopg.Connection[Row]) -> None:
        self.connection = connection

    def rows(self, query: str, *arguments: Any) -> list[Row]:
        return self.connection.execute(query.encode(), arguments).fetchall()

    def row(self, query: str, *arguments: Any) -> Row:
        (row,) = self.rows(query, *arguments)
        return row

    async def until(self, query: str, *arguments: Any) -> Row:
        """The first row that the query gives, waited for."""
        deadline = time.monotonic() + DEADLINE
        while not (rows := self.rows(query, *arguments)):
            assert time.monotonic() < deadline, f"it did not happen: {query}\n{self.state()}"
            await asyncio.sleep(0.02)
        return rows[0]

    def state(self) -> str:
        """What there is, for a test that fails."""
        runs = self.rows("select number, status, result, attempt_id from office.runs order by number")
        attempts = self.rows("select id, ended_at, error, cleaned_at from office.attempts order by id")
        return "\n".join(map(str, runs + attempts))

    def agent(self, name: str, script: str, folder: Path, **options: Any) -> None:
        """An agent that is a shell script."""
        executor = {
            "command": ["/bin/sh", "-c", script],
            "folder": str(folder),
            "folder_shared": True,
            # The `officectl agent` of this tree, wherever the one on the path comes from.
            "environment": {"PYTHONPATH": str(PACKAGE)},
        }
        self.rows(
            "select * from office.create_agent(%s, executor => %s, cooldown_sec => 0,"
            " max_concurrent_sessions => %s)",
            name,
            Jsonb(executor),
            options.get("sessions", 1),
        )

    def set(self, key: str, value: str) -> None:
        """A setting of the whole office."""
        self.rows("select office.set_setting(%s, %s, 'office')", key, value)

    def wake(self, name: str) -> None:
        self.rows("select * from office.wake(%s)", name)


@pytest.fixture
def desk(database: str) -> Iterator[Desk]:
    """The office, with every period as short as it may be."""
    with psycopg.connect(database, autocommit=True, row_factory=dict_row) as connection:
        desk = Desk(connection)
        for key, value in (
            ("worker_heartbeat_seconds", "1"),
            ("worker_lease_seconds", "3"),
            ("worker_poll_seconds", "1"),
            ("sweep_seconds", "1"),
            ("max_concurrent_runs", "8"),
        ):
            desk.set(key, value)
        # As `officectl up` does for its own login: it may hand on what agents ask with their tokens.
        grants.grant(database, connection.info.user, gateway="token")
        yield desk


Process = Callable[..., "subprocess.Popen[str]"]
Serving = Callable[..., AbstractAsyncContextManager[asyncio.Task[None]]]


@pytest.fixture
def serving(database: str) -> Serving:
    """Serves in this process until the end of the block: `async with serving(max_runs=2):`."""

    @asynccontextmanager
    async def start(**options: Any) -> AsyncIterator[asyncio.Task[None]]:
        stop = options.setdefault("stop", asyncio.Event())
        options = {"grace": 0.0, **options}
        service = asyncio.create_task(serve(database, **options))
        try:
            yield service
        finally:
            stop.set()
            await asyncio.wait_for(service, DEADLINE)

    return start


@pytest.fixture
def process(database: str) -> Iterator[Process]:
    """Starts `officectl serve` with these options, in its own process; its log is its stderr."""
    started: list[subprocess.Popen[str]] = []

    def start(*options: str, dsn: str = database) -> subprocess.Popen[str]:
        started.append(
            subprocess.Popen(
                [sys.executable, "-m", "officectl.cli.main", "serve", *options],
                env={**os.environ, "OFFICE_DSN": dsn, "PYTHONPATH": str(PACKAGE)},
                stderr=subprocess.PIPE,
                text=True,
            )
        )
        return started[-1]

    yield start
    for served in started:
        assert served.stderr
        served.kill()
        served.wait()
        if not served.stderr.closed:
            # For a test that fails.
            print(served.stderr.read())
            served.stderr.close()


async def until(fact: Callable[[], object | Awaitable[object]]) -> None:
    """Wait for an observable fact, and fail when it does not come."""
    deadline = time.monotonic() + DEADLINE
    while not fact():
        assert time.monotonic() < deadline, "it did not happen"
        await asyncio.sleep(0.02)
