"""Collects pgTAP files: each *.sql below this folder is run by psql in a fresh copy of the template.

A file is one item, each of its assertions a subtest. An error of psql's or a wrong plan fails the file.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from support import servers
from support.tap import read_tap

from officectl.database.embedded import Binaries


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
