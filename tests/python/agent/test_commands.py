"""X2: `officectl agent …` inside a run."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from officectl.agent import commands
from officectl.agent.calls import AGENT_CALLS
from officectl.agent.tree import identity
from officectl.cli.agent import command
from officectl.errors import UsageProblem

from .conftest import Worker

VERBS = [
    (["task"], "read_task", {"task": "t1"}),
    (["task", "t7"], "read_task", {"task": "t7"}),
    (["comment", "Found it."], "add_comment", {"task": "t1", "body": "Found it."}),
    (["move", "blocked"], "move_task", {"task": "t1", "target": "blocked"}),
    (["complete", "All well."], "complete_task", {"task": "t1", "summary": "All well."}),
    (["complete"], "complete_task", {"task": "t1", "summary": None}),
    (
        ["create-task", "Mend it", "--blocked-by", "t3", "--blocked-by", "t4", "--assignee", "builder"],
        "create_task",
        {
            "title": "Mend it",
            "description": "",
            "assignee": "builder",
            "parent": "t1",
            "blocked_by": ["t3", "t4"],
        },
    ),
    (
        ["wake-self", "look again"],
        "wake",
        {"agent": "scout", "source": "self", "payload": {"reason": "look again", "task_id": "t1"}},
    ),
    (["note-decision", "Keep it."], "note_decision", {"decision": "Keep it."}),
    (
        ["write-document", "plan", "So.", "--based-on", "2"],
        "write_document",
        {"name": "plan", "body": "So.", "based_on": 2},
    ),
    (
        ["write-document", "plan", "So.", "--task", "t3"],
        "write_document",
        {"name": "plan", "body": "So.", "task": "t3"},
    ),
    (
        ["ask", "Which?", "--choice", "a=The first", "--choice", "b", "--expires-after", "2 hours"],
        "ask",
        {
            "prompt": "Which?",
            "choices": [{"id": "a", "text": "The first"}, {"id": "b", "text": "b"}],
            "expires_after": "2 hours",
        },
    ),
    (["ask", "Go on?"], "ask", {"prompt": "Go on?"}),
    (
        ["request-approval", "hire", "A tester?"],
        "request_approval",
        {"subject": "hire", "prompt": "A tester?"},
    ),
    (["answer", "d1", "yes"], "answer", {"decision": "d1", "choice": "yes", "through": "cli"}),
    (["checkpoint"], "checkpoint", {}),
    (["receipt", "report"], "receipt", {"key": "report"}),
    (["receipt", "report", "--done"], "receipt", {"key": "report", "detail": {}}),
    (
        ["receipt", "report", "--done", "--detail", '{"path": "/r"}'],
        "receipt",
        {"key": "report", "detail": {"path": "/r"}},
    ),
    # The path that a launcher would give: without the dots, links resolved.
    (["add-folder", "/usr/../tmp/."], "add_resource", {"attempt_id": "a1", "key": "folder:server:/tmp"}),
]


@pytest.mark.parametrize(("words", "call", "arguments"), VERBS, ids=[" ".join(v[0]) for v in VERBS])
def test_x2_a_verb_is_one_call(inside: Worker, words: list[str], call: str, arguments: object) -> None:
    of_one_value = call in ("read_task", "add_comment", "add_resource")
    inside.answers[call] = {"ok": [{call: {"title": "A"}} if of_one_value else {"task": "t1"}]}
    result = CliRunner().invoke(command, words, catch_exceptions=False)
    assert result.exit_code == 0
    assert inside.calls == [(call, arguments)]
    assert call in AGENT_CALLS


def test_d9_a_program_waits_by_asking_again(inside: Worker, monkeypatch: pytest.MonkeyPatch) -> None:
    looks = iter([True, True, False])
    monkeypatch.setattr(commands, "WAIT_SECONDS", 0)

    class Answers(dict[str, object]):
        def get(self, _call: str, _default: object = None) -> object:
            return {"ok": [{"decision": "d1", "open": next(looks), "choice": "yes"}]}

    inside.answers = Answers()  # type: ignore[assignment]
    result = CliRunner().invoke(command, ["ask", "Go on?", "--wait"], catch_exceptions=False)
    assert result.exit_code == 0
    assert inside.calls == [("ask", {"prompt": "Go on?"})] * 3


def test_x2_a_task_is_read_as_json(inside: Worker) -> None:
    inside.answers["read_task"] = {"ok": [{"read_task": {"task": "t1", "comments": []}}]}
    result = CliRunner().invoke(command, ["task"], catch_exceptions=False)
    assert json.loads(result.stdout)["items"] == [{"task": "t1", "comments": []}]


def test_x2_outside_a_run_no_verb_works(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OFFICE_SOCKET", raising=False)
    result = CliRunner().invoke(command, ["comment", "hello"])
    assert isinstance(result.exception, UsageProblem)
    assert result.exception.exit_code == 2


def test_d2_what_is_asked_before_an_operation_names_it_and_the_tree(
    inside: Worker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The tree is that of the folder the program is in, as it is then."""
    monkeypatch.chdir(tmp_path)
    inside.answers["ask"] = {"ok": [{"decision": "d1", "open": True}]}
    inside.answers["checkpoint"] = {"ok": []}
    runner = CliRunner()
    words = ["ask", "May I?", "--permission", '{"tool": "make"}']
    runner.invoke(command, words, catch_exceptions=False)
    runner.invoke(command, ["checkpoint", '{"n": 1}', "--operation", "{}"], catch_exceptions=False)
    (tmp_path / "new").touch()
    runner.invoke(command, words, catch_exceptions=False)
    runner.invoke(command, ["ask", "All?", "--publish", '{"body": "Hi"}'], catch_exceptions=False)
    first, saved, second, publish = (arguments for _, arguments in inside.calls)
    assert (first["kind"], first["operation"]) == ("permission", {"tool": "make"})
    assert saved == {"state": {"n": 1}, "operation": {}, "tree": first["tree"]}
    assert second == first | {"tree": identity(tmp_path)}
    assert second["tree"] != first["tree"]
    assert (publish["kind"], publish["operation"]) == ("publish", {"body": "Hi"})


def test_d2_a_write_without_its_receipt_is_told_by_the_exit_code(inside: Worker) -> None:
    inside.answers["receipt"] = {"ok": []}
    assert CliRunner().invoke(command, ["receipt", "report"], catch_exceptions=False).exit_code == 1


@pytest.mark.parametrize(
    "words",
    [
        ["checkpoint", "[1]"],
        ["checkpoint", "{"],
        ["receipt", "a", "--detail", "{}"],
        ["ask", "?", "--permission", "{}", "--publish", "{}"],
    ],
)
def test_d2_what_is_no_object_is_refused_here(inside: Worker, words: list[str]) -> None:
    assert CliRunner().invoke(command, words).exit_code != 0
    assert inside.calls == []
