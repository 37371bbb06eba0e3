"""S4, P7, A6: one run a folder, whichever workspace it is of, and nobody waits for a folder that is free."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Iterator

import psycopg
import pytest
from support.races import DEADLINE, Background, wait_until_blocked

from .conftest import Connection, Office, Row, Worker

FOLDER = "/srv/site"


class Here(Worker):
    """A worker that claims for one workspace."""

    def __init__(self, conn: Connection, workspace: str) -> None:
        self.conn = conn
        self.id = self._one(
            "select worker_id from office.register_worker('here', max_runs => 100, workspace => %s)",
            workspace,
        )["worker_id"]

    def clean(self, launch: Row) -> None:
        self.conn.execute("select office.confirm_cleanup(%s)", [launch["attempt_id"]])

    def end(self, launch: Row) -> None:
        self.finish(launch)
        self.clean(launch)


def works_in(office: Office, workspace: str, agent: str, folder: str) -> None:
    office.rows(
        """
        select office.create_agent(%s, jsonb_build_object('command', array['true'], 'folder', %s::text),
          workspace => %s, cooldown_sec => 0)
        """,
        agent,
        folder,
        workspace,
    )


@pytest.fixture
def two(office: Office) -> Iterator[tuple[Here, Here]]:
    """Two workspaces, each with an agent that works in the folder, or inside it, and a run that waits."""
    office.rows("select office.create_workspace('bolt')")
    works_in(office, "acme", "ada", FOLDER)
    works_in(office, "bolt", "ben", FOLDER + "/src")
    for agent in ("acme/ada", "bolt/ben"):
        office.rows("select office.wake(%s)", agent)
    office.rows("select office.dispatch()")
    yield Here(office.session(), "acme"), Here(office.session(), "bolt")
    assert office.audit() == []


def test_s4_a_claim_under_way_is_not_waited_for_and_not_overlooked(
    office: Office, two: tuple[Here, Here]
) -> None:
    """A6, K12: the second neither waits (its lock_timeout would tell) nor takes what the first has."""
    acme, bolt = two
    with acme.conn.transaction():
        (first,) = acme.claim()
        assert bolt.claim() == []
        assert bolt.claim() == []
        held = office.watcher.execute(
            "select count(*) from pg_locks where pid = %s and relation = 'office_internal.shared'::regclass",
            [acme.conn.info.backend_pid],
        ).fetchone()
        assert held == (1,), "by the row of the host"
    assert bolt.claim() == [], "it is taken now"
    acme.start(first)
    acme.finish(first)
    assert bolt.claim() == [], "and being cleaned up"
    acme.clean(first)
    acme.claim()  # whose dispatch tells the other workspace
    (second,) = bolt.claim()
    bolt.start(second)
    bolt.end(second)


def test_s4_without_the_hosts_row_both_are_live(office: Office, two: tuple[Here, Here]) -> None:
    """K13: who only looks whether anybody holds the folder finds nobody, and the books tell."""
    acme, bolt = two
    office.rows(
        "do $do$ begin execute replace("
        "pg_get_functiondef('office_internal.take_resources(uuid[])'::regprocedure),"
        " 'for no key update skip locked', ''); end $do$"
    )
    with acme.conn.transaction():
        acme.claim()
        (second,) = bolt.claim()
    assert "no two runs hold one key" in {row["invariant"] for row in office.audit()}
    bolt.start(second)
    bolt.end(second)


@pytest.mark.parametrize("killed", [False, True])
def test_s4_a_claim_that_is_undone_leaves_nothing(
    office: Office, two: tuple[Here, Here], killed: bool
) -> None:
    """Q8: by a rollback, or by the end of its backend after the claim."""
    acme, bolt = two
    acme.conn.autocommit = False
    acme.claim()
    assert bolt.claim() == []
    if killed:
        office.watcher.execute("select pg_terminate_backend(%s, 5000)", [acme.conn.info.backend_pid])
        with pytest.raises(psycopg.OperationalError):
            acme.conn.execute("select 1")
    else:
        acme.conn.rollback()
    (second,) = bolt.claim()
    bolt.start(second)
    bolt.end(second)
    (first,) = Here(office.session(), "acme").claim()
    assert first["agent"] == "ada"


def test_p7_who_parks_while_the_folder_is_being_freed_goes_when_it_is(two: tuple[Here, Here]) -> None:
    """The freeing transaction is open: what parks meanwhile, and looks again meanwhile, is told after it."""
    acme, bolt = two
    (first,) = acme.claim()
    acme.start(first)
    acme.finish(first)
    with acme.conn.transaction():
        acme.clean(first)
        assert bolt.claim() == []
        assert bolt.claim() == [], "its second look"
    acme.claim()
    (second,) = bolt.claim()
    bolt.start(second)
    bolt.end(second)


def test_p7_who_is_still_parking_when_the_folder_is_freed_goes_too(
    office: Office, two: tuple[Here, Here]
) -> None:
    """The parking transaction is open: whoever tells the others of the free folder cannot see it yet."""
    acme, bolt = two
    (first,) = acme.claim()
    acme.start(first)
    acme.finish(first)
    with bolt.conn.transaction():
        assert bolt.claim() == []
        parked = bolt.conn.execute(
            "select count(*) as n from office.runs where parked = 'resource'"
        ).fetchone()
        assert parked == {"n": 1}
        acme.clean(first)
        acme.claim()
        assert office.value("select count(*) from office_internal.signals where kind = 'freed'") == 0, "told"
    (second,) = bolt.claim()
    bolt.start(second)
    bolt.end(second)


def test_s4_a_folder_that_is_added_meets_the_claim_under_way(office: Office, two: tuple[Here, Here]) -> None:
    """add_resource waits for the claim's end by the host's row, not for the folder, and sees the claim."""
    acme, bolt = two
    office.agent("free")
    office.wake("free")
    office.rows("update office.agents set status = 'paused' where name = 'ada'")
    (free,) = acme.claim()
    acme.start(free)
    adder = office.session(patient=True)
    add = "select office.add_resource(%s, %s) as others"
    bolt.conn.autocommit = False
    (second,) = bolt.claim()
    with Background(adder, add, [free["attempt_id"], f"folder:server:{FOLDER}"]) as adding:
        wait_until_blocked(office.watcher, adding.pid, by=bolt.conn.info.backend_pid)
        bolt.conn.commit()
        assert adding.rows() == [{"others": 1}]
    bolt.conn.autocommit = True
    bolt.start(second)
    bolt.end(second)
    acme.end(free)


def test_s4_k2_a_look_costs_the_same_however_many_keys_are_held(
    office: Office, two: tuple[Here, Here]
) -> None:
    """A13: by index, with tables that nobody has analysed; in pages, which are the same everywhere."""
    acme, _ = two
    (launch,) = acme.claim()
    pages = []
    for many in (100, 20_000):
        with office.owner.transaction():
            office.rows("set local session_replication_role = replica")
            office.rows(
                """
                insert into office.resources (attempt_id, key, run_id, workspace_id, taken_at)
                select office.uuid7(), 'folder:server:/elsewhere/' || n, %s, %s, now()
                from generate_series(1, %s) as n
                """,
                launch["run_id"],
                launch["workspace_id"],
                many,
            )
            office.rows("set local session_replication_role = origin")
            office.rows("set local plan_cache_mode = force_generic_plan")
            office.rows("set local enable_seqscan = off")  # as the claim does
            look = "select * from office_internal.resource_holders(array(select id from office.runs))"
            assert len(office.rows(look)) == 2
            (plan,) = office.value(f"explain (analyze, buffers, format json) {look}")
            pages.append(plan["Plan"]["Shared Hit Blocks"] + plan["Plan"]["Shared Read Blocks"])
            raise psycopg.Rollback
    assert pages[1] <= 1.5 * pages[0] + 20, pages
    acme.start(launch)
    acme.end(launch)


@pytest.mark.parametrize("seed", range(3))
def test_s4_k9_many_claimers_one_folder_never_two_at_once(office: Office, seed: int) -> None:
    """K9: a sweep over claimed and cleaned times; and none of those that waited is left behind."""
    dice = random.Random(seed)
    workspaces, each = ("acme", "bolt", "cole"), 6
    for workspace in workspaces:
        if workspace != "acme":
            office.rows("select office.create_workspace(%s)", workspace)
        for n in range(each):
            works_in(office, workspace, f"a{n}", FOLDER + dice.choice(("", "", "/src", "/src/x", "-2")))
            office.rows("select office.wake(%s)", f"{workspace}/a{n}")
    failures: list[BaseException] = []
    until = time.monotonic() + 3 * DEADLINE

    def work(worker: Here) -> None:
        try:
            mine = random.Random(dice.random())
            while time.monotonic() < until and office_has_work(worker.conn):
                for launch in worker.claim(3):
                    if mine.random() < 0.1:
                        worker.conn.execute("select office.give_back(%s, '{}')", [worker.id])
                        break
                    worker.start(launch)
                    worker.finish(launch)
                    worker.clean(launch)
        except BaseException as error:
            failures.append(error)

    def office_has_work(conn: Connection) -> bool:
        return bool(conn.execute("select 1 from office.runs where ended_at is null limit 1").fetchall())

    office.rows("select office.dispatch()")
    threads = [
        threading.Thread(target=work, args=(Here(office.session(patient=True), workspace),))
        for workspace in workspaces
        for _ in range(2)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert office.value("select count(*) from office.runs where outcome = 'succeeded'") == each * len(
        workspaces
    )
    overlaps = office.rows(
        """
        with held as (
          select a.id, a.claimed_at, coalesce(a.cleaned_at, a.ended_at) as gone_at,
            rtrim(x.body ->> 'folder', '/') || '/' as folder
          from office.attempts as a
          join office.runs as r on r.id = a.run_id
          join office.executors as x on x.id = r.executor_id
        )
        select a.folder, b.folder as other from held as a join held as b on a.id < b.id
        where (starts_with(a.folder, b.folder) or starts_with(b.folder, a.folder))
          and a.claimed_at < b.gone_at and b.claimed_at < a.gone_at
        """
    )
    assert overlaps == []
    assert office.audit() == []
