"""K12, D3, D4: a decision is made once. Answers against answers, ends and expiry."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest
from support.races import Background, wait_until_blocked

from .conftest import Office, Row, Worker, together


@pytest.fixture
def asked(office: Office) -> tuple[Office, Worker, Row, str]:
    """The run of ada waits for d…; its worker, and its launch."""
    office.agent("ada")
    worker, launch = office.running("ada")
    return office, worker, launch, ask(office, launch)


def ask(office: Office, launch: Row, more: str = "") -> str:
    """The decision that the agent of a launch asks for."""
    session = office.session()
    session.execute("begin")
    session.execute("select office.act_with(%s)", [launch["token"]])
    row = session.execute(f"select decision from office.ask('Go?'{more})".encode()).fetchone()
    session.execute("commit")
    session.close()
    assert row
    decision: str = row["decision"]
    return decision


def said(statement: Background) -> str:
    """What was answered: the status that the statement left, or what it was refused with."""
    try:
        statement.rows()
    except psycopg.Error as error:
        assert error.sqlstate == "PT409", error
        return error.diag.message_primary or ""
    return "done"


def race(office: Office, first: str, second: str, end: str = "commit") -> str:
    """The second waits for the first, which is open; what it then says."""
    one, two = office.session(), office.session(patient=True)
    one.execute("begin")
    one.execute(first.encode())
    with Background(two, second) as other:
        wait_until_blocked(office.watcher, other.pid, by=one.info.backend_pid)
        one.execute(end.encode())
        return said(other)


def decision(office: Office, number: str) -> Row:
    (row,) = office.rows("select * from office.decisions where 'd' || number = %s", number)
    return row


def wind_up(office: Office) -> None:
    office.rows("select office.expire_worker(id) from office.workers where ended_at is null")
    office.rows("select office.stop('workspace:acme')")
    office.settle()


YES = "select * from office.answer('{0}', 'yes')"
NO = "select * from office.answer('{0}', 'no')"


def test_two_people_answer(asked: tuple[Office, Worker, Row, str]) -> None:
    """sc-D1, D3: the first answer wins, the other is told."""
    office, _, launch, number = asked
    assert race(office, YES.format(number), NO.format(number)) == "Already answered."
    assert decision(office, number)["choice"] == "yes"
    assert office.run(launch)["status"] == "running"
    wind_up(office)


def test_an_answer_that_rolls_back_was_none(asked: tuple[Office, Worker, Row, str]) -> None:
    """D3: the other then answers as if alone."""
    office, _, _, number = asked
    assert race(office, YES.format(number), NO.format(number), "rollback") == "done"
    assert decision(office, number)["choice"] == "no"
    wind_up(office)


def test_a_hand_answers_against_a_person(asked: tuple[Office, Worker, Row, str]) -> None:
    """D3, A6: a plain UPDATE takes all gates: the first of both wins."""
    office, _, launch, number = asked
    hand = f"update office.decisions set status = 'answered', choice = 'no' where 'd' || number = '{number}'"
    assert race(office, hand, YES.format(number)) == "Already answered."
    assert decision(office, number)["choice"] == "no"
    assert office.run(launch)["status"] == "running"
    wind_up(office)


STOP = "select * from office.stop('{run}')"
HAND = "update office.runs set status = 'failed' where id = '{run_id}'"


@pytest.mark.parametrize("end", [STOP, HAND], ids=["stop", "by hand"])
def test_an_answer_waits_for_an_open_end(asked: tuple[Office, Worker, Row, str], end: str) -> None:
    """D3, D4, sc-D2: the work has ended: a late answer is refused, and says so."""
    office, _, launch, number = asked
    late = race(office, end.format(**launch), YES.format(number))
    assert late == "This request ended with its work."
    row = decision(office, number)
    assert (row["status"], row["reason"]) == ("expired", "Its work ended.")
    wind_up(office)


def test_an_end_waits_for_an_open_answer(asked: tuple[Office, Worker, Row, str]) -> None:
    """D4: what was answered before the end stays answered."""
    office, _, launch, number = asked
    assert race(office, YES.format(number), STOP.format(**launch)) == "done"
    assert decision(office, number)["status"] == "answered"
    assert office.run(launch)["status"] == "stopping"
    wind_up(office)


FINISH = "select * from office.finish_attempt('{attempt_id}')"


def test_the_program_ends_while_it_is_answered(asked: tuple[Office, Worker, Row, str]) -> None:
    """D9: the end waits for the answer, sees that its program was not told, and the run goes on with it."""
    office, worker, launch, number = asked
    assert race(office, YES.format(number), FINISH.format(**launch)) == "done"
    run = office.run(launch)
    assert (run["status"], run["answered_at"] is None) == ("queued", False)
    worker.conn.execute("select office.confirm_cleanup(%s)", [launch["attempt_id"]])
    (resumed,) = worker.claim(5)
    assert (resumed["resume"], resumed["attempt_id"]) == (True, launch["attempt_id"])
    worker.start(resumed)
    assert worker.finish(resumed)["outcome"] == "succeeded"
    office.settle()


def test_it_is_answered_while_the_program_ends(asked: tuple[Office, Worker, Row, str]) -> None:
    """D9: the answer waits for the end of the program, and queues the run that has none."""
    office, worker, launch, number = asked
    assert race(office, FINISH.format(**launch), YES.format(number)) == "done"
    assert office.run(launch)["status"] == "queued"
    assert worker.claim(5) == [], "K15: not before it is cleaned up after"
    worker.conn.execute("select office.confirm_cleanup(%s)", [launch["attempt_id"]])
    (resumed,) = worker.claim(5)
    assert resumed["answer"][0]["choice"] == "yes"
    worker.start(resumed)
    assert worker.finish(resumed)["outcome"] == "succeeded"
    office.settle()


DIE = "select office.expire_worker(r.worker_id) from office.runs as r where r.id = '{run_id}'"
PAUSE = "select office.pause('workspace:acme')"


@pytest.mark.parametrize("answer_first", [True, False], ids=["answered first", "died first"])
def test_the_worker_dies_while_it_is_answered(
    asked: tuple[Office, Worker, Row, str], answer_first: bool
) -> None:
    """D9, P3, sc-D8: whichever comes first, the answer is not lost: the run goes on with it."""
    office, _, launch, number = asked
    pair = YES.format(number), DIE.format(**launch)
    assert race(office, *(pair if answer_first else pair[::-1])) == "done"
    run = office.run(launch)
    assert (run["status"], run["attempt_id"]) == ("queued", launch["attempt_id"])
    assert run["answered_at"] is not None
    assert decision(office, number)["choice"] == "yes"
    wind_up(office)


@pytest.mark.parametrize("answer_first", [True, False], ids=["answered first", "paused first"])
def test_a_pause_meets_an_answer(asked: tuple[Office, Worker, Row, str], answer_first: bool) -> None:
    """P1, D9: whichever comes first, its program stops, and goes on with the answer after the pause."""
    office, worker, launch, number = asked
    pair = YES.format(number), PAUSE
    assert race(office, *(pair if answer_first else pair[::-1])) == "done"
    run = office.run(launch)
    assert (run["status"], run["stop_reason"]) == ("stopping", "paused")
    worker.finish(launch)
    worker.conn.execute("select office.confirm_cleanup(%s)", [launch["attempt_id"]])
    assert worker.claim(5) == []
    office.rows("select office.resume('workspace:acme')")
    (resumed,) = worker.claim(5)
    assert (resumed["attempt_id"], resumed["answer"][0]["choice"]) == (launch["attempt_id"], "yes")
    wind_up(office)


SWEEP = "select done from office.maintain() where piece = 'decisions'"


@pytest.fixture
def expiring(office: Office) -> tuple[Office, Row, str]:
    """The run of ada waits for d…, whose time is just about to pass."""
    office.rows("select testing.install_clock(now())")
    office.agent("ada")
    _, launch = office.running("ada")
    return office, launch, ask(office, launch, ", expires_after => '1 hour'")


def test_an_answer_waits_for_an_open_expiry(expiring: tuple[Office, Row, str]) -> None:
    """D3, D7: the sweep was first: the request expired, which is told as such."""
    office, launch, number = expiring
    office.rows("select testing.advance('1 hour')")
    assert race(office, SWEEP, YES.format(number)) == "This request expired."
    assert (decision(office, number)["status"], office.run(launch)["status"]) == ("expired", "running")
    wind_up(office)


def test_an_expiry_waits_for_an_open_answer(expiring: tuple[Office, Row, str]) -> None:
    """D3, D7: the answer was in time; the sweep finds nothing that is open."""
    office, launch, number = expiring
    answerer, sweeper = office.session(), office.session(patient=True)
    answerer.execute("begin")
    answerer.execute(YES.format(number).encode())
    office.rows("select testing.advance('1 hour')")
    with Background(sweeper, SWEEP) as sweep:
        wait_until_blocked(office.watcher, sweep.pid, by=answerer.info.backend_pid)
        answerer.execute("commit")
        assert sweep.rows() == [{"done": 0}]
    assert (decision(office, number)["status"], office.run(launch)["status"]) == ("answered", "running")
    wind_up(office)


def test_the_naive_answer_is_given_twice(asked: tuple[Office, Worker, Row, str]) -> None:
    """K13: an update that trusts an earlier look, without the check of each row, overwrites the answer."""
    office, _, _, number = asked
    naive = (
        "update office.decisions set status = 'answered', choice = '{0}', decided_at = now()"
        f" where 'd' || number = '{number}'"
    )
    office.rows("alter table office.decisions disable trigger decisions_check")
    assert race(office, naive.format("yes"), naive.format("no")) == "done"
    assert decision(office, number)["choice"] == "no"
    office.rows("alter table office.decisions enable trigger decisions_check")
    wind_up(office)


def test_many_answers_make_one(office: Office) -> None:
    """D3: all at once, again and again: one answer stands, the run goes on once."""
    office.agent("ada")
    for _ in range(8):
        _, launch = office.running("ada")
        number = ask(office, launch)
        answers: list[Any] = []

        def act(statement: str, number: str = number, answers: list[Any] = answers) -> None:
            session = office.session(patient=True)
            try:
                session.execute(statement.format(number).encode())
                answers.append("done")
            except psycopg.Error as error:
                answers.append(error.diag.message_primary)
            session.close()

        together(*[lambda statement=statement: act(statement) for statement in (YES, NO, YES, NO)])
        assert sorted(answers) == ["Already answered."] * 3 + ["done"]
        assert office.run(launch)["status"] == "running"
        assert office.audit() == []
        wind_up(office)


LATE = [
    "select * from office.start_attempt('{attempt_id}', launch => 1)",
    "select * from office.finish_attempt('{attempt_id}', launch => 1)",
    "select * from office.fail_attempt('{attempt_id}', 'broken', launch => 1)",
    "select * from office.confirm_cleanup('{attempt_id}', launch => 1)",
]


@pytest.mark.parametrize("late", LATE, ids=["start", "finish", "fail", "cleanup"])
def test_a_lost_worker_says_nothing_of_the_next_launch(
    asked: tuple[Office, Worker, Row, str], late: str
) -> None:
    """Q16, S3: it lost its lease; what it still says waits for the claim of another, and is refused."""
    office, _, launch, number = asked
    office.rows("select office.expire_worker(id) from office.workers")
    office.rows(YES.format(number))
    other = office.worker()
    late_one = office.session(patient=True)
    other.conn.execute("begin")
    office.rows("select office.confirm_cleanup(%s)", launch["attempt_id"])
    (resumed,) = other.claim(5)
    assert (resumed["attempt_id"], resumed["launch"]) == (launch["attempt_id"], 2)
    with Background(late_one, late.format(**launch)) as word:
        wait_until_blocked(office.watcher, word.pid, by=other.conn.info.backend_pid)
        other.conn.execute("commit")
        assert said(word) == "Attempt 1 of r1 was launched again."
    assert other.start(resumed) == "running"
    assert other.finish(resumed)["outcome"] == "succeeded"
    office.settle()


def test_without_its_launch_a_late_word_would_be_believed(asked: tuple[Office, Worker, Row, str]) -> None:
    """K13: what names the attempt alone ends the program of another worker."""
    office, worker, launch, number = asked
    office.rows("select office.expire_worker(id) from office.workers")
    office.rows(YES.format(number))
    other = office.worker()
    office.rows("select office.confirm_cleanup(%s)", launch["attempt_id"])
    (resumed,) = other.claim(5)
    other.start(resumed)
    assert worker.finish(launch)["outcome"] == "succeeded"
    assert office.run(launch)["ended_at"] is not None
    office.settle()


def may(office: Office, launch: Row, kind: str) -> str:
    """The decision that the agent of a launch asks for before it acts."""
    return ask(office, launch, f", kind => '{kind}', operation => '{{\"tool\": \"make\"}}', tree => 'one'")


@pytest.mark.parametrize(("first", "rules"), [("always", 1), ("no", 0)])
def test_only_the_winner_saves_a_rule(office: Office, first: str, rules: int) -> None:
    """sc-D1, D3, D8: two people answer at once: the rule is the winner's, the other's is not saved."""
    office.agent("ada")
    _, launch = office.running("ada")
    number = may(office, launch, "permission")
    second = "always" if first == "no" else "session"
    answers = [f"select * from office.answer('{number}', '{choice}')" for choice in (first, second)]
    assert race(office, *answers) == "Already answered."
    assert decision(office, number)["choice"] == first
    assert [row["choice"] for row in office.rows("select choice from office.permission_rules")] == (
        [first] * rules
    )
    wind_up(office)


def test_one_approval_is_spent_once(office: Office) -> None:
    """D6: two programs of one attempt ask for what was approved at once: one gets it, one asks anew."""
    office.agent("ada")
    _, launch = office.running("ada")
    number = may(office, launch, "publish")
    office.rows(YES.format(number))
    one, two = office.session(), office.session(patient=True)
    again = (
        "select * from office.ask('Go?', kind => 'publish', operation => '{\"tool\": \"make\"}',"
        " tree => 'one')"
    )
    for session in (one, two):
        session.execute("begin")
        session.execute("select office.act_with(%s)", [launch["token"]])
    (given,) = one.execute(again.encode()).fetchall()
    with Background(two, again) as other:
        wait_until_blocked(office.watcher, other.pid, by=one.info.backend_pid)
        one.execute("commit")
        (asked_anew,) = other.rows()
    two.execute("commit")
    assert (given["decision"], given["choice"]) == (number, "yes")
    assert (asked_anew["status"], asked_anew["choice"]) == ("pending", None)
    wind_up(office)


def test_a_checkpoint_waits_for_nobody_and_the_answer_sees_it(office: Office) -> None:
    """D2, A6: an agent saves what it goes on from while an answer is open; only a later answer is void."""
    office.agent("ada")
    _, launch = office.running("ada")
    number = may(office, launch, "permission")
    person = office.session()
    person.execute("begin")
    person.execute(f"select * from office.answer('{number}', 'once')".encode())
    agent = office.session()
    agent.execute("begin")
    agent.execute("select office.act_with(%s)", [launch["token"]])
    agent.execute("select * from office.checkpoint('{}', tree => 'two')")
    agent.execute("commit")
    person.execute("commit")
    assert decision(office, number)["status"] == "answered"
    again = ask(
        office, launch, ", kind => 'permission', operation => '{\"tool\": \"make\"}', tree => 'three'"
    )
    office.rows(f"select * from office.answer('{again}', 'once')")
    row = decision(office, again)
    assert (row["status"], row["choice"]) == ("answered", "once"), "it was asked after that checkpoint"
    wind_up(office)
