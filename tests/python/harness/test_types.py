"""A11: every Python file of the repository is checked by mypy, strictly."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[3]
CONFIGURATION: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["mypy"]
CARELESS = "def twice(number):\n    return 2 * number\n"


def left_out(files: list[str], roots: list[str]) -> list[str]:
    return [file for file in files if not any(Path(file).is_relative_to(root) for root in roots)]


def our_files() -> list[str]:
    """Python files that git knows or would take in."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.py"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return listed.stdout.split()


def test_no_file_is_left_out() -> None:
    files = our_files()
    assert len(files) > 200
    assert left_out(files, CONFIGURATION["files"]) == []
    assert left_out(["examples/new.py", "tests/conftest.py"], CONFIGURATION["files"]) == ["examples/new.py"]


def test_nothing_is_made_an_exception_of() -> None:
    """Strict, no folder passed over, and errors ignored nowhere."""
    assert CONFIGURATION["strict"] is True
    assert "exclude" not in CONFIGURATION
    overrides: list[dict[str, Any]] = CONFIGURATION["overrides"]
    assert not [each for each in overrides if each.get("ignore_errors") or each.get("follow_imports")]


@pytest.mark.parametrize("folder", ["bench", "python/officectl", "tests/python", "tools"])
def test_a_function_without_types_is_refused_in_each_folder(folder: str, tmp_path: Path) -> None:
    """K13: the check can fail, with this very configuration."""
    careless = tmp_path / folder / "careless.py"
    careless.parent.mkdir(parents=True)
    careless.write_text(CARELESS)
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "mypy",
            "--config-file",
            str(ROOT / "pyproject.toml"),
            f"--cache-dir={tmp_path / 'cache'}",
            str(careless),
        ],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1
    assert "Function is missing a type annotation" in done.stdout
