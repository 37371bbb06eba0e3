"""sc-W25, Q15, A9: what the signals' notifications say, and how often."""

from __future__ import annotations

from psycopg import Notify
from psycopg.types.json import Jsonb

from .conftest import Connection, Office

WAKES = 10_000


def listener(office: Office, channel: str) -> Connection:
    session = office.session()
    session.execute(f"listen {channel}".encode())
    return session


def heard(session: Connection) -> list[Notify]:
    """What has come so far: a statement of the listener's own brings all that was sent before it."""
    session.execute("select 1")
    return list(session.notifies(timeout=0))


def test_ten_thousand_wakes_send_one_notification(office: Office) -> None:
    """sc-W25: in one transaction, by one call and by many."""
    office.agent("ada")
    office.settle()
    session = listener(office, "office_work")
    with office.owner.transaction():
        office.rows("select office.wake_many(%s)", Jsonb([{"agent": "acme/ada"}] * (WAKES - 100)))
        for _ in range(100):
            office.wake("ada")
    (one,) = heard(session)
    assert one.payload == "", "it carries nothing that matters"
    assert office.value("select count(*) from office.wakeups where status = 'queued'") == WAKES
    office.settle()
    assert office.value("select count(*) from office.wakeups where status in ('queued', 'claimed')") == 0


TICKETS = """
create schema shop;
create table shop.tickets (id integer primary key, subject text);
create trigger wake after insert on shop.tickets
for each row execute function office.wake_agent('ada', 'acme')
"""


def test_a_thousand_rows_of_another_table_send_one_notification(office: Office) -> None:
    """Q28, sc-W26: by INSERT and by COPY: a key a row, one run, one notification; rolled back: nothing."""
    office.agent("ada")
    office.settle()
    office.rows(TICKETS)
    session = listener(office, "office_work")
    with office.owner.transaction(force_rollback=True):
        office.rows("insert into shop.tickets select n from generate_series(1, 10) as n")
    assert heard(session) == []
    assert office.value("select count(*) from office.wakeups") == 0
    office.rows("insert into shop.tickets select n, 'typed' from generate_series(1, 1000) as n")
    assert len(heard(session)) == 1
    with office.owner.cursor() as cursor, cursor.copy("copy shop.tickets from stdin") as copy:
        for n in range(1001, 2001):
            copy.write_row((n, "copied"))
    assert len(heard(session)) == 1
    assert office.value("select count(distinct idempotency_key) from office.wakeups") == 2000
    while office.value("select count(*) from office.wakeups where status = 'queued'"):
        office.rows("select office.dispatch('acme')")
    office.settle()
    assert office.rows("select agent_id is not null as of_ada, coalesced_count, result from office.runs") == [
        {"of_ada": True, "coalesced_count": 2000, "result": "succeeded"}
    ]


def test_a_wake_that_rolls_back_is_not_announced(office: Office) -> None:
    """sc-W7, Q15."""
    office.agent("ada")
    office.settle()
    session = listener(office, "office_work")
    with office.owner.transaction(force_rollback=True):
        office.wake("ada")
    assert heard(session) == []


def test_stops_and_ends_are_announced(office: Office) -> None:
    """P2, Q10: office_stop tells launchers, office_end whoever waits for a result."""
    office.agent("ada")
    worker, launch = office.running("ada")
    stops, ends = listener(office, "office_stop"), listener(office, "office_end")
    office.rows("select office.stop(%s)", launch["run"])
    assert len(heard(stops)) == 1
    assert heard(ends) == []
    worker.finish(launch)
    assert len(heard(ends)) == 1
    office.settle()


def test_whoever_missed_the_notification_finds_the_work(office: Office) -> None:
    """Q15: nothing hangs on it: any claim takes what is there, and then says when to ask again."""
    office.agent("ada")
    office.wake("ada")
    worker = office.worker()
    (launch,) = worker.claim(1)
    worker.fail(launch)
    worker.claim(1)
    due = office.value("select next_due_at from office.claim_runs(%s, 1) where run_id is null", worker.id)
    assert due == office.run(launch)["scheduled_retry_at"]
    office.settle()


def test_who_waits_for_a_skipped_wake_is_told(office: Office) -> None:
    """Q27, Q15: a wake that the loop guard skips is settled, and that is announced."""
    office.agent("ada")
    office.settle()
    session = listener(office, "office_end")
    office.wake("ada")
    office.rows("update office.wakeups set depth = 21 where status = 'queued'")
    assert heard(session) == []
    office.settle()
    assert office.value("select reason from office.wakeups") == "loop_guard"
    assert len(heard(session)) == 1
