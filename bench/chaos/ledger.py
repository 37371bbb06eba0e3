"""What was acknowledged, outside the database: one JSON line each, whole also when its writer is killed."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

Entry = dict[str, Any]


class Ledger:
    """Written by one process and its threads; every entry has `at`, on the clock that all processes share."""

    def __init__(self, path: Path) -> None:
        self.writer = path.stem
        self._file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)

    def note(self, what: str, *, at: float | None = None, **facts: Any) -> None:
        """Append one entry."""
        entry = {"what": what, "at": time.monotonic() if at is None else at, "by": self.writer, **facts}
        os.write(self._file, json.dumps(entry, default=str).encode() + b"\n")


def entries(folder: Path) -> Iterator[Entry]:
    """All that was noted, writer by writer, in the order of each. What is still being written has no end."""
    for path in sorted(folder.glob("*.ledger")):
        for line in path.read_text().split("\n")[:-1]:
            yield json.loads(line)
