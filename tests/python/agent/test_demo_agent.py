"""X3: the demo agent does true work on a real folder."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from officectl.agent.demo_agent import command
from officectl.agent.sample import FILES, write_sample
from officectl.agent.survey import Note, checklist, survey

from .conftest import Json, Worker


def test_x3_a_survey_counts_what_is_there(source: Path) -> None:
    found = survey(source)
    assert found.files == 2
    assert found.lines == {"Python": 2, "SQL": 3}
    assert found.notes == [
        Note("a.py", 1, "TODO", "name it"),
        Note("a.py", 2, "FIXME", ""),
        Note("b.sql", 1, "TODO", "more"),
    ]
    assert "- [ ] a.py:2 FIXME\n" in checklist(found)


def test_x3_what_it_wrote_is_no_part_of_the_next_survey(source: Path) -> None:
    before = survey(source)
    (source / "REPORT.md").write_text("<!-- TODO: not counted -->\n")
    assert survey(source) == before


def test_x3_the_sample_has_work_left(tmp_path: Path) -> None:
    write_sample(tmp_path)
    write_sample(tmp_path)
    found = survey(tmp_path)
    assert found.files == len(FILES)
    assert len(found.notes) == 6


def test_x3_it_reads_its_task_reports_hands_on_and_completes(
    inside: Worker, source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(source)
    receipts(inside)
    inside.answers |= {
        "read_task": {"ok": [{"read_task": {"title": "Survey it"}}]},
        "create_task": {"ok": [{"task": "t2"}]},
        **{name: {"ok": [{}]} for name in ("add_comment", "note_decision", "complete_task")},
    }
    result = CliRunner().invoke(
        command,
        ["--write", "report"],
        input="You look. Hand the work that is left to @builder.\n",
        catch_exceptions=False,
    )
    last = json.loads(result.stdout.splitlines()[-1])
    assert last["follow_up"] == "t2"
    assert last["summary"] == (
        "Wrote REPORT.md: 2 files, 5 lines, 3 comments of work left. builder goes on with t2."
    )
    assert "2 files, 5 lines, 3 comments" in (source / "REPORT.md").read_text()
    assert [name for name, _ in inside.calls if name != "receipt"] == [
        "read_task",
        "add_comment",
        "note_decision",
        "create_task",
        "complete_task",
    ]
    made = dict(inside.calls)["create_task"]
    assert (made["assignee"], made["parent"]) == ("builder", "t1")


def test_d2_what_has_its_receipt_is_not_done_again(
    inside: Worker, source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The run was killed after its report and its comment, and is started once more."""
    monkeypatch.chdir(source)
    receipts(inside, {f"write {source / 'REPORT.md'}": {}, "comment": {}, "hand on": {"task": "t9"}})
    inside.answers |= {
        "read_task": {"ok": [{"read_task": {"title": "Survey it"}}]},
        **{name: {"ok": [{}]} for name in ("note_decision", "complete_task")},
    }
    result = CliRunner().invoke(
        command,
        ["--write", "report"],
        input="Hand the work that is left to @builder.\n",
        catch_exceptions=False,
    )
    last = json.loads(result.stdout.splitlines()[-1])
    assert (last["document"], last["follow_up"]) == (str(source / "REPORT.md"), "t9")
    assert not (source / "REPORT.md").exists()
    assert {name for name, _ in inside.calls} == {"receipt", "read_task", "note_decision", "complete_task"}


def receipts(inside: Worker, known: dict[str, dict[str, str]] | None = None) -> None:
    """The office's receipts: the first stands."""
    kept = dict(known or {})

    def answer(arguments: Json) -> Json:
        if "detail" in arguments:
            kept.setdefault(arguments["key"], arguments["detail"])
        return {"ok": [{"outcome": kept[arguments["key"]]}] if arguments["key"] in kept else []}

    inside.answering["receipt"] = answer


def test_x3_without_a_task_it_only_looks(
    inside: Worker, source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(source)
    monkeypatch.setenv("OFFICE_TASK", "")
    result = CliRunner().invoke(command, [], input="", catch_exceptions=False)
    assert json.loads(result.stdout.splitlines()[-1])["lines"] == {"SQL": 3, "Python": 2}
    assert inside.calls == []
    assert not (source / "REPORT.md").exists()
