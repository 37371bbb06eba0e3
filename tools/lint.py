"""`make lint`: every linter over the whole tree, a line for each, its findings below it."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import lint_sql

ROOT = Path(__file__).resolve().parent.parent
TOOLS = Path(sys.executable).parent

# What belongs to one machine or is left for later has no place in a repository. This file alone may hold it.
UNWANTED = {
    r"(?<![\w.])/(work|tmp/w|root|home/\w+)/": "a path of one machine",
    r"\.\./shared\b": "a folder outside the repository",
    r"\b(pypi|pythonhosted|npmjs|debian)\.org\b": "a host of a package registry",
    r"^\s*(#|--|//) ?(TODO|FIXME|XXX)\b": "something left for later",
}
TEXT = {".py", ".sql", ".md", ".toml", ".yaml", ".yml", ".sh", ".cfg", ".jsonl", ".js", ".html", ".css", ""}


def command(*argv: str) -> Callable[[], list[str]]:
    """A linter that is a program: its output is the findings when it does not exit with 0."""

    def run() -> list[str]:
        done = subprocess.run(
            [str(TOOLS / argv[0]), *argv[1:]],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        return done.stdout.splitlines() or ["failed without a word"] if done.returncode else []

    return run


def tree() -> Iterator[str]:
    """Unwanted words in the files of the repository, those not yet committed included."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    )
    for path in (ROOT / name for name in listed.stdout.splitlines()):
        if path == Path(__file__).resolve() or path.suffix not in TEXT or not path.is_file():
            continue
        for number, line in enumerate(path.read_text().splitlines(), 1):
            for pattern, words in UNWANTED.items():
                if re.search(pattern, line):
                    yield f"{path.relative_to(ROOT)}:{number}: {words}"


def migrations() -> list[str]:
    """The migrations that go forward; a rollback drops things because that is its purpose."""
    return [
        str(path.relative_to(ROOT))
        for path in sorted(ROOT.glob("sql/schema/*.sql"))
        if not path.name.endswith(".rollback.sql")
    ]


LINTERS: dict[str, Callable[[], Iterable[str]]] = {
    "ruff": command("ruff", "check", "--quiet", "--output-format", "concise", "."),
    "ruff format": command("ruff", "format", "--check", "--quiet", "."),
    "mypy": command("mypy", "--no-error-summary"),
    "sqlfluff": command("sqlfluff", "lint", "--disable-progress-bar", "sql"),
    "squawk": command("squawk", "--reporter", "gcc", *migrations()),
    "bodies": lint_sql.findings,
    "tree": tree,
}


def run() -> Iterator[tuple[str, list[str]]]:
    """Run every linter: its name, and what it finds."""
    for name, linter in LINTERS.items():
        yield name, list(linter())


def show(name: str, found: list[str]) -> None:
    """Print what a linter says."""
    print(f"lint {name:<12} {'FAILED' if found else 'ok'}", flush=True)
    for line in found:
        print(f"  {line}")


def main() -> int:
    failed = 0
    for name, found in run():
        show(name, found)
        failed |= bool(found)
    return failed


if __name__ == "__main__":
    sys.exit(main())
