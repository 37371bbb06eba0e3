"""`make test`: pgTAP and pytest on PostgreSQL 15 and 18, what needs one version only, and lint: side by side.

One closing summary. What needs one version only mostly waits for programs: it fills the others' gaps.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path

import lint

ROOT = Path(__file__).resolve().parent.parent
NOT_TO_BE_HAD = 3  # how tests/python/support/servers.py says so
COUNT = re.compile(r"(\d+) (subtests passed|passed|failed|errors?|skipped|xfailed|xpassed)\b")
KIND = {
    "errors": "failed",
    "error": "failed",
    "subtests passed": "passed",
    "xfailed": "passed",
    "xpassed": "failed",
}


@dataclass
class Tally:
    """What one part of the tests came to."""

    name: str
    passed: int = 0
    failed: int = 0
    skipped: int = 0

    def __str__(self) -> str:
        return f"{self.passed} passed, {self.failed} failed, {self.skipped} skipped"


def read_summary(name: str, exit_code: int, last_line: str) -> Tally:
    """Counts from pytest's last line. A run that ends badly without a failed test counts as one."""
    tally = Tally(name)
    for number, word in COUNT.findall(last_line):
        kind = KIND.get(word, word)
        setattr(tally, kind, getattr(tally, kind) + int(number))
    if exit_code and not tally.failed:
        tally.failed = 1
    return tally


class Suite(threading.Thread):
    """One part of the tests; its lines are shown with its label before them."""

    def __init__(self, name: str, label: str, *options: str) -> None:
        super().__init__(name=name)
        self.label = label
        self.options = options
        self.tally = Tally(name, failed=1)

    def run(self) -> None:
        command = [sys.executable, "-m", "pytest", *self.options, "--color=no", "-ra", "--durations=5"]
        last_line = ""
        # A group of its own: a Ctrl-C reaches it through `stop` alone, once.
        with subprocess.Popen(
            command,
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        ) as self.tests:
            assert self.tests.stdout is not None
            for line in self.tests.stdout:
                print(f"{self.label}| {line}", end="", flush=True)
                last_line = line
        self.tally = read_summary(self.name, self.tests.returncode, last_line)

    def stop(self) -> None:
        """End the tests as Ctrl-C does, so that they stop and remove their servers."""
        if self.is_alive():
            self.tests.send_signal(signal.SIGINT)
            self.join()


class Lint(threading.Thread):
    """Every linter; what they find is kept for the end."""

    def __init__(self) -> None:
        super().__init__(name="lint", daemon=True)
        self.tally = Tally(self.name, failed=1)
        self.found: list[tuple[str, list[str]]] = []

    def run(self) -> None:
        self.found = list(lint.run())
        failed = sum(bool(found) for _, found in self.found)
        self.tally = Tally(self.name, passed=len(self.found) - failed, failed=failed)


def main() -> int:
    start = time.monotonic()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended by a signal"))
    tallies = []
    suites = [
        Suite("PostgreSQL 15", "15", "--pg=15", "--once=without"),
        Suite("PostgreSQL 18", "18", "--pg=18", "--once=without"),
        Suite("once, on 18", " 1", "--pg=18", "--once=alone"),
    ]
    answer = subprocess.run([sys.executable, ROOT / "tests/python/support/servers.py"]).returncode
    if answer == NOT_TO_BE_HAD:
        print("PostgreSQL 15 is skipped: it cannot be had here; the tests run on the embedded 18 alone")
        required = 1 if os.environ.get("REQUIRE_POSTGRES_15") else 0
        tallies.append(Tally("PostgreSQL 15", failed=required, skipped=1 - required))
        del suites[0]
    elif answer:
        return answer
    linters = Lint()
    parts: list[Suite | Lint] = [*suites, linters]
    for part in parts:
        part.start()
    try:
        for part in parts:
            part.join()
            tallies.append(part.tally)
    except (KeyboardInterrupt, SystemExit):
        for suite in suites:
            suite.stop()
        raise
    print()
    for name, found in linters.found:
        lint.show(name, found)

    print(f"\nin {time.monotonic() - start:.0f} s")
    for tally in tallies:
        print(f"{tally.name:<15} {tally}")
    total = Tally(
        "", *(sum(getattr(tally, kind) for tally in tallies) for kind in ("passed", "failed", "skipped"))
    )
    print(total)
    return 1 if total.failed else 0


if __name__ == "__main__":
    sys.exit(main())
