"""What the demo agent does: reads a folder of source text, counts its lines, finds what was left to do."""

import os
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

LANGUAGES = {
    ".c": "C",
    ".css": "CSS",
    ".go": "Go",
    ".h": "C",
    ".html": "HTML",
    ".java": "Java",
    ".js": "JavaScript",
    ".md": "Markdown",
    ".py": "Python",
    ".rb": "Ruby",
    ".rs": "Rust",
    ".sh": "Shell",
    ".sql": "SQL",
    ".ts": "TypeScript",
}
SKIPPED_FOLDERS = {".git", ".venv", "__pycache__", "build", "dist", "node_modules"}
WRITTEN = {"REPORT.md", "CHECKLIST.md"}
"""What the demo agent writes itself: no part of what it surveys."""
MAX_FILE_BYTES = 1_000_000
MARK = re.compile(r"(?:#|//|--|/\*|<!--)\s*(?P<mark>TODO|FIXME)\b[:\s]*(?P<text>.*?)\s*(?:\*/|-->)?\s*$")


@dataclass(frozen=True)
class Note:
    """A TODO or FIXME comment: where (path relative to the folder, line from 1) and what it says."""

    path: str
    line: int
    mark: str
    text: str


@dataclass
class Survey:
    """Lines by language, number of files, and the notes in the order of their places."""

    files: int = 0
    lines: Counter[str] = field(default_factory=Counter)
    notes: list[Note] = field(default_factory=list)

    @property
    def summary(self) -> str:
        return f"{self.files} files, {self.lines.total()} lines, {len(self.notes)} comments of work left"


def survey(folder: Path) -> Survey:
    """Reads every source file below the folder; what cannot be read or is too large is left out."""
    found = Survey()
    for path in _sources(folder):
        try:
            if path.stat().st_size > MAX_FILE_BYTES:
                continue
            lines = path.read_text(encoding="utf-8").splitlines()
        except (OSError, UnicodeDecodeError):
            continue
        found.files += 1
        found.lines[LANGUAGES[path.suffix]] += len(lines)
        place = path.relative_to(folder).as_posix()
        for number, line in enumerate(lines, start=1):
            if match := MARK.search(line):
                found.notes.append(Note(place, number, match["mark"], match["text"]))
    return found


def report(found: Survey) -> str:
    """The survey as Markdown."""
    lines = ["# Report", "", found.summary + ".", "", "| language | lines |", "|---|---:|"]
    lines += [f"| {language} | {count} |" for language, count in found.lines.most_common()]
    return "\n".join(lines) + "\n"


def checklist(found: Survey) -> str:
    """The work left as a Markdown list to tick off, file by file."""
    lines = ["# Work left", ""]
    lines += [f"- [ ] {note.path}:{note.line} {note.text or note.mark}" for note in found.notes]
    return "\n".join(lines) + "\n"


def _sources(folder: Path) -> Iterator[Path]:
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if name not in SKIPPED_FOLDERS)
        for name in sorted(names):
            path = Path(place, name)
            if path.suffix in LANGUAGES and name not in WRITTEN:
                yield path
