"""`make rules`: the rules of docs/spec, the scenarios of tests/data, the tests that name each, those without.

A rule is defined where a line begins with its id ("Q5. …"), a scenario where one begins with "- sc-W5 …".
A test names it by writing the id (`Q5`, `sc-W2`, or a range, `Q1-Q5`) in a name, a description, a docstring
or a comment.
"""

from __future__ import annotations

import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SAMPLES = ROOT / "tests/python/harness/test_rules.py"
RULE = re.compile(r"^([A-Z]\d+)\. ")
SCENARIO = re.compile(r"^- (sc-[A-Z]\d+) ")
# In a function's name an id stands between underscores: test_q5_carries_on.
MENTION = re.compile(
    r"(?<![A-Za-z0-9])(sc[-_])?([A-Z])(\d{1,2})(?:\s?(?:-|to|\.\.)\s?\2?(\d{1,2}))?(?![A-Za-z0-9])"
)
NAME = re.compile(r"\bdef (test_\w+)")


def defined(files: Iterable[Path], pattern: re.Pattern[str]) -> list[str]:
    """The ids that the files define, in order."""
    return [
        found[1] for file in files for line in file.read_text().splitlines() if (found := pattern.match(line))
    ]


def mentioned(text: str) -> Iterator[str]:
    """The ids that a test's text names, ranges written out."""
    names = " ".join(NAME.findall(text)).upper().replace("_", " ").replace("SC ", "sc-")
    for scenario, letter, first, last in MENTION.findall(f"{text} {names}"):
        prefix = "sc-" if scenario else ""
        for number in range(int(first), int(last or first) + 1):
            yield f"{prefix}{letter}{number}"


def tests() -> list[Path]:
    """The files that hold tests: pgTAP files and pytest modules, but for the one whose ids are samples."""
    files = {*ROOT.glob("tests/sql/**/*.sql"), *ROOT.glob("tests/python/**/test_*.py")}
    return sorted(files - {SAMPLES})


def main() -> int:
    """Print the map; always 0: a rule without a test is to be seen, not to fail."""
    spec = sorted(ROOT.glob("docs/spec/*.md"), key=lambda file: file.name)
    known = defined(spec, RULE) + defined([ROOT / "tests/data/scenarios.md"], SCENARIO)
    proofs: dict[str, list[str]] = defaultdict(list)
    for file in tests():
        for name in sorted(set(mentioned(file.read_text()))):
            proofs[name].append(str(file.relative_to(ROOT / "tests")))
    proven = [name for name in known if name in proofs]
    without = [name for name in known if name not in proofs]

    for name in proven:
        print(f"{name:<7} {', '.join(proofs[name])}")
    print(f"\nwithout a test: {' '.join(without) or 'none'}")
    for kind, prefix in (("rules", False), ("scenarios", True)):
        total, missing = (
            sum(name.startswith("sc-") is prefix for name in names) for names in (known, without)
        )
        print(f"{kind}: {total}, with a test {total - missing}, without {missing}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
