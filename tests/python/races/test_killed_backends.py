"""sc-W20: a backend that is killed at any moment leaves nothing or the whole (Q8)."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable
from typing import Any

import psycopg
import pytest
from psycopg.types.json import Jsonb

from .conftest import Connection, Office

ROUNDS = 40
STARTED = "call-started"


def killed_at_random(office: Office, act: Callable[[Connection], object], dice: random.Random) -> bool:
    """Run `act` in a session of its own and end its backend some time on; True when that hit it.

    The killer looks at pg_stat_activity until the session works, and strikes so many looks later.
    """
    session = office.session(patient=True)
    pid = session.info.backend_pid
    looks = dice.randrange(30)
    finished = threading.Event()

    def kill() -> None:
        left = looks
        while not finished.is_set():
            (state,) = office.watcher.execute(
                "select state from pg_stat_activity where pid = %s", [pid]
            ).fetchone() or ("gone",)
            if state == "active" or left < looks:
                left -= 1
            if left < 0:
                office.watcher.execute("select pg_terminate_backend(%s)", [pid])
                return

    killer = threading.Thread(target=kill)
    killer.start()
    try:
        act(session)
    except psycopg.OperationalError:
        return True
    finally:
        finished.set()
        killer.join()
    return False


def wake(office: Office) -> Callable[[Connection], object]:
    return lambda session: session.execute(
        "select office.wake_many(%s)",
        [Jsonb([{"agent": "acme/ada", "payload": {"context": n}} for n in range(20)])],
    )


def dispatch(office: Office) -> Callable[[Connection], object]:
    office.wake("ada")
    office.task("Work", "bob")
    return lambda session: session.execute("select office.dispatch('acme')")


def claim(office: Office) -> Callable[[Connection], object]:
    office.wake("ada")
    office.task("Work", "bob")
    worker = office.worker()
    return lambda session: session.execute("select * from office.claim_runs(%s, 10)", [worker.id])


def finish(office: Office) -> Callable[[Connection], object]:
    office.wake("ada")
    worker = office.worker()
    ends = [{"attempt_id": str(launch["attempt_id"])} for launch in worker.claim(10)]
    # Unseen: the end has a follow-up run to make.
    office.wake("ada")
    return lambda session: session.execute("select * from office.finish_attempts(%s)", [Jsonb(ends)])


def sweep(office: Office) -> Callable[[Connection], object]:
    office.wake("ada")
    worker = office.worker()
    for launch in worker.claim(10):
        worker.start(launch)
    return lambda session: session.execute("select office.expire_worker(%s)", [worker.id])


@pytest.mark.parametrize("act", [wake, dispatch, claim, finish, sweep], ids=lambda act: act.__name__)
def test_nothing_or_the_whole(office: Office, act: Callable[[Office], Callable[[Connection], Any]]) -> None:
    """sc-W20, Q8: after each kill the books are in order, and what was asked for settles."""
    seed = random.randrange(10**6)
    dice = random.Random(seed)
    office.agent("ada", capacity=3)
    office.agent("bob", capacity=3)
    office.slots(8)
    hits = 0
    for _ in range(ROUNDS):
        hits += killed_at_random(office, act(office), dice)
        assert office.audit() == [], f"seed {seed}"
        # The launches of a killed claim are nobody's: their worker is dead too.
        office.rows("select office.expire_worker(id) from office.workers where ended_at is null")
        office.rows("select office.retry_run('r' || number) from office.runs where status = 'interrupted'")
    office.settle()
    left = office.rows("select status, count(*) as n from office.runs where ended_at is null group by 1")
    assert left == [], f"seed {seed}"
    waiting = office.rows(
        "select status, count(*) as n from office.wakeups where status in ('queued', 'claimed') group by 1"
    )
    assert waiting == [], f"seed {seed}"
    assert hits > 0, f"seed {seed}: no kill hit"
