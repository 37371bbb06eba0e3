"""I8, D1, D3: what waits for a person is listed, shown and answered."""

import psycopg
import pytest

from .conftest import Officectl

ASK = """
do $$
declare
  v_worker uuid := (select worker_id from office.register_worker('here'));
  v_launch record;
begin
  perform office.wake('triage');
  select * into v_launch from office.claim_runs(v_worker) where run_id is not null;
  perform office.start_attempt(v_launch.attempt_id);
  perform office.act_with(v_launch.token);
  perform office.ask('Red or blue?', '[{"id": "red", "text": "Red"}, {"id": "blue", "text": "Blue"}]');
end
$$
"""


@pytest.fixture
def asked(staffed: Officectl, database: str) -> Officectl:
    """The agent triage has asked something, as d1."""
    with psycopg.connect(database) as connection:
        connection.execute(ASK)
    return staffed


def test_i8_a_question_is_in_the_inbox_until_it_is_answered(asked: Officectl) -> None:
    (item,) = asked("inbox", "-o", "json").items
    assert [item[name] for name in ("decision", "title", "agent", "run", "choices")] == [
        "d1",
        "Red or blue?",
        "triage",
        "r1",
        "red, blue",
    ]
    assert asked("status", "-o", "json").items[0]["needs_a_person"] == 1
    answered = asked("answer", "d1", "blue", "--note", "as the sea", "-o", "json").items[0]
    assert (answered["status"], answered["run_status"]) == ("answered", "running")
    assert asked("inbox", "-o", "json").items == []
    assert asked("status", "-o", "json").items[0]["needs_a_person"] == 0
    (row,) = asked("decision", "list", "-o", "json").items
    assert (row["choice"], row["note"], row["through"], row["decided_by"]) == (
        "blue",
        "as the sea",
        "cli",
        "system",
    )
    assert "as the sea" in asked("decision", "show", "D1").out


def test_d3_a_refusal_says_what_is_so(asked: Officectl) -> None:
    wrong = asked("answer", "d1", "green")
    assert (wrong.code, "Choices: red, blue." in wrong.err) == (1, True)
    assert asked("answer", "d1", "red").code == 0
    late = asked("answer", "d1", "blue")
    assert (late.code, "Already answered." in late.err) == (1, True)
    assert asked("answer", "d7", "red").code == 1
    assert asked("decision", "show", "d7").code == 1


def test_i8_a_rehearsed_answer_decides_nothing(asked: Officectl) -> None:
    assert asked("answer", "d1", "red", "--dry-run").code == 0
    assert len(asked("inbox", "-o", "json").items) == 1
    assert asked("decision", "list", "-w", "nowhere", "-o", "json").items == []


def test_s5_up_next_shows_who_waits_for_an_answer(asked: Officectl, database: str) -> None:
    with psycopg.connect(database) as connection:
        rows = connection.execute("select run, waiting_for, lift from office.up_next").fetchall()
    assert rows == [("r1", "an answer to d1", "select * from office.answer('d1', 'red');")]
