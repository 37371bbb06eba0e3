"""Which files of a folder are others after a run than before it (E2), by their sizes and times.

Who works in a folder at the same time is not told apart; what git keeps for itself is left out.
"""

import os
from collections.abc import Mapping
from pathlib import Path

MOST_FILES = 20_000
MOST_TOLD = 200
MOST_CHARACTERS = 16_000

Files = Mapping[str, tuple[int, int]]
"""Paths below the folder, with size in bytes and time in nanoseconds."""


def files_of(folder: str | None) -> Files | None:
    """What is there now; None where there is no folder, or more in it than is looked at."""
    if folder is None or not Path(folder).is_dir():
        return None
    found: dict[str, tuple[int, int]] = {}
    for place, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if name != ".git"]
        for name in names:
            path = Path(place, name)
            try:
                told = path.lstat()
            except OSError:
                # Gone meanwhile.
                continue
            found[str(path.relative_to(folder))] = (told.st_size, told.st_mtime_ns)
            if len(found) > MOST_FILES:
                return None
    return found


def changed(before: Files | None, after: Files | None) -> list[str]:
    """Paths of files that came, changed or went, in order; of very many the first, and how many more."""
    if before is None or after is None:
        return []
    paths = sorted(path for path in before.keys() | after.keys() if before.get(path) != after.get(path))
    told: list[str] = []
    for path in paths[:MOST_TOLD]:
        if sum(map(len, told)) + len(path) > MOST_CHARACTERS:
            break
        told.append(path)
    left = len(paths) - len(told)
    return [*told, f"… and {left} more"] if left else told
