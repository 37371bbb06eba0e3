"""Workspaces in which many runs are queued that cannot start (K2), each for one reason.

The office itself brings a few runs to where they wait; all others are copies of their rows, made with the
triggers off, because a million of them would take hours. A copy was asked for later than its original, so
every lane's head, timer and holder stay true, and `office.audit()` finds nothing wrong.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any

import psycopg
from furnish import Agent, Worker, dispatch, furnish, wake
from server import Connection

HOME = "w1"  # where the runs wait, and the one agent that is free works
FREE = "free"
SLOTS = 8
PLAIN = {"command": ["true"]}
LATER = "Rate limit reached: try again in 2 days"

# The last twelve digits of an id are the copy's number, so that copies are in order and refer to each other.
COPY_OF = "overlay({}::text placing lpad(to_hex(n), 12, '0') from 25)::uuid"
LATER_THAN = "t.requested_at + n * interval '1 microsecond'"


@dataclass
class Waiting:
    """A reason why runs wait: makes the originals; what must be kept open while claims are timed."""

    why: str
    prepare: Callable[[Connection, Worker], None]
    hold: Callable[[str], AbstractContextManager[None]] = lambda _dsn: nullcontext()


def queue(conn: Connection, waiting: Waiting, runs: int) -> None:
    """Make an office in which so many runs wait."""
    furnish(conn, 1, 0, slots=SLOTS)
    worker = Worker(conn, 100)
    add_agents(conn, [(HOME, FREE)])
    waiting.prepare(conn, worker)
    row = conn.execute("select count(*) from office.runs where status = 'queued'").fetchone()
    assert row is not None
    if row[0]:
        multiply(conn, runs // row[0])
    else:
        multiply_wakeups(conn, runs)


def multiply(conn: Connection, times: int) -> None:
    """Copy every queued run, with all that belongs to it, until there are so many of each."""
    queued = "r.status = 'queued'"
    copies: dict[str, tuple[str, dict[str, str]]] = {
        "office.tasks": (
            f"exists (select from office.runs as r where r.task_id = t.id and {queued})",
            {"id": COPY_OF.format("t.id")},
        ),
        "office.task_blockers": (
            f"exists (select from office.runs as r where r.task_id = t.task_id and {queued})",
            {"task_id": COPY_OF.format("t.task_id")},
        ),
        "office_internal.resource_waits": ("true", {"run_id": COPY_OF.format("t.run_id")}),
        "office.wakeups": (
            f"exists (select from office.runs as r where r.id = t.run_id and {queued})",
            {
                "id": COPY_OF.format("t.id"),
                "run_id": COPY_OF.format("t.run_id"),
                "task_id": COPY_OF.format("t.task_id"),
                "idempotency_key": "null",
                "requested_at": LATER_THAN,
            },
        ),
        "office.runs": (
            "t.status = 'queued'",
            {
                "id": COPY_OF.format("t.id"),
                "task_id": COPY_OF.format("t.task_id"),
                "idempotency_key": "null",
                "attempt_id": "null",
                "session_id": "null",
                "continues_run_id": "null",
                "requested_at": LATER_THAN,
            },
        ),
    }
    with conn.transaction():
        conn.execute("set local session_replication_role = replica")
        for table, (which, changed) in copies.items():
            copy(conn, table, which, changed, times - 1)


def multiply_wakeups(conn: Connection, times: int) -> None:
    """Copy the one wakeup that is queued, and its signal."""
    with conn.transaction():
        conn.execute("set local session_replication_role = replica")
        changed = {"id": COPY_OF.format("t.id"), "requested_at": LATER_THAN}
        copy(conn, "office.wakeups", "t.status = 'queued'", changed, times - 1)
        changed = {"wakeup_id": COPY_OF.format("t.wakeup_id"), "xid": "pg_current_xact_id()"}
        copy(conn, "office_internal.signals", "t.wakeup_id is not null", changed, times - 1)


def copy(conn: Connection, table: str, which: str, changed: dict[str, str], times: int) -> None:
    """Insert so many copies of the rows of a table, with some columns other than theirs."""
    rows = conn.execute(
        """
        select a.attname::text
        from pg_attribute as a
        where a.attrelid = %s::regclass and a.attnum > 0 and not a.attisdropped
          and a.attgenerated = '' and a.attidentity = ''
        order by a.attnum
        """,
        [table],
    ).fetchall()
    columns = [name for (name,) in rows]
    values = [changed.get(name, f't."{name}"') for name in columns]
    statement = (
        f"insert into {table} ({', '.join(columns)}) "
        f"select {', '.join(values)} from {table} as t, generate_series(1, {times}) as n where {which}"
    )
    conn.execute(statement.encode())


def add_agents(
    conn: Connection, agents: Sequence[Agent], *, executor: Any = PLAIN, cooldown: int = 0
) -> None:
    for workspace, name in agents:
        conn.execute(
            "select office.create_agent(%s, executor => %s, workspace => %s, cooldown_sec => %s)",
            [name, json.dumps(executor), workspace, cooldown],
        )
    dispatch(conn)


def give_tasks(conn: Connection, agents: Sequence[Agent]) -> None:
    """A task each, and the run that comes of it."""
    for workspace, name in agents:
        conn.execute("select office.create_task('Wait', assignee => %s, workspace => %s)", [name, workspace])
    dispatch(conn)


def named(count: int, workspace: str = HOME) -> list[Agent]:
    return [(workspace, f"a{number}") for number in range(1, count + 1)]


def keep_live(conn: Connection, worker: Worker, agents: Sequence[Agent]) -> None:
    """A run each that is live and stays so."""
    wake(conn, agents)
    live = 0
    while live < len(agents):
        attempts = worker.claim()
        assert attempts or worker.more, f"{len(agents) - live} runs cannot be claimed"
        worker.start(attempts)
        live += len(attempts)


def busy(conn: Connection, worker: Worker) -> None:
    agents = named(SLOTS - 1)
    add_agents(conn, agents)
    keep_live(conn, worker, agents)
    give_tasks(conn, agents)


def cooling(conn: Connection, worker: Worker) -> None:
    agents = named(50)
    add_agents(conn, agents, cooldown=86_400)
    wake(conn, agents)
    worker.drain(len(agents))
    give_tasks(conn, agents)


def paused(conn: Connection, _worker: Worker) -> None:
    agents = named(50)
    add_agents(conn, agents)
    give_tasks(conn, agents)
    for workspace, name in agents:
        conn.execute("select office.pause(%s)", [f"{workspace}/{name}"])
    dispatch(conn)


def retry(conn: Connection, worker: Worker) -> None:
    fail(conn, worker, named(50), PLAIN)


def provider(conn: Connection, worker: Worker) -> None:
    executor = {**PLAIN, "provider": "account"}
    fail(conn, worker, [(HOME, "first")], executor)
    agents = named(49)
    add_agents(conn, agents, executor=executor)
    give_tasks(conn, agents)
    # The claim parks what its provider refuses.
    assert worker.claim() == []


def fail(conn: Connection, worker: Worker, agents: Sequence[Agent], executor: Any) -> None:
    """A run each that waits for its retry in two days."""
    add_agents(conn, agents, executor=executor)
    give_tasks(conn, agents)
    failed = 0
    while failed < len(agents):
        attempts = worker.claim()
        assert attempts or worker.more, f"{len(agents) - failed} runs cannot be claimed"
        for attempt in attempts:
            conn.execute("select office.start_attempt(%s)", [attempt])
            conn.execute("select office.fail_attempt(%s, %s)", [attempt, LATER])
            conn.execute("select office.confirm_cleanup(%s)", [attempt])
            failed += 1


def folder(conn: Connection, worker: Worker) -> None:
    executor = {**PLAIN, "folder": "/srv/shared"}
    add_agents(conn, [(HOME, "holder"), *named(49)], executor=executor)
    keep_live(conn, worker, [(HOME, "holder")])
    give_tasks(conn, named(49))


def blocker(conn: Connection, _worker: Worker) -> None:
    agents = named(50)
    add_agents(conn, agents)
    give_tasks(conn, agents)
    conn.execute("select office.create_task('In the way', workspace => %s)", [HOME])
    conn.execute(
        """
        insert into office.task_blockers (workspace_id, task_id, blocker_task_id)
        select t.workspace_id, t.id, b.id
        from office.tasks as t, office.tasks as b
        where t.title = 'Wait' and b.title = %s
        """,
        ["In the way"],
    )
    dispatch(conn)


def full(conn: Connection, worker: Worker) -> None:
    for number in range(2, 12):
        workspace = f"w{number}"
        conn.execute("select office.create_workspace(%s)", [workspace])
        (last, *live) = named(SLOTS + 1, workspace)
        add_agents(conn, [last, *live])
        keep_live(conn, worker, live)
        give_tasks(conn, [last])


def backlog(conn: Connection, _worker: Worker) -> None:
    conn.execute("select office.create_workspace('w2')")
    add_agents(conn, [("w2", "a1")])
    wake(conn, [("w2", "a1")])


@contextmanager
def gate_held(dsn: str) -> Any:
    """Another worker is at the backlog."""
    with psycopg.connect(dsn) as conn:
        conn.execute(
            """
            select from office_internal.gates as g
            join office.workspaces as w on w.id = g.workspace_id
            where w.name = 'w2'
            for no key update of g
            """
        )
        yield


REASONS = [
    Waiting("agents busy", busy),
    Waiting("agents cooling", cooling),
    Waiting("agents paused", paused),
    Waiting("retry in the future", retry),
    Waiting("folder held", folder),
    Waiting("blocker", blocker),
    Waiting("provider on hold", provider),
    Waiting("workspaces full", full),
    Waiting("backlog elsewhere", backlog, gate_held),
]
