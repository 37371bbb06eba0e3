"""The identity of a working tree (D2): another text whenever something in it has changed.

The database compares.

In a git repository: HEAD, the status, and the contents of what differs from it; elsewhere the paths, sizes
and times of all files.
"""

import hashlib
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

GIT_SECONDS = 60
CHUNK = 1_048_576


def identity(folder: Path) -> str:
    """Of the tree that the folder is in, as git:… or files:…."""
    top = _git(folder, "rev-parse", "--show-toplevel")
    if top is not None:
        place = os.fsdecode(top.rstrip(b"\n"))
        return f"git:{_of_repository(Path(place))}"
    return f"files:{_of_files(folder)}"


def _of_repository(top: Path) -> str:
    known = hashlib.sha256()
    for question in (
        ("rev-parse", "--verify", "--quiet", "HEAD"),
        ("status", "--porcelain=v2", "-z", "--untracked-files=all"),
    ):
        _add(known, _git(top, *question) or b"")
    changed = _git(top, "ls-files", "-z", "--modified", "--others", "--exclude-standard") or b""
    for name in sorted(set(changed.split(b"\0")) - {b""}):
        _add(known, name)
        _add(known, _contents(top / os.fsdecode(name)))
    return known.hexdigest()


def _of_files(folder: Path) -> str:
    known = hashlib.sha256()
    for path in _files(folder):
        try:
            told = path.lstat()
        except OSError:
            # Gone meanwhile.
            continue
        _add(known, os.fsencode(path.relative_to(folder)))
        _add(known, f"{told.st_mode} {told.st_size} {told.st_mtime_ns}".encode())
    return known.hexdigest()


def _files(folder: Path) -> Iterator[Path]:
    for place, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            yield Path(place, name)


def _contents(path: Path) -> bytes:
    """A digest of what a file holds, or where a link leads; of what cannot be read, that it cannot."""
    if path.is_symlink():
        return os.fsencode(path.readlink())
    digest = hashlib.sha256()
    try:
        with path.open("rb") as file:
            while data := file.read(CHUNK):
                digest.update(data)
    except OSError as error:
        return str(error.errno).encode()
    return digest.digest()


def _add(known: "hashlib._Hash", part: bytes) -> None:
    """Each part with its length, so that no two lists of parts look alike."""
    known.update(f"{len(part)}:".encode() + part)


def _git(folder: Path, *arguments: str) -> bytes | None:
    """What git answers; None when it is not there or the folder is in no repository."""
    try:
        done = subprocess.run(
            ["git", "-C", folder, *arguments],
            env={**os.environ, "GIT_OPTIONAL_LOCKS": "0"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=GIT_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout if done.returncode == 0 else None
