"""Q4: wakeups merge the same way whether one dispatch sees them all or each has one of its own.

The dispatch decides about many wakeups in one statement. The rule is written for one after the other. Here
random requests meet random runs in flight both ways, in two savepoints of one transaction, and must come to
the same: which run each wakeup is in, at which place and how, and what each run then is.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, LiteralString
from uuid import UUID

import psycopg
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from support.clock import install_test_clock, set_clock
from support.sessions import open_session

Connection = psycopg.Connection[Any]

START = datetime(2030, 1, 7, 10, 0, tzinfo=UTC)
ROUTINES = ("a0000000-0000-4000-8000-000000000001", "a0000000-0000-4000-8000-000000000002")
STAGE = "a0000000-0000-4000-8000-000000000003"
AGENTS = ("ann", "bob")

# What a request can be, by what matters for merging: its scope, its class, whether it is bursty, held, solo.
KINDS: dict[str, tuple[str, dict[str, object]]] = {
    "user": ("user", {}),
    "user on first": ("user", {"task_id": "first"}),
    "assigned first": ("task_assigned", {"task_id": "first"}),
    "blockers of first": ("task_blockers_resolved", {"task_id": "first", "resolved_blocker_ids": []}),
    "children of first": ("task_children_completed", {"task_id": "first"}),
    "children of second": ("task_children_completed", {"task_id": "second"}),
    "queued by stage": ("queue_run", {"task_id": "second", "stage_id": STAGE}),
    "self": ("self", {"reason": "again"}),
    "tick of one": ("routine", {"routine_id": ROUTINES[0]}),
    "tick of other": ("routine", {"routine_id": ROUTINES[1]}),
    "hand fires one": ("routine", {"routine_id": ROUTINES[0], "fire": "manual"}),
    "tick with task": ("routine", {"routine_id": ROUTINES[0], "task_id": "second"}),
    "message": ("message", {"text": "hello"}),
}
# What becomes of a run before the requests come.
STATES = ("queued", "claimed", "running", "waiting", "stopping", "answered", "retrying", "finished")


@dataclass(frozen=True)
class Request:
    """One request: who is woken, by what, at which second; and the number of a key that a run may have."""

    agent: int
    kind: str
    second: int = 0
    key: int | None = None


@dataclass(frozen=True)
class Case:
    """Runs in flight, each with the state that it is brought to, and the requests that meet them."""

    runs: tuple[tuple[Request, str], ...] = ()
    requests: tuple[Request, ...] = field(default=())


def requests(keys: st.SearchStrategy[int | None]) -> st.SearchStrategy[Request]:
    return st.builds(Request, st.integers(0, 1), st.sampled_from(sorted(KINDS)), st.integers(0, 9), keys)


def tick(second: int = 0) -> Request:
    return Request(0, "tick of one", second)


def user(second: int = 0, key: int | None = None) -> Request:
    return Request(0, "user", second, key)


KEYS = st.one_of(st.none(), st.integers(0, 2))
CASES = st.builds(
    Case,
    st.lists(st.tuples(requests(KEYS), st.sampled_from(STATES)), max_size=5).map(tuple),
    st.lists(requests(KEYS), min_size=1, max_size=9).map(tuple),
)


@pytest.fixture
def office(session: Connection) -> Iterator[Connection]:
    """Two agents with room for all, each with two tasks whose first runs have ended; time stands still."""
    install_test_clock(session, START)
    for name in AGENTS:
        session.execute(
            'select office.create_agent(%s, \'{"command": ["/bin/true"]}\', cooldown_sec => 0, '
            "max_concurrent_sessions => 50, skip_idle_wakeups => false)",
            [name],
        )
        for title in ("first", "second"):
            session.execute("select office.create_task(%s, assignee => %s)", [title, name])
    session.execute("select office.set_setting('max_concurrent_runs', '8')")
    session.execute("select office.dispatch('main')")
    session.execute("update office.runs set status = 'finished'")
    yield session


def wake(conn: Connection, request: Request) -> str:
    """The id of a new wakeup; of one that was there already when its key is."""
    source, payload = KINDS[request.kind]
    if "task_id" in payload:
        task = conn.execute(
            "select t.id from office.tasks as t join office.agents as a on a.id = t.assignee_agent_id "
            "where t.title = %s and a.name = %s",
            [payload["task_id"], AGENTS[request.agent]],
        ).fetchone()
        assert task is not None
        payload = {**payload, "task_id": str(task[0])}
    if source == "message":
        payload = {**payload, "session_id": open_session(conn, AGENTS[request.agent])}
    set_clock(conn, START + timedelta(seconds=10 + request.second))
    row = conn.execute(
        "select wakeup_id from office.wake(%s, %s, %s, %s)",
        [
            AGENTS[request.agent],
            source,
            json.dumps(payload),
            None if request.key is None else f"key {request.key}",
        ],
    ).fetchone()
    assert row is not None
    return str(row[0])


def dispatch(conn: Connection) -> None:
    set_clock(conn, START + timedelta(seconds=20))
    conn.execute("select office.dispatch('main')")


def bring_runs_in_flight(conn: Connection, runs: tuple[tuple[Request, str], ...]) -> None:
    """Make the runs, one after the other, and bring each to its state by plain UPDATE."""
    for request, state in runs:
        wakeup = wake(conn, request)
        dispatch(conn)
        # A key is kept by the run alone: its wakeup was cleared away long ago.
        conn.execute("update office.wakeups set idempotency_key = null where id = %s", [wakeup])
        row = conn.execute(
            "select r.id, r.status, r.answered_at "
            "from office.runs as r join office.wakeups as w on w.run_id = r.id "
            "where w.id = %s",
            [wakeup],
        ).fetchone()
        assert row is not None
        run, now, answered_at = row
        if now != "queued" or answered_at is not None or state == "queued":
            continue
        steps: dict[str, tuple[str, ...]] = {
            "claimed": ("claimed",),
            "running": ("claimed", "running"),
            "waiting": ("claimed", "running", "waiting"),
            "stopping": ("claimed", "stopping"),
            "answered": ("claimed", "running", "waiting"),
            "retrying": (),
            "finished": ("finished",),
        }
        for step in steps[state]:
            launch: LiteralString = ", attempt_id = office.uuid7()" if step == "claimed" else ""
            change(conn, run, f"status = %s{launch}", step)
        if state == "answered":
            change(conn, run, "status = 'queued', answered_at = office.now()")
        elif state == "retrying":
            due = START + timedelta(hours=1)
            change(
                conn, run, "retry_count = 1, scheduled_retry_at = %s, parked = 'retry', due_at = %s", due, due
            )


def change(conn: Connection, run: UUID, how: LiteralString, *values: object) -> None:
    """What the office's functions do to a run, each in a statement that is noted as theirs: no hand may."""
    conn.execute(
        "with noted as materialized (select office_internal.note_gates())"
        f" update office.runs set {how} from noted where id = %s",
        [*values, run],
    )


def outcome(conn: Connection, wakeups: list[str]) -> dict[str, object]:
    """What came of it, without ids and numbers: each wakeup with its run by order, and every run."""
    runs = conn.execute(
        """
        select
          row_number() over (order by r.number), a.name, r.reason, r.class, r.solo, r.status, r.parked,
          r.due_at, r.coalesced_count, r.depth, r.retry_count, r.requested_at, r.idempotency_key, t.title,
          r.routine_id, array(
            select array_position(%s::text[], w.id::text)
            from office.wakeups as w
            where w.run_id = r.id
            order by w.position, w.id
          )
        from office.runs as r
        join office.agents as a on a.id = r.agent_id
        left join office.tasks as t on t.id = r.task_id
        order by r.number
        """,
        [wakeups],
    ).fetchall()
    woken = conn.execute(
        "select w.status, w.position, w.reason from office.wakeups as w where w.id = any(%s::uuid[]) "
        "order by array_position(%s::text[], w.id::text)",
        [wakeups, wakeups],
    ).fetchall()
    return {"runs": runs, "wakeups": woken}


def compare(
    conn: Connection, case: Case, each: Callable[[list[Request]], list[Request]] = lambda requests: requests
) -> tuple[dict[str, object], dict[str, object]]:
    """The outcome of one dispatch for all, and that of one dispatch each, on the same start."""
    with conn.transaction(force_rollback=True):
        bring_runs_in_flight(conn, case.runs)
        with conn.transaction(force_rollback=True):
            wakeups = [wake(conn, request) for request in case.requests]
            dispatch(conn)
            together = outcome(conn, wakeups)
        with conn.transaction(force_rollback=True):
            order = each(list(case.requests))
            wakeups = []
            for request in order:
                wakeups.append(wake(conn, request))
                dispatch(conn)
            one_by_one = outcome(conn, wakeups)
    return together, one_by_one


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(case=CASES)
# A live periodic run: what is periodic joins it, from the first event on a fresh run takes all.
@example(Case(((tick(), "running"),), (tick(), Request(0, "hand fires one"), tick())))
# A taskless request joins the routine's run that the same dispatch makes before it, and promotes it …
@example(Case((), (Request(0, "tick of other"), tick(), user(), Request(0, "self"))))
# … the one made first, though another was asked for earlier.
@example(Case((), (Request(0, "tick of other", 9), user(9), tick(0), user(9))))
# A key that an ended run has takes one wakeup there, and no other with it (Q7).
@example(Case(((user(key=1), "finished"),), (user(key=1), user(), user())))
@example(Case(((user(key=1), "finished"),), (user(), Request(0, "self", 0, 1), user())))
def test_one_dispatch_merges_as_many_do(office: Connection, case: Case) -> None:
    """Q4, Q7: one dispatch for all gives the same runs, statuses, counts, classes and reasons as one each."""
    together, one_by_one = compare(office, case)
    assert together == one_by_one


def test_the_comparison_sees_a_difference(office: Connection) -> None:
    """K13: in another order the same requests come to other runs, and the comparison says so."""
    case = Case(((tick(), "running"),), (tick(), Request(0, "hand fires one")))
    together, reversed_order = compare(office, case, lambda requests: requests[::-1])
    assert together != reversed_order
