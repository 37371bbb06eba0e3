"""X2: the way from a run's program to the office."""

import json
import socket
import threading
from pathlib import Path

import pytest

from officectl.agent.client import Inside
from officectl.errors import Forbidden, Refused, Unreachable, UsageProblem

from .conftest import Worker


def test_x2_a_call_carries_the_token_and_brings_rows(inside: Worker) -> None:
    inside.answers["add_comment"] = {"ok": [{"task": "t1"}]}
    assert Inside.here().call("add_comment", task="t1", body="grüß dich\n") == [{"task": "t1"}]
    assert inside.asked == [
        {"token": "secret", "call": "add_comment", "arguments": {"task": "t1", "body": "grüß dich\n"}}
    ]


def test_x2_a_refusal_is_the_databases(inside: Worker) -> None:
    inside.answers["move_task"] = {
        "error": {"code": "move_refused", "message": "Not so.", "hint": "Try todo.", "status": 409}
    }
    with pytest.raises(Refused) as refused:
        Inside.here().call("move_task", task="t1", target="nowhere")
    assert (refused.value.message, refused.value.hint, refused.value.code, refused.value.status) == (
        "Not so.",
        "Try todo.",
        "move_refused",
        409,
    )


def test_x2_a_dead_token_is_no_permission(inside: Worker) -> None:
    with pytest.raises(Forbidden) as refused:
        Inside.here().call("read_task", task="t1")
    assert refused.value.exit_code == 4


def test_x2_outside_a_run_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OFFICE_SOCKET", raising=False)
    with pytest.raises(UsageProblem, match="inside a run"):
        Inside.here()


def test_x2_a_run_without_a_task_wants_one_named(inside: Worker, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OFFICE_TASK", "")
    here = Inside.here()
    assert here.own_task("t7") == "t7"
    with pytest.raises(UsageProblem, match="r1 has no task"):
        here.own_task()


def test_x2_a_worker_that_is_gone(inside: Worker, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("OFFICE_SOCKET", str(tmp_path / "s"))
    with pytest.raises(Unreachable) as gone:
        Inside.here().call("read_task", task="t1")
    assert gone.value.exit_code == 3


def test_x2_a_worker_that_hangs_up_in_mid_answer(
    inside: Worker, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = str(tmp_path_factory.mktemp("h") / "s")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(path)
        listener.listen()

        def answer_by_half() -> None:
            connection, _ = listener.accept()
            with connection:
                connection.recv(65536)
                connection.sendall(json.dumps({"ok": []}).encode()[:4])

        thread = threading.Thread(target=answer_by_half)
        thread.start()
        monkeypatch.setenv("OFFICE_SOCKET", path)
        with pytest.raises(Unreachable, match="hung up"):
            Inside.here().call("read_task", task="t1")
        thread.join()
