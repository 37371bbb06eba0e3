"""K8: the programs of the benchmark run, each as small as it can be, with the checks that they make."""

from __future__ import annotations

import argparse
from pathlib import Path

import chart
import contention
import peers
import psycopg
import pytest
import report
import run
from furnish import Worker, furnish, wake
from server import database, office
from waiting import REASONS, Waiting, queue

TINY = ["--agents", "20", "--wakeups", "20", "--commit", "off", "--profile", "--dry"]
TINY += [
    "--queued",
    "100",
    "--claims",
    "10",
    "--minutes",
    "0.01",
    "--runs",
    "6",
    "--workspaces",
    "2",
    "--workers",
    "2",
]


@pytest.fixture
def tiny() -> argparse.Namespace:
    return run.options().parse_args(TINY)


def test_k1_the_drain_is_measured_with_its_calls_and_its_profile(
    cluster_dsn: str, tiny: argparse.Namespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    def none() -> None:
        raise peers.Unavailable("nobody asked")

    monkeypatch.setattr(peers, "install", none)
    table, calls, profile = run.k1(cluster_dsn, tiny)
    assert [row[4] for row in table.rows] == [
        "sets of 200",
        "sets of 200 on 2 connections",
        "sets of 200 on 4 connections",
        "one by one, 20 of them",
    ]
    assert "No peers: nobody asked." in table.notes
    assert {row[0] for row in calls.rows} >= {"claim_runs", "finish_attempts"}
    # The thirty that cost most themselves: this one makes the launches.
    assert "make_launches" in {row[0] for row in profile.rows}


@pytest.mark.parametrize(
    "mode", [mode for mode in peers.MODES if mode.name == "best"], ids=lambda mode: mode.peer
)
def test_k1_a_peer_drains_its_own_jobs(cluster_dsn: str, mode: peers.Mode) -> None:
    try:
        peers.install()
    except peers.Unavailable as why:
        pytest.skip(f"its package cannot be had: {why}")
    with database(cluster_dsn, commit="off") as dsn:
        drained = peers.drain(mode, dsn, 10)
    assert drained.asking > 0 and drained.draining > 0


@pytest.mark.parametrize("waiting", REASONS, ids=lambda waiting: waiting.why)
def test_k2_runs_wait_for_the_reason_that_is_measured(cluster_dsn: str, waiting: Waiting) -> None:
    with office(cluster_dsn, commit="off") as dsn, psycopg.connect(dsn, autocommit=True) as conn:
        queue(conn, waiting, 100)
        with waiting.hold(dsn):
            assert Worker(conn, 100).claim() == []
        waits = conn.execute(
            "select (select count(*) from office.runs where status = 'queued') + count(*) "
            "from office.wakeups where status = 'queued'"
        ).fetchone()
        assert waits is not None and 90 <= waits[0] <= 100
        assert conn.execute("select * from office.audit()").fetchall() == []


def test_k2_a_claim_and_the_plain_query_find_the_run_that_can_start(
    cluster_dsn: str, tiny: argparse.Namespace
) -> None:
    tiny.why = ["busy"]
    median, p99, without_prompt, plain = run.k2(cluster_dsn, tiny)
    for table in (median, p99, without_prompt, plain):
        assert [row[0] for row in table.rows] == ["agents busy"]
        assert float(table.rows[0][1]) > 0


def test_k3_the_office_is_measured_with_an_old_snapshot_held(
    cluster_dsn: str, tiny: argparse.Namespace
) -> None:
    (table,) = run.k3(cluster_dsn, tiny)
    assert [row[0] for row in table.rows] == [
        "p99 from wake to launch, ms",
        "runs/s at full speed, asking included",
    ]


def test_k6_workers_contend_and_limits_hold(cluster_dsn: str, tiny: argparse.Namespace) -> None:
    (table,) = run.k6(cluster_dsn, tiny)
    assert table.rows[0][0] == "2" and table.rows[0][2] == "1.00"


def test_k6_the_check_of_limits_can_fail(cluster_dsn: str) -> None:

    with office(cluster_dsn, commit="off") as dsn, psycopg.connect(dsn, autocommit=True) as conn:
        agents = furnish(conn, 1, 4)
        wake(conn, agents)
        Worker(conn, 4).drain(4)
        contention.check(conn, 4)
        # As if all four had run at the same time.
        conn.execute("set session_replication_role = replica")
        conn.execute("update office.attempts set claimed_at = (select min(claimed_at) from office.attempts)")
        conn.execute("update office.attempts set ended_at = (select max(ended_at) from office.attempts)")
        with pytest.raises(AssertionError, match=r"\(4, 1\) at once"):
            contention.check(conn, 4)


def test_t8_blockers_and_ends_leave_one_signal_a_task_at_most(
    cluster_dsn: str, tiny: argparse.Namespace
) -> None:
    tiny.tasks, tiny.ends = [200], 2
    (table,) = run.t8(cluster_dsn, tiny)
    ((tasks, blockers, *_, signals),) = table.rows
    # Of each group the first three wait for fewer.
    assert (tasks, blockers) == ("200", "588") and 0 < float(signals) <= 1


def test_k8_a_section_replaces_the_one_of_its_rule_and_leaves_the_others(tmp_path: Path) -> None:
    def section(rule: str, figure: str) -> report.Section:
        table = report.Table("a table", ("what", "figure"))
        table.add("it", figure)
        return report.Section(rule, "Title", "settings", [table])

    path = tmp_path / "RESULTS.md"
    report.write([section("K2", "20"), section("K1", "10")], path)
    report.write([section("K2", "21")], path)
    text = path.read_text()
    assert text.index("## K1") < text.index("## K2")
    assert "| it | 10 |" in text and "| it | 21 |" in text and "| it | 20 |" not in text


def test_k8_the_chart_shows_every_bar_with_its_ratio_to_ours() -> None:
    drawn = chart.draw("Title", "footer", [chart.Bar("ours", 1000, ours=True), chart.Bar("a <peer>", 250)])
    assert "1,000/s<" in drawn and "250/s, 0.25 times<" in drawn and "a &lt;peer&gt;" in drawn
