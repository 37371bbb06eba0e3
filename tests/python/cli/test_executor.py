"""X4: what a launch would fail for is found without one."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from officectl.cli.executor import command, faults
from officectl.errors import Refused


def test_x4_what_can_be_launched_passes(tmp_path: Path) -> None:
    executor = json.dumps({"command": ["sh", "-c", "true"], "folder": str(tmp_path)})
    result = CliRunner().invoke(command, ["check", executor], catch_exceptions=False)
    assert (result.exit_code, result.stdout) == (0, "It can be launched here.\n")


@pytest.mark.parametrize(
    ("executor", "fault"),
    [
        ({}, "must be a list of words"),
        ({"command": "ls"}, "must be a list of words"),
        ({"command": []}, "must be a list of words"),
        ({"command": ["no-such-program-here"]}, "no-such-program-here is not in"),
        ({"command": ["/no/such/program"]}, "/no/such/program does not exist"),
        ({"command": ["sh"], "folder": "/no/such/folder"}, "/no/such/folder does not exist"),
        ({"command": ["sh"], "folder": "relative"}, "not an absolute path"),
        ({"command": ["sh"], "environment": {"PATH": "/nowhere"}}, "sh is not in /nowhere"),
    ],
)
def test_x4_what_would_fail_is_named(executor: dict[str, Any], fault: str) -> None:
    assert fault in "; ".join(faults(executor))


def test_x4_a_program_without_leave_to_run_is_named(tmp_path: Path) -> None:
    program = tmp_path / "program"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o644)
    assert list(faults({"command": [str(program)]})) == [f"the program {program} is not executable"]


def test_x4_a_fault_is_a_refusal() -> None:
    result = CliRunner().invoke(command, ["check", '{"command": ["/no/such"]}'])
    assert isinstance(result.exception, Refused)


@pytest.mark.parametrize("value", ["[]", "7", "nonsense", '"text"'])
def test_i8_json_that_is_no_object_is_one_line(value: str) -> None:
    result = CliRunner().invoke(command, ["check", value])
    assert result.exit_code == 2
    assert "JSON" in result.stderr
