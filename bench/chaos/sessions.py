"""A session that outlives its server: an answer is rows, a refusal, or a loss with the outcome unknown."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any

import psycopg
from psycopg.rows import dict_row

from .ledger import Ledger

Row = dict[str, Any]
Values = Sequence[object] | Mapping[str, object]

# A6: "try again"; a statement that waited too long for a lock or a frozen session is one of them.
AGAIN = {"40001", "40P01", "55P03", "57014"}
# The server goes, or this session was ended.
GOING = {"57P01", "57P02", "57P03", "25P03"}
PATIENCE = 60.0
PAUSE = 0.1


class Lost(Exception):
    """The connection went away: whether the statement was carried out is not known."""


class Refused(Exception):
    """A rule refused, or the server said to try `again`."""

    def __init__(self, state: str | None, error: psycopg.Error) -> None:
        super().__init__(f"{state}: {error}")
        self.state = state
        self.again = state in AGAIN


class Session:
    """One connection, made again whenever it is gone."""

    def __init__(self, dsn: str, name: str, ledger: Ledger, **settings: str) -> None:
        self.ledger = ledger
        self._dsn = dsn
        self._name = name
        self._settings = " ".join(f"-c {key}={value}" for key, value in settings.items())
        self._conn: psycopg.Connection[Row] | None = None
        self._lost = False

    def rows(self, statement: str, *values: object) -> list[Row]:
        """What one statement gives, in a transaction of its own."""
        return self.together([(statement, values)])

    def together(self, steps: Sequence[tuple[str, Values]], *, keep: bool = True) -> list[Row]:
        """What the last of some statements gives; all in one transaction, rolled back unless it is kept."""
        conn = self._connected()
        try:
            if len(steps) == 1 and keep:
                return self._fetch(conn, *steps[0])
            with conn.transaction(force_rollback=not keep):
                for statement, values in steps[:-1]:
                    conn.execute(statement.encode(), values)
                return self._fetch(conn, *steps[-1])
        except psycopg.Error as error:
            raise self._read(error) from error

    def close(self) -> None:
        if self._conn is not None:
            self._conn.close()

    @staticmethod
    def _fetch(conn: psycopg.Connection[Row], statement: str, values: Values) -> list[Row]:
        cursor = conn.execute(statement.encode(), values)
        return cursor.fetchall() if cursor.description else []

    def _connected(self) -> psycopg.Connection[Row]:
        end = time.monotonic() + PATIENCE
        while self._conn is None or self._conn.closed:
            try:
                self._conn = psycopg.connect(
                    self._dsn,
                    autocommit=True,
                    row_factory=dict_row,
                    application_name=self._name,
                    options=self._settings,
                    connect_timeout=10,
                )
            except psycopg.OperationalError:
                if time.monotonic() > end:
                    raise
                time.sleep(PAUSE)
        if self._lost:
            self._lost = False
            self.ledger.note("connected", name=self._name)
        return self._conn

    def _read(self, error: psycopg.Error) -> Exception:
        """What an error means; one that no rule gives is noted, and the proof finds it."""
        state = error.sqlstate
        if state in GOING or (state is None and isinstance(error, psycopg.OperationalError)):
            self._lost = True
            self.close()
            return Lost(str(error))
        if state not in AGAIN and not (state or "").startswith("PT"):
            self.ledger.note("wrong", error=f"{state}: {error}", where=error.diag.context)
        return Refused(state, error)
