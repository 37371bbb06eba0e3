"""Deletes what engines keep of work that is retired (N3)."""

import os
import re
from typing import Literal

from officectl.executors.base import Json
from officectl.executors.engines import ENGINES

Outcome = Literal["deleted", "not_there", "unknown"]

SESSION = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
"""Nothing else is part of a file's name here."""


def delete_session(executor: Json, session: str) -> Outcome:
    """Delete an engine session where its preset knows how; OSError when its files cannot be removed."""
    engine = ENGINES.get(executor.get("preset", ""))
    if engine is None or engine.files is None or not SESSION.fullmatch(session):
        return "unknown"
    files = list(engine.files({**os.environ, **executor.get("environment", {})}, session))
    for file in files:
        file.unlink(missing_ok=True)
    return "deleted" if files else "not_there"
