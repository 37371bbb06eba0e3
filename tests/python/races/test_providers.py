"""Provider accounts span workspaces: limits and probes under many claimers at once (Q25, S6, A6). sc-W23"""

from __future__ import annotations

import json

import pytest
from support.races import Background

from .conftest import Connection, Office, Row, Worker, together
from .test_decisions import ask

PROVIDER = "anthropic:team"
WORKSPACES = 4
CLAIM = "select * from office.claim_runs(%s, 10) where run_id is not null"
LIMITED = "API Error: 429 Too Many Requests. Retry-After: 3600"


def spending(office: Office, agents: int, *, workspaces: int = WORKSPACES) -> list[str]:
    """Agents of one account, spread over workspaces with room for all of them; as workspace/agent."""
    names = []
    for n in range(agents):
        workspace = f"space{n % workspaces}"
        if n < workspaces:
            office.rows("select office.create_workspace(%s)", workspace)
            office.rows("select office.set_setting('max_concurrent_runs', '8', %s)", workspace)
        office.agent(f"agent{n}", workspace=workspace)
        names.append(f"{workspace}/agent{n}")
        office.rows(
            "select office.update_agent(%s, %s)",
            names[-1],
            json.dumps({"executor": {"command": ["true"], "provider": PROVIDER}}),
        )
    return names


def wake_all(office: Office, agents: list[str]) -> None:
    for agent in agents:
        office.rows("select office.wake(%s)", agent)


def most_at_once(office: Office) -> int:
    """The most attempts of the account that were live at one instant, by times read under gates (K9)."""
    return int(
        office.value(
            """
            with spent as (
              select a.claimed_at, coalesce(a.ended_at, 'infinity') as ended_at
              from office.attempts a
              join office.runs r on r.id = a.run_id
              join office.executors x on x.id = r.executor_id and x.provider = %s
            ),
            moves (at, step) as (
              select claimed_at, 1 from spent union all select ended_at, -1 from spent
            )
            select coalesce(max(n), 0) from (select sum(step) over (order by at, step) as n from moves) as s
            """,
            PROVIDER,
        )
    )


def launched(worker: Worker, number: int = 10) -> list[Row]:
    return worker.conn.execute(CLAIM.replace("10", str(number)), [worker.id]).fetchall()


def drain(worker: Worker, done: list[Row], runs: int) -> None:
    """Claim, start and finish, together with others, until all runs are done."""
    while len(done) < runs:
        for launch in launched(worker, 2):
            worker.start(launch)
            worker.finish(launch)
            done.append(launch)


@pytest.mark.parametrize("limit", [1, 2])
def test_sixteen_runs_at_once_never_pass_the_limit(office: Office, limit: int) -> None:
    """S6, Q11, A6: 16 runs of one account in 4 workspaces, 8 claimers, limit 2: never 3 live, all done."""
    agents = spending(office, 16)
    office.rows("select office.set_provider_limit(%s, %s)", PROVIDER, limit)
    wake_all(office, agents)
    done: list[Row] = []
    workers = [office.worker(office.session(patient=True)) for _ in range(8)]
    together(*[lambda worker=worker: drain(worker, done, len(agents)) for worker in workers])
    assert most_at_once(office) == limit
    assert office.value("select count(*) from office.runs where outcome = 'succeeded'") == len(agents)


def test_counting_without_the_accounts_row_passes_the_limit(office: Office) -> None:
    """K13: two claims that count before they claim, without the row of the account, both find room."""
    agents = spending(office, 2, workspaces=2)
    wake_all(office, agents)
    office.rows("select office.dispatch()")
    sessions = [office.session(), office.session()]
    seen = []
    for conn in sessions:
        conn.autocommit = False
        worker = office.worker()
        row = conn.execute("select office_internal.count_requests(%s) as n", [PROVIDER]).fetchone()
        assert row is not None
        seen.append(row["n"])
        assert len(conn.execute(CLAIM.replace("10", "1"), [worker.id]).fetchall()) == 1
    for conn in sessions:
        conn.commit()
    assert seen == [0, 0]
    assert office.value("select office_internal.count_requests(%s)", PROVIDER) == 2


def held(office: Office, agents: list[str]) -> None:
    """The account is on hold, its limit has reset, and all but the first agent have a run to try."""
    office.rows("select office.wake(%s)", agents[0])
    worker = office.worker()
    (launch,) = worker.claim(1)
    worker.start(launch)
    worker.conn.execute("select office.fail_attempt(%s, %s)", [launch["attempt_id"], LIMITED])
    wake_all(office, agents[1:])
    assert launched(worker) == []
    assert office.value("select count(*) from office.runs where parked = 'provider'") == len(agents) - 1
    office.rows("update office.provider_holds set until = office.now() - interval '1 second'")


def test_of_two_claimers_one_has_the_probe(office: Office) -> None:
    """Q25, A6: the second claimer finds the account being decided on, does not wait, and looks again."""
    held(office, spending(office, 3, workspaces=3))
    office.rows("select office.dispatch('space0')")  # where the limit was hit: it tells the others
    one, two = office.session(), office.session()
    one.autocommit = two.autocommit = False
    first, second = office.worker(), office.worker()
    office.rows(
        """
        update office.workers k set only_workspace_id = w.id
        from office.workspaces w where w.name = case k.id when %s then 'space1' when %s then 'space2' end
        """,
        first.id,
        second.id,
    )
    (probe,) = one.execute(CLAIM, [first.id]).fetchall()
    assert two.execute(CLAIM, [second.id]).fetchall() == []
    two.commit()
    assert office.value(
        """
        select count(*) from office_internal.signals s
        join office.workspaces w on w.id = s.workspace_id and w.name = 'space2'
        """
    ), "somebody looks again"
    assert launched(second) == []
    one.commit()
    assert launched(second) == []
    assert office.value("select count(*) from office.runs where status = 'claimed'") == 1
    assert office.audit() == []
    first.start(probe)
    first.finish(probe)
    assert office.value("select ended_by from office.provider_holds") == "probe"
    office.rows("select office.dispatch('space0')")
    assert [run["agent"] for run in launched(second)] == ["agent2"]


def test_many_claimers_try_one_at_a_time(office: Office) -> None:
    """Q25, sc-W23: probe after probe fails; never two at once, and then all are done."""
    agents = spending(office, 12)
    held(office, agents)
    failed: list[Row] = []
    done: list[Row] = []
    runs = len(agents) - 1

    def work(worker: Worker) -> None:
        while len(done) < runs - 3:
            for launch in launched(worker, 2):
                worker.start(launch)
                if len(failed) < 3:
                    failed.append(launch)
                    worker.fail(launch)
                else:
                    worker.finish(launch)
                    done.append(launch)

    workers = [office.worker(office.session(patient=True)) for _ in range(8)]
    together(*[lambda worker=worker: work(worker) for worker in workers])
    probes = office.value(
        """
        select count(*) from office.attempts a, office.attempts b, office.provider_holds h
        where a.id < b.id and a.outcome = 'failed' and b.outcome = 'failed' and b.claimed_at < a.ended_at
          and a.claimed_at > h.since
        """
    )
    assert probes == 0, "two probes at once"
    assert office.value("select ended_by from office.provider_holds") == "probe"


def test_an_end_and_a_claim_miss_nobody(office: Office) -> None:
    """S6, A6: a run that is parked while the place it waits for is being freed goes all the same."""
    agents = spending(office, 2, workspaces=2)
    office.rows("select office.set_provider_limit(%s, 1)", PROVIDER)
    office.rows("select office.wake(%s)", agents[0])
    worker = office.worker()
    (launch,) = worker.claim(1)
    worker.start(launch)
    office.rows("select office.wake(%s)", agents[1])
    ending, claiming = office.session(), office.session()
    ending.autocommit = claiming.autocommit = False
    ending.execute("select office.finish_attempt(%s)", [launch["attempt_id"]])
    other = office.worker()
    assert claiming.execute(CLAIM, [other.id]).fetchall() == [], "the place is not free yet"
    ending.commit()
    claiming.commit()
    goes = [run for _ in range(3) for run in launched(other)]
    assert [run["agent"] for run in goes] == ["agent1"]
    other.start(goes[0])
    other.finish(goes[0])


def test_a_claim_and_a_new_limit_agree(office: Office) -> None:
    """S6: a limit that is set while a claim is under way counts what that has claimed."""
    agents = spending(office, 2, workspaces=1)
    wake_all(office, agents)
    claiming: Connection = office.session()
    claiming.autocommit = False
    worker = office.worker()
    claimed = claiming.execute(CLAIM, [worker.id]).fetchall()
    assert len(claimed) == 2
    setting = Background(
        office.session(patient=True), "select * from office.set_provider_limit(%s, 1)", [PROVIDER]
    )
    with setting:
        claiming.commit()
        assert setting.rows()[0]["requests"] == 2
    assert office.audit() == []


def test_an_answer_and_a_claim_agree(office: Office) -> None:
    """S6, A6: a run goes on after an answer while a claim, unseen, takes the last place: one more is allowed.

    The answer waits for nobody, and with the next end the account is as it was.
    """
    agents = spending(office, 2, workspaces=2)
    office.rows("select office.set_provider_limit(%s, 1)", PROVIDER)
    office.rows("select office.wake(%s)", agents[0])
    worker, other = office.worker(), office.worker()
    (asking,) = worker.claim(1)
    worker.start(asking)
    question = ask(office, asking)
    office.rows("select office.wake(%s)", agents[1])
    office.rows(
        "update office.workers as k set only_workspace_id = w.id from office.workspaces as w"
        " where k.id = %s and w.name = 'space1'",
        other.id,
    )
    claiming: Connection = office.session()
    claiming.autocommit = False
    (claimed,) = claiming.execute(CLAIM, [other.id]).fetchall()
    office.rows("select office.answer(%s, 'yes')", question)
    claiming.commit()
    assert office.value("select office_internal.count_requests(%s)", PROVIDER) == 2
    assert office.audit() == []
    other.start(claimed)
    other.finish(claimed)
    assert office.value("select excess from office.provider_limits") == 0
    assert office.audit() == []


def test_two_that_hit_the_limit_at_once_make_one_hold(office: Office) -> None:
    """Q25: one open hold an account, until the later reset."""
    agents = spending(office, 2, workspaces=2)
    wake_all(office, agents)
    worker = office.worker()
    launches = launched(worker) + launched(worker)
    for launch in launches:
        worker.start(launch)
    first, second = office.session(patient=True), office.session(patient=True)
    first.autocommit = False
    first.execute(
        "select office.fail_attempt(%s, 'rate limit, retry-after: 7200')", [launches[0]["attempt_id"]]
    )
    with Background(
        second, "select office.fail_attempt(%s, %s)", [launches[1]["attempt_id"], LIMITED]
    ) as other:
        first.commit()
        other.rows()
    (hold,) = office.rows("select until - since as lasts from office.provider_holds where ended_at is null")
    assert 7200 <= hold["lasts"].total_seconds() <= 7300
