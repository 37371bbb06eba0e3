"""I8: how rows are shown."""

import json
import uuid
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest

from officectl import render
from officectl.errors import UsageProblem
from officectl.render import Layout

ROWS: list[dict[str, Any]] = [
    {"task": "t1", "title": "Short", "note": None},
    {"task": "t22", "title": "Long " * 60, "note": "a\nb"},
]


def test_i8_a_pipe_gets_whole_aligned_columns_without_colour(capsys: pytest.CaptureFixture[str]) -> None:
    render.show_rows(ROWS, ["task", "title"], layout=Layout(), wide=["note"], empty="None.")
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "TASK   TITLE"
    assert lines[1] == "t1     Short"
    assert lines[2] == "t22    " + ("Long " * 60).strip()
    assert "\x1b" not in "".join(lines)


def test_i8_wide_shows_more_columns_a_row_stays_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    render.show_rows(ROWS, ["task"], layout=Layout("wide"), wide=["note"], empty="None.")
    assert capsys.readouterr().out.splitlines() == ["TASK   NOTE", "t1     -", "t22    a b"]


def test_i8_an_empty_list_says_so_on_stderr_only(capsys: pytest.CaptureFixture[str]) -> None:
    render.show_rows([], ["task"], layout=Layout(), empty="No such task.")
    shown = capsys.readouterr()
    assert (shown.out, shown.err) == ("", "No such task.\n")


def test_i8_json_is_an_object_with_its_version(capsys: pytest.CaptureFixture[str]) -> None:
    row = {
        "id": uuid.UUID(int=1),
        "at": datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC),
        "took": timedelta(seconds=1.5),
        "cost": Decimal("0.25"),
        "payload": {"a": [1]},
        "none": None,
    }
    render.show_rows([row], ["id"], layout=Layout("json"), empty="None.")
    assert json.loads(capsys.readouterr().out) == {
        "schema_version": 1,
        "items": [
            {
                "id": "00000000-0000-0000-0000-000000000001",
                "at": "2026-01-02T03:04:05+00:00",
                "took": 1.5,
                "cost": 0.25,
                "payload": {"a": [1]},
                "none": None,
            }
        ],
    }


def test_i8_json_of_nothing_is_still_json(capsys: pytest.CaptureFixture[str]) -> None:
    render.show_rows([], ["id"], layout=Layout("json"), empty="None.")
    assert json.loads(capsys.readouterr().out) == {"schema_version": 1, "items": []}


def test_i8_fields_are_chosen_by_name(capsys: pytest.CaptureFixture[str]) -> None:
    render.show_rows(ROWS[:1], ["task"], layout=Layout("json", ("title",)), empty="None.")
    assert json.loads(capsys.readouterr().out)["items"] == [{"title": "Short"}]
    with pytest.raises(UsageProblem) as refused:
        render.show_rows(ROWS[:1], ["task"], layout=Layout("json", ("titel",)), empty="None.")
    assert refused.value.hint == "The fields are task, title, note."


def test_i8_a_record_leaves_out_what_is_empty_and_indents_long_text(
    capsys: pytest.CaptureFixture[str],
) -> None:
    render.show_record({"task": "t1", "note": None, "body": "one\ntwo", "at": 3}, layout=Layout())
    assert capsys.readouterr().out.splitlines() == ["task: t1", "body:", "  one", "  two", "at:   3"]


def test_i8_what_comes_from_outside_cannot_steer_a_terminal() -> None:
    assert render.text("\x1b[31mred\x1b[0m\a\x1b]0;title\x07") == "red\N{REPLACEMENT CHARACTER}" + (
        "\N{REPLACEMENT CHARACTER}]0;title\N{REPLACEMENT CHARACTER}"
    )


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [
        (0, "0.00s"),
        (0.256, "0.26s"),
        (12.34, "12.3s"),
        (245, "4m 05s"),
        (12_000, "3h 20m"),
        (187_200, "2d 4h"),
    ],
)
def test_i8_durations_are_short(seconds: float, shown: str) -> None:
    assert render.duration(timedelta(seconds=seconds)) == shown


def test_i8_on_a_terminal_only_long_cells_are_cut(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "40")
    monkeypatch.setenv("NO_COLOR", "1")
    rows = [{"task": "t1", "title": "[red]" + "x" * 80, "state": "in_progress"}]
    render.show_rows(rows, ["task", "title", "state"], layout=Layout(), empty="None.")
    line = render.printable(capsys.readouterr().out).splitlines()[1]
    assert line.startswith("t1    [red]xxx")
    assert line.rstrip().endswith("x\N{HORIZONTAL ELLIPSIS}  in_progress")
    assert len(line) <= 40
