"""An office with one workspace "acme", and what workers and people do in it, by real sessions.

Every session has a short `lock_timeout`: a statement that must not wait fails instead, and says where it
waited.
Sessions that are meant to wait are opened with `patient=True`.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import psycopg
import pytest
from psycopg.rows import dict_row

Connection = psycopg.Connection[Any]
Row = dict[str, Any]

IMPATIENT = "-c lock_timeout=1s"
LIVE = "('claimed', 'running', 'waiting', 'stopping')"


class Office:
    """The office of one test, seen by its owner."""

    def __init__(self, connect: Callable[..., Connection]) -> None:
        self._connect = connect
        self.owner = self.session()
        self.watcher = connect()
        self.owner.execute("select office.create_workspace('acme')")

    def session(self, *, patient: bool = False) -> Connection:
        """A session of its own, in autocommit."""
        return self._connect(row_factory=dict_row, options="" if patient else IMPATIENT)

    def rows(self, query: str, *values: object) -> list[Row]:
        cursor = self.owner.execute(query.encode(), values)
        return [] if cursor.description is None else cursor.fetchall()

    def value(self, query: str, *values: object) -> Any:
        """The one value of the one row."""
        (row,) = self.rows(query, *values)
        (value,) = row.values()
        return value

    def agent(self, name: str, *, capacity: int = 1, role: str = "worker", workspace: str = "acme") -> None:
        """An agent that never cools down."""
        self.rows(
            """
            select office.create_agent(%s, executor => '{"command": ["true"]}', role => %s, workspace => %s,
              max_concurrent_sessions => %s, cooldown_sec => 0)
            """,
            name,
            role,
            workspace,
            capacity,
        )

    def agents(self, number: int, *, capacity: int = 1) -> list[str]:
        names = [f"agent{n}" for n in range(number)]
        for name in names:
            self.agent(name, capacity=capacity)
        return names

    def slots(self, number: int) -> None:
        self.rows("select office.set_setting('max_concurrent_runs', %s, 'acme')", str(number))

    def task(self, title: str, assignee: str | None = None, *, blocked_by: Sequence[str] = ()) -> str:
        """A task of the workspace: its number, as t1."""
        task: str = self.value(
            "select task from office.create_task(%s, assignee => %s, blocked_by => %s, workspace => 'acme')",
            title,
            assignee,
            list(blocked_by),
        )
        return task

    def wake(self, agent: str, key: str | None = None) -> Any:
        return self.value(
            "select wakeup_id from office.wake(%s, idempotency_key => %s, workspace => 'acme')", agent, key
        )

    def worker(self, conn: Connection | None = None) -> Worker:
        return Worker(conn or self.session())

    def running(self, agent: str) -> tuple[Worker, Row]:
        """A run of the agent that was started, and its worker."""
        self.wake(agent)
        worker = self.worker()
        (launch,) = worker.claim(1)
        assert launch["agent"] == agent
        worker.start(launch)
        return worker, launch

    def run(self, launch: Row) -> Row:
        (row,) = self.rows("select * from office.runs where id = %s", launch["run_id"])
        return row

    def audit(self) -> list[Row]:
        return self.rows("select * from office.audit()")

    def settle(self) -> None:
        """Carry out, claim and finish until nothing is left to do; what waits for a retry stays."""
        worker = self.worker()
        while True:
            self.rows("select office.carry_out()")
            launches = worker.claim(100)
            for launch in launches:
                worker.start(launch)
                worker.finish(launch)
            if not launches and not self.rows("select from office_internal.signals limit 1"):
                break
        worker.drain()


class Worker:
    """A worker process's calls, on one session."""

    def __init__(self, conn: Connection) -> None:
        self.conn = conn
        self.id = self._one("select worker_id from office.register_worker('here', max_runs => 100)")[
            "worker_id"
        ]

    def _one(self, query: str, *values: object) -> Row:
        (row,) = self.conn.execute(query.encode(), values).fetchall()
        return row  # type: ignore[no-any-return]

    def claim(self, number: int = 1) -> list[Row]:
        return self.conn.execute(
            "select * from office.claim_runs(%s, %s) where run_id is not null", [self.id, number]
        ).fetchall()

    def start(self, launch: Row) -> str:
        status: str = self._one("select * from office.start_attempt(%s)", launch["attempt_id"])["status"]
        return status

    def finish(self, launch: Row) -> Row:
        return self._one("select * from office.finish_attempt(%s)", launch["attempt_id"])

    def fail(self, launch: Row, cause: str = "failure") -> Row:
        return self._one("select * from office.fail_attempt(%s, 'broken', %s)", launch["attempt_id"], cause)

    def heartbeat(self) -> list[Row]:
        return self.conn.execute("select * from office.heartbeat(%s)", [self.id]).fetchall()

    def drain(self) -> int:
        released: int = self._one("select office.drain_worker(%s) as n", self.id)["n"]
        return released


@pytest.fixture
def office(connect: Callable[..., Connection]) -> Iterator[Office]:
    """An office; after the test its books must be in order (Q26)."""
    office = Office(connect)
    yield office
    assert office.audit() == []


def together(*acts: Callable[[], None]) -> None:
    """Run all at once, each in a thread that starts when all are there; raises what one of them raised."""
    start = threading.Barrier(len(acts))
    errors: list[BaseException] = []

    def run(act: Callable[[], None]) -> None:
        start.wait()
        try:
            act()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=[act]) for act in acts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]
