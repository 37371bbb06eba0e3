"""Collects pgTAP files: each *.sql below this folder is run by psql in a fresh copy of the template.

A file is one item, each of its assertions a subtest. An error of psql's or a wrong plan fails the file.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from support import servers

from officectl.database.embedded import Binaries

PLAN = re.compile(r"^1\.\.(\d+)(?:\s*# SKIP\s*(.*))?", re.I)
RESULT = re.compile(r"^(not )?ok (\d+)(?:\s+-\s+(.*?))?(?:\s*# (SKIP|TODO)\b\s*(.*))?$", re.I)


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    return SqlFile.from_parent(parent, path=file_path) if file_path.suffix == ".sql" else None


class SqlFile(pytest.File):
    def collect(self) -> Iterator[pytest.Item]:
        def run(binaries: Binaries, database: str, subtests: pytest.Subtests) -> None:
            run_file(self.path, binaries, database, subtests)

        yield SqlItem.from_parent(self, name=self.path.stem, callobj=run)


class SqlItem(pytest.Function):
    def reportinfo(self) -> tuple[Path, int, str]:
        return self.path, 0, self.path.stem


@dataclass
class Assertion:
    """One line of TAP with the lines of diagnosis below it."""

    number: int
    passed: bool
    description: str
    directive: str
    reason: str
    diagnosis: list[str]


def read_tap(output: str) -> tuple[int | None, str | None, list[Assertion]]:
    """The plan, the reason when the whole file is skipped, and the assertions."""
    plan, skipped, assertions = None, None, list[Assertion]()
    for line in output.splitlines():
        if found := PLAN.match(line):
            plan, skipped = int(found[1]), found[2]
        elif found := RESULT.match(line):
            description, directive, reason = (found[group] or "" for group in (3, 4, 5))
            assertions.append(
                Assertion(int(found[2]), not found[1], description, directive.upper(), reason, [])
            )
        elif line.startswith("#") and assertions:
            assertions[-1].diagnosis.append(line)
    return plan, skipped, assertions


def run_file(path: Path, binaries: Binaries, database: str, subtests: pytest.Subtests) -> None:
    if servers.pgtap() is None:
        pytest.skip("pgTAP is not to be had on this machine")
    psql = [str(binaries.folder / "psql"), "-XqAt", "-v", "ON_ERROR_STOP=1", "-d", database, "-f", path.name]
    done = subprocess.run(psql, cwd=path.parent, capture_output=True, text=True, timeout=120)
    plan, skipped, assertions = read_tap(done.stdout)
    if skipped is not None and not assertions:
        pytest.skip(skipped)
    for assertion in assertions:
        with subtests.test(f"{assertion.number} - {assertion.description}"):
            if assertion.directive:
                pytest.skip(assertion.reason)
            if not assertion.passed:
                pytest.fail("\n".join(assertion.diagnosis) or "not ok", pytrace=False)
    if done.returncode:
        pytest.fail(done.stderr.strip(), pytrace=False)
    if plan != len(assertions):
        pytest.fail(f"planned {plan}, ran {len(assertions)} assertions", pytrace=False)
