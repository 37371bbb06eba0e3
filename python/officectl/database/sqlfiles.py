"""The SQL files of the product: where they are, in which order they run, and their digest."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import officectl
from officectl.errors import OfficeError

ROLES = ("reader", "client", "worker", "operator")

_CREATED = re.compile(
    r"create\s+(?:or\s+replace\s+)?(?:view|function|procedure)\s+([a-z_]+\.[a-z0-9_]+)", re.I
)
_COMMENT_OR_TEXT = re.compile(r"--[^\n]*|'(?:[^']|'')*'")
_ROLE_WORD = re.compile(r"\boffice_(" + "|".join(ROLES) + r")\b")


@dataclass(frozen=True)
class SqlFile:
    """One file: its path below the root (``schema/0001-foundation.sql``) and its text."""

    path: str
    text: str

    @property
    def name(self) -> str:
        """Of a migration: its id."""
        return Path(self.path).stem

    @property
    def part(self) -> str:
        """The part of the deploy that it belongs to: functions, views, triggers, grants."""
        return self.path.partition("/")[0].removesuffix(".sql")

    @property
    def sha256(self) -> str:
        """The digest of the text, in hexadecimal."""
        return hashlib.sha256(self.text.encode()).hexdigest()

    @property
    def created(self) -> list[str]:
        """The functions and views that the file makes, with their schema."""
        return _CREATED.findall(self.text)


@dataclass(frozen=True)
class SqlFiles:
    """All files below one folder, in the order of a deploy."""

    root: Path

    @cached_property
    def migrations(self) -> list[SqlFile]:
        """The versions of the schema, oldest first."""
        return [file for file in self._read("schema/*.sql") if not file.path.endswith(".rollback.sql")]

    @cached_property
    def functions(self) -> list[SqlFile]:
        """Those of ``functions/core`` first, then by path."""
        files = self._read("functions/**/*.sql")
        return sorted(files, key=lambda file: (not file.path.startswith("functions/core/"), file.path))

    @cached_property
    def views(self) -> list[SqlFile]:
        """Each after the views that it reads."""
        return _in_order_of_use(self._read("views/*.sql"))

    @cached_property
    def triggers(self) -> list[SqlFile]:
        """By path; each file is about one table."""
        return self._read("triggers/*.sql")

    @cached_property
    def grants(self) -> list[SqlFile]:
        """The one file of the security posture, or none."""
        return self._read("grants.sql")

    @cached_property
    def digest(self) -> str:
        """One digest over the paths and texts of everything that a deploy runs."""
        digest = hashlib.sha256()
        for file in [*self.migrations, *self.functions, *self.views, *self.triggers, *self.grants]:
            digest.update(f"{file.path}\n{file.sha256}\n".encode())
        return digest.hexdigest()

    def _read(self, pattern: str) -> list[SqlFile]:
        return [
            SqlFile(path.relative_to(self.root).as_posix(), path.read_text(encoding="utf-8"))
            for path in sorted(self.root.glob(pattern))
        ]


def packaged() -> SqlFiles:
    """The files that belong to this officectl: inside the wheel, or beside the package in a checkout."""
    package = Path(officectl.__file__).parent
    for root in (package / "_sql", package.parents[1] / "sql"):
        if (root / "schema").is_dir():
            return SqlFiles(root)
    raise OfficeError(
        "officectl's SQL files are missing from this installation", "Install it again: pip install officectl"
    )


def with_roles(file: SqlFile, names: Mapping[str, str]) -> SqlFile:
    """The file with its role words replaced; ``names`` maps each of `ROLES` to a SQL identifier."""
    return SqlFile(file.path, _ROLE_WORD.sub(lambda found: names[found.group(1)], file.text))


def _in_order_of_use(files: Iterable[SqlFile]) -> list[SqlFile]:
    """Depth first: what a file's statements name comes before it. Comments and quoted text do not count."""
    remaining = {file.path: file for file in files}
    maker = {name: file for file in remaining.values() for name in file.created}
    ordered: list[SqlFile] = []

    def place(file: SqlFile) -> None:
        if remaining.pop(file.path, None) is None:
            return
        statements = _COMMENT_OR_TEXT.sub("", file.text)
        for name, made_by in maker.items():
            if re.search(rf"\b{re.escape(name)}\b", statements):
                place(made_by)
        ordered.append(file)

    for file in list(remaining.values()):
        place(file)
    return ordered
