"""X4: what a launch would fail for is found without one."""

import json
from pathlib import Path
from typing import Any

import pytest

from officectl.cli.executor import faults

from .conftest import Officectl


def test_x4_what_can_be_launched_passes(officectl: Officectl, tmp_path: Path) -> None:
    executor = json.dumps({"command": ["sh", "-c", "true"], "folder": str(tmp_path)})
    answer = officectl("executor", "check", executor)
    assert (answer.code, answer.out, answer.err) == (0, "It can be launched here.\n", "")


@pytest.mark.parametrize(
    ("executor", "fault"),
    [
        ({"command": ["/bin/true"], "prompt": "bogus", "zzz": 1}, "zzz"),
        ({"command": ["/bin/true"], "prompt": "bogus"}, "prompt"),
        ({"command": ["sh"], "folder": "relative"}, "folder"),
        ({"command": "ls"}, "command"),
        ({}, "command"),
    ],
)
def test_x4_the_database_judges_the_shape(officectl: Officectl, executor: dict[str, Any], fault: str) -> None:
    """The same, in the same words, as when an agent is made of it."""
    answer = officectl("executor", "check", json.dumps(executor))
    assert (answer.code, answer.out) == (1, "")
    assert fault in answer.err
    made = officectl("agent", "create", "triage", "--executor", json.dumps(executor))
    assert made.code == 1
    assert made.err.splitlines()[-2:] == answer.err.splitlines()


def test_x4_without_a_database_the_host_is_looked_at(anywhere: Officectl) -> None:
    place = ("--dsn", "host=/nowhere dbname=none")
    answer = anywhere("executor", "check", '{"command": ["/bin/sh"]}', *place)
    assert (answer.code, answer.out) == (0, "It can be launched here.\n")
    assert "No database was asked" in answer.err
    assert anywhere("executor", "check", '{"command": ["/no/such"]}', *place).code == 1


@pytest.mark.parametrize(
    ("executor", "fault"),
    [
        ({}, "names no program"),
        ({"command": "ls"}, "names no program"),
        ({"command": ["no-such-program-here"]}, "no-such-program-here is not in"),
        ({"command": ["/no/such/program"]}, "/no/such/program does not exist"),
        ({"command": ["sh"], "folder": "/no/such/folder"}, "/no/such/folder does not exist"),
        ({"command": ["sh"], "environment": {"PATH": "/nowhere"}}, "sh is not in /nowhere"),
    ],
)
def test_x4_what_is_missing_on_this_host_is_named(executor: dict[str, Any], fault: str) -> None:
    assert fault in "; ".join(faults(executor))


def test_x4_a_program_without_leave_to_run_is_named(tmp_path: Path) -> None:
    program = tmp_path / "program"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o644)
    assert list(faults({"command": [str(program)]})) == [f"the program {program} is not executable"]


ENGINE = """#!/bin/sh
case "$1" in
  --version) echo 9.8.7 ;;
  auth | login) exit ${LOGGED_IN:-1} ;;
esac
"""


@pytest.mark.parametrize(
    ("preset", "logged_in", "code", "said"),
    [
        ("claude", "0", 0, "claude: 9.8.7\nIt can be launched here.\n"),
        ("claude", "1", 1, "claude: 9.8.7\n"),
        ("codex", "1", 0, "codex: 9.8.7\n"
         "Note: codex is not logged in; with a provider of its own it need not be.\n"
         "It can be launched here.\n"),
        ("gemini", "1", 0, "gemini: 9.8.7\nIt can be launched here.\n"),
    ],
)  # fmt: skip
def test_x4_an_engine_tells_version_and_login(
    anywhere: Officectl, tmp_path: Path, preset: str, logged_in: str, code: int, said: str
) -> None:
    program = tmp_path / preset
    program.write_text(ENGINE)
    program.chmod(0o755)
    environment = {"PATH": f"{tmp_path}:/usr/bin:/bin", "LOGGED_IN": logged_in}
    executor = {"preset": preset, "environment": environment, "folder": str(tmp_path)}
    answer = anywhere("executor", "check", json.dumps(executor), "--dsn", "host=/nowhere dbname=none")
    assert (answer.code, answer.out) == (code, said)
    if code:
        assert "is not logged in" in answer.err
    assert list(faults({**executor, "environment": {"PATH": "/nowhere"}})) == [
        f"the program {preset} is not in /nowhere"
    ]


def test_x4_a_fault_is_a_refusal(officectl: Officectl) -> None:
    answer = officectl("executor", "check", '{"command": ["/no/such"]}')
    assert (answer.code, answer.out) == (1, "")
    assert "/no/such does not exist" in answer.err


@pytest.mark.parametrize("value", ["[]", "7", "nonsense", '"text"'])
def test_i8_json_that_is_no_object_is_one_line(anywhere: Officectl, value: str) -> None:
    answer = anywhere("executor", "check", value)
    assert (answer.code, answer.out) == (2, "")
    assert "JSON" in answer.err
