"""Two and more real sessions: a statement in the background, and certainty that it waits.

Nothing sleeps to be right: what a test waits for is watched in the server's own views, up to a deadline.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from types import TracebackType
from typing import Any

import psycopg

Connection = psycopg.Connection[Any]

DEADLINE = 10.0  # seconds: how long a test waits for what must come before it fails
GLANCE = 0.002  # seconds between two looks


def wait_until_blocked(
    observer: Connection, pid: int, *, by: int | None = None, deadline: float = DEADLINE
) -> None:
    """Return once the session `pid` waits for a lock, held by the session `by` where given.

    Fails after `deadline` seconds. `observer` is a session of its own, in autocommit.
    """
    end = time.monotonic() + deadline
    while time.monotonic() < end:
        row = observer.execute(
            "select wait_event_type = 'Lock', pg_blocking_pids(pid) from pg_stat_activity where pid = %s",
            [pid],
        ).fetchone()
        if row and row[0] and (by is None or by in row[1]):
            return
        time.sleep(GLANCE)
    raise AssertionError(f"session {pid} did not wait for a lock within {deadline:g} s")


class Background:
    """One statement that runs in a thread, on a connection that nobody else uses meanwhile.

    `with Background(conn, "select …", [values]) as other:` starts it; `other.rows()` waits for the end and
    gives its rows, or raises what it raised. Leaving the block cancels a statement that still runs.
    """

    def __init__(self, conn: Connection, statement: str, parameters: Sequence[object] = ()) -> None:
        self.conn = conn
        self.pid = conn.info.backend_pid
        self.error: BaseException | None = None
        self._rows: list[Any] = []
        self._statement = statement
        self._parameters = parameters
        self._thread = threading.Thread(target=self._run, daemon=True)

    def _run(self) -> None:
        try:
            cursor = self.conn.execute(self._statement.encode(), self._parameters)
            self._rows = cursor.fetchall() if cursor.description else []
        except BaseException as error:
            self.error = error

    @property
    def done(self) -> bool:
        """Has the statement ended, well or badly?"""
        return not self._thread.is_alive()

    def wait(self, deadline: float = DEADLINE) -> None:
        """Return once the statement has ended, however; fail after `deadline` seconds."""
        self._thread.join(deadline)
        assert self.done, f"still running after {deadline:g} s: {self._statement}"

    def rows(self, deadline: float = DEADLINE) -> list[Any]:
        """The statement's rows, once it has ended; raises its error."""
        self.wait(deadline)
        if self.error is not None:
            raise self.error
        return self._rows

    def __enter__(self) -> Background:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if not self.done:
            self.conn.cancel_safe()
            self.wait()
