"""T5, T8: what blockers cost as tasks grow more: one more with its search for a cycle, ends of tasks."""

from __future__ import annotations

import statistics
import time
from dataclasses import dataclass

import psycopg
from furnish import furnish
from server import Connection

GROUP = 100  # tasks that hang together; each waits for the three before it
DISPATCHES = 10_000  # most of one statement's signals are taken by so many calls

FURNISH = """
with made as (
  insert into office.tasks (workspace_id, workflow_id, title, assignee_agent_id)
  select w.id, w.office_workflow_id, 'Task ' || n, a.id
  from generate_series(1, %(tasks)s) as n
  join office.workspaces as w on w.name = 'w1'
  join office.agents as a on a.workspace_id = w.id and a.name = 'a1'
  order by n
  returning id, workspace_id, number
),
placed as materialized (select m.*, row_number() over (order by m.number) - 1 as nth from made as m)
insert into office.task_blockers (workspace_id, task_id, blocker_task_id)
select t.workspace_id, t.id, b.id
from placed as t
join placed as b on b.nth between t.nth - 3 and t.nth - 1 and b.nth / %(group)s = t.nth / %(group)s
"""


@dataclass
class Blocked:
    """Milliseconds: of one blocker more, of a task's end with its dispatch, of each when all end at once."""

    blockers: int
    add: float
    finish: float
    bulk: float
    signals: float


def blocked(dsn: str, tasks: int, times: int) -> Blocked:
    """Medians over so many groups; what is added is taken back."""
    with psycopg.connect(dsn, autocommit=True) as conn:
        furnish(conn, 1, 1)
        psycopg.ClientCursor(conn).execute(FURNISH.encode(), {"tasks": tasks, "group": GROUP})
        settle(conn)
        conn.execute("vacuum analyze")
        numbers = [row[0] for row in conn.execute("select 't' || number from office.tasks order by number")]
        firsts, lasts = numbers[::GROUP][:times], numbers[GROUP - 1 :: GROUP][:times]
        (blockers,) = conn.execute("select count(*) from office.task_blockers").fetchone() or (0,)
        # The search walks through all that the last of a group waits for.
        adds = [add(conn, first, last) for first, last in zip(firsts[1:], lasts, strict=False)]
        finishes = [finish(conn, first) for first in firsts]
        start = time.perf_counter()
        ended = conn.execute("update office.tasks set state = 'done' where state = 'todo'").rowcount
        taken = 1e3 * (time.perf_counter() - start)
        (signals,) = conn.execute(
            "select count(*) from office_internal.signals where task_id is not null"
        ).fetchone() or (0,)
        settle(conn)
    return Blocked(
        blockers, statistics.median(adds), statistics.median(finishes), taken / ended, signals / ended
    )


def add(conn: Connection, task: str, blocker: str) -> float:
    with conn.transaction(force_rollback=True):
        start = time.perf_counter()
        conn.execute("select office.add_blocker(%s, %s)", [task, blocker])
        return 1e3 * (time.perf_counter() - start)


def finish(conn: Connection, task: str) -> float:
    start = time.perf_counter()
    conn.execute("select office.move_task(%s, 'done')", [task])
    conn.execute("select office.dispatch()")
    return 1e3 * (time.perf_counter() - start)


def settle(conn: Connection) -> None:
    """Let everything that was said become what it entails."""
    for _ in range(DISPATCHES):
        (taken,) = conn.execute("select office.dispatch()").fetchone() or (0,)
        if not taken:
            return
