"""PostgreSQL refuses to run as root: as root, its programs run as an ordinary user that exists already.

Nothing here makes a user or changes the permissions of a folder that it did not make itself.
"""

from __future__ import annotations

import os
import pwd
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from officectl.errors import OfficeError

# In this order: the distribution's own user for PostgreSQL, then the one that every system has.
_CANDIDATES = ("postgres", "nobody")


@dataclass(frozen=True)
class Runner:
    """As whom PostgreSQL's programs run. ``switch`` is false where that is already the caller."""

    name: str
    uid: int
    gid: int
    switch: bool

    def run(self, arguments: list[str], **options: Any) -> subprocess.CompletedProcess[str]:
        """Run a program to its end as this user, in ``/`` and with its output captured as text."""
        if self.switch:
            options |= {"user": self.uid, "group": self.gid, "extra_groups": []}
        environment = {name: value for name, value in os.environ.items() if not name.startswith("PG")}
        try:
            return subprocess.run(
                arguments,
                cwd="/",
                env=environment | {"LC_ALL": "C"},
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                errors="replace",
                start_new_session=True,
                check=False,
                **options,
            )
        except PermissionError as error:
            raise OfficeError(
                f"{arguments[0]} cannot be run as the user {self.name}: {error.strerror}",
                "Run officectl as an ordinary user, or name another database with --dsn.",
            ) from error

    def can_read(self, path: Path) -> bool:
        """Whether this user gets at the path, every parent folder included."""
        if not self.switch:
            return os.access(path, os.R_OK)
        return self.run(["/bin/sh", "-c", 'test -r "$1"', "sh", str(path)]).returncode == 0

    def make_folder(self, path: Path) -> None:
        """Make a folder that only this user (and root) can enter; one that is there is left as it is."""
        if path.exists():
            return
        path.mkdir(mode=0o700)
        if self.switch:
            os.chown(path, self.uid, self.gid)


def runner_for(data: Path) -> Runner:
    """The caller, or for root the owner of the data folder, else `postgres`, else `nobody`."""
    if os.geteuid() != 0:
        return Runner(_name(os.geteuid()), os.geteuid(), os.getegid(), switch=False)
    owner = data.stat().st_uid if data.exists() else 0
    entry = pwd.getpwuid(owner) if owner != 0 else _first_candidate()
    return Runner(entry.pw_name, entry.pw_uid, entry.pw_gid, switch=True)


def _first_candidate() -> pwd.struct_passwd:
    for name in _CANDIDATES:
        try:
            return pwd.getpwnam(name)
        except KeyError:
            continue
    raise OfficeError(
        "PostgreSQL does not run as root, and there is no user postgres or nobody to run it as",
        "Run officectl as an ordinary user, or name another database with --dsn.",
    )


def _name(uid: int) -> str:
    """The user's name; containers run as numbers that have none."""
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return str(uid)
