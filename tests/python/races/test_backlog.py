"""A15, K2: one workspace's backlog of undispatched wakes does not hold up another's."""

from __future__ import annotations

from typing import Any

import pytest

from .conftest import Office, Worker

BACKLOG = 400
OTHERS = 70  # workspaces between, so that the quiet one lies in a later window of the gates
WINDOW = 64


@pytest.fixture
def flooded(office: Office) -> Office:
    """A workspace with a backlog and full slots, many idle ones, and a quiet one that is asked once, last."""
    office.agents(4)
    office.slots(1)
    office.rows("select office.create_workspace('w' || n) from generate_series(1, %s) as n", OTHERS)
    office.rows("select office.create_workspace('quiet')")
    office.agent("calm", workspace="quiet")
    worker = office.worker()
    while office.rows("select from office_internal.signals limit 1"):
        worker.claim(100)
    office.rows(
        "select from office.wake_many((select jsonb_agg(jsonb_build_object('agent', 'agent' || n %% 4,"
        " 'workspace', 'acme', 'idempotency_key', 'k' || n)) from generate_series(1, %s) as n))",
        BACKLOG,
    )
    (launch,) = worker.claim(1)
    worker.start(launch)
    office.rows("select office.wake('calm', workspace => 'quiet')")
    return office


def undispatched(office: Office, workspace: str) -> int:
    count: int = office.value(
        "select count(*) from office_internal.signals as s"
        " join office.workspaces as w on w.id = s.workspace_id"
        " where s.kind = 'wakeup' and w.name = %s",
        workspace,
    )
    return count


def claims_until_calm(office: Office, worker: Worker, most: int) -> int:
    for claims in range(1, most + 1):
        for launch in worker.claim(1):
            if launch["agent"] == "calm":
                return claims
    return most + 1


def test_another_workspaces_wake_is_claimed_while_the_backlog_stands(flooded: Office) -> None:
    """K2, K13: within one round of the windows; what the oldest signals alone show is the backlog."""
    oldest: list[dict[str, Any]] = flooded.rows(
        "select distinct w.name"
        " from (select workspace_id from office_internal.signals order by xid limit %s) as s"
        " join office.workspaces as w on w.id = s.workspace_id",
        WINDOW,
    )
    assert [row["name"] for row in oldest] == ["acme"], "without a window a claim would look nowhere else"
    gates: int = flooded.value("select count(*) from office_internal.gates")
    rounds = -(-gates // WINDOW) + 1
    most = rounds + rounds // 8 + 1  # one look in eight is at the backlog first
    assert claims_until_calm(flooded, flooded.worker(), most) <= most
    assert undispatched(flooded, "acme") > 0, "it did not wait until the backlog was worked off"
    assert undispatched(flooded, "quiet") == 0
    flooded.settle()


def test_how_much_a_claim_looks_at(flooded: Office) -> None:
    """Q11, Q13, S4: a part in proportion, each gate once, and for a worker of one workspace that one."""
    quiet = flooded.value("select id from office.workspaces where name = 'quiet'")
    idle = flooded.value("select id from office.workspaces where name = 'w1'")
    look = "select office_internal.gates_to_look_at('0', 100, %s)"
    assert flooded.value(look, quiet) == [quiet]
    assert flooded.value(look, idle) == [], "nothing is to be had there"

    before = undispatched(flooded, "acme")
    flooded.worker().claim(1)
    after_one = undispatched(flooded, "acme")
    flooded.worker().claim(100)
    after_many = undispatched(flooded, "acme")
    assert 0 <= before - after_one <= 32
    assert after_one - after_many > 100

    # What a claim leaves behind in a workspace is for after its commit: a second look would take it.
    flooded.rows("update office_internal.gates set due_at = now() - interval '1 minute'")
    gates: list[Any] = flooded.value(look, None)
    assert len(gates) > 10
    assert len(gates) == len(set(gates))
    flooded.settle()


def test_a_busy_backlog_is_not_waited_for(office: Office) -> None:
    """Q11, K2: while another worker is at the backlog, what is asked for elsewhere is claimed at once."""
    office.agent("ada")
    office.rows("select office.create_workspace('flooded')")
    office.agent("fay", workspace="flooded")
    worker = office.worker()
    office.settle()
    requests = "select office.wake('fay', workspace => 'flooded') from generate_series(1, %s)"
    office.rows(requests, 2 * WINDOW)
    worker.conn.execute("set lock_timeout = '2s'")  # a claim that waits is refused
    other = office.session()
    with other.transaction():
        other.execute(
            "select from office_internal.gates as g where g.workspace_id ="
            " (select w.id from office.workspaces as w where w.name = 'flooded') for no key update"
        )
        for _ in range(WINDOW):
            office.wake("ada")
            (launch,) = worker.claim(1)
            assert launch["agent"] == "ada"
            worker.start(launch)
            worker.finish(launch)
    while office.value("select count(*) from office.wakeups where status = 'queued'"):
        office.settle()
    office.settle()
