"""K12, N2: a session's queue by two sessions at once: its order is decided under the gate."""

from __future__ import annotations

import pytest
from support.races import Background, wait_until_blocked

from .conftest import Office, Row, Worker


@pytest.fixture
def talking(office: Office) -> tuple[Office, Worker, Row]:
    """The agent ada runs for t1, in s1, and has room for more."""
    office.agent("ada", capacity=4)
    office.task("Talk", "ada")
    worker = office.worker()
    (launch,) = worker.claim(5)
    worker.start(launch)
    return office, worker, launch


def places(office: Office) -> list[tuple[str, int]]:
    rows = office.rows(
        "select m.payload ->> 'text' as text, r.queue_position as place from office.runs as r"
        " join office.wakeups as m on m.run_id = r.id and m.source = 'message' where r.status = 'queued'"
        " order by r.queue_position"
    )
    return [(row["text"], row["place"]) for row in rows]


@pytest.mark.parametrize(
    ("verb", "order"), [("send_message", [("a", 1), ("b", 2)]), ("steer", [("b", -2), ("a", -1)])]
)
def test_two_people_write_at_once(
    talking: tuple[Office, Worker, Row], verb: str, order: list[tuple[str, int]]
) -> None:
    """N2: no place is taken twice; the second waits for the first, and goes behind or before it."""
    office, worker, launch = talking
    one, two = office.session(), office.session(patient=True)
    one.execute("begin")
    one.execute(f"select * from office.{verb}('s1', 'a')".encode())
    with Background(two, f"select * from office.{verb}('s1', 'b')") as other:
        wait_until_blocked(office.watcher, other.pid, by=one.info.backend_pid)
        one.execute("commit")
        other.rows()
    assert places(office) == order
    worker.finish(launch)
    office.settle()


def test_a_claim_does_not_pass_an_open_steer(talking: tuple[Office, Worker, Row]) -> None:
    """N2, A6: while somebody steers, the session's next run is not claimed; then the steer goes first."""
    office, worker, launch = talking
    office.rows("select office.send_message('s1', 'later')")
    worker.finish(launch)
    person = office.session()
    person.execute("begin")
    person.execute("select office.steer('s1', 'first')")
    other = office.worker(office.session(patient=True))
    with Background(other.conn, f"select * from office.claim_runs('{other.id}', 5)") as claim:
        # It passes the busy gate by, or waits for it.
        person.execute("commit")
        claim.rows()
    other.claim(5)
    (live,) = office.rows(
        "select m.payload ->> 'text' as text from office.runs r join office.wakeups m on m.run_id = r.id"
        " where r.status = 'claimed'"
    )
    assert live["text"] == "first"
    assert places(office) == [("later", 1)]
    office.rows("select office.expire_worker(id) from office.workers where ended_at is null")
    office.settle()


def test_a_message_meets_the_end_of_its_session(talking: tuple[Office, Worker, Row]) -> None:
    """N1: who writes while the task is given away waits, and is told: nothing waits in an ended session."""
    office, worker, launch = talking
    office.agent("bob")
    office.rows("select office.assign_task('t1', 'bob')")
    ending, writing = office.session(), office.session(patient=True)
    ending.execute("begin")
    ending.execute("select office.dispatch('acme')")
    with Background(writing, "select * from office.send_message('s1', 'late')") as late:
        wait_until_blocked(office.watcher, late.pid, by=ending.info.backend_pid)
        ending.execute("commit")
        late.wait()
    assert "s1 has ended: reassigned." in str(late.error)
    assert places(office) == []
    worker.finish(launch)
    office.settle()
