"""Reads TAP, the output of pgTAP's files."""

from __future__ import annotations

import re
from dataclasses import dataclass

PLAN = re.compile(r"^1\.\.(\d+)(?:\s*# SKIP\s*(.*))?", re.I)
RESULT = re.compile(r"^(not )?ok (\d+)(?:\s+-\s+(.*?))?(?:\s*# (SKIP|TODO)\b\s*(.*))?$", re.I)


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
