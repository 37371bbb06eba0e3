"""I8, N1, N2: agent sessions are listed, shown, written into and put in order."""

import psycopg
import pytest

from .conftest import Officectl

BEGIN = """
do $$
declare
  v_worker uuid := (select worker_id from office.register_worker('here'));
  v_launch record;
begin
  perform office.create_task('Talk', assignee => 'triage');
  select * into v_launch from office.claim_runs(v_worker) where run_id is not null;
  perform office.start_attempt(v_launch.attempt_id, 1, 'engine-1');
end
$$
"""


@pytest.fixture
def talking(staffed: Officectl, database: str) -> Officectl:
    """The agent triage runs for t1, in s1."""
    with psycopg.connect(database) as connection:
        connection.execute(BEGIN)
    return staffed


def test_n2_messages_and_a_steer_wait_in_their_order(talking: Officectl) -> None:
    (row,) = talking("session", "list", "-o", "json").items
    assert [row[name] for name in ("session", "agent", "task", "state", "engine_session", "live_run")] == [
        "s1",
        "triage",
        "t1",
        "running",
        "engine-1",
        "r1",
    ]
    for words in (("message", "One."), ("message", "Two."), ("steer", "First.")):
        assert talking("session", words[0], "s1", words[1]).code == 0
    assert queue(talking) == [("r4", -1, "First."), ("r2", 1, "One."), ("r3", 2, "Two.")]
    reordered = talking("session", "reorder", "S1", "r3", "-o", "json").items
    assert [(row["run"], row["queue_position"]) for row in reordered] == [("r3", -1), ("r4", 1), ("r2", 2)]
    assert [run for run, _, _ in queue(talking)] == ["r3", "r4", "r2"]
    assert "Two." in talking("session", "show", "s1").out
    assert talking("session", "list", "-o", "json").items[0]["messages"] == 3
    assert talking("session", "list", "--agent", "lead", "-o", "json").items == []


def test_n2_what_cannot_be_says_so(talking: Officectl) -> None:
    for words in (("show", "s9"), ("message", "s9", "x"), ("steer", "s1", " "), ("reorder", "s1", "r1")):
        answer = talking("session", *words)
        assert (answer.code, answer.err.startswith("officectl: ")) == (1, True)
    talking("session", "message", "s1", "Never.", "--dry-run")
    assert queue(talking) == []


def queue(talking: Officectl) -> list[tuple[str, int, str]]:
    (row,) = talking("session", "show", "s1", "-o", "json").items
    return [(waiting["run"], waiting["place"], waiting["text"]) for waiting in row["queue"]]
