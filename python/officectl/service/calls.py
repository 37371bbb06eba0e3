"""Calls of the office's functions, each in a short transaction of its own, and what to do without an answer.

What Postgres answers is final, but for the codes that mean "try again" (A6). A lost connection leaves open
whether the call was carried out; the functions that are called with `insist` can be repeated.
"""

import asyncio
import logging
from typing import Any

import psycopg
from psycopg.rows import dict_row
from psycopg_pool import AsyncConnectionPool

from officectl.errors import RETRYABLE, OfficeError, Unreachable, translate
from officectl.office import Json
from officectl.service.waiting import any_of
from officectl.statements import statement

ANSWER_SECONDS = 30.0
"""A call that has not answered by then has lost its connection, whatever the socket says."""

FIRST_PAUSE, LONGEST_PAUSE = 0.05, 5.0

TIMEOUT = "select set_config('statement_timeout', %s, true)"

log = logging.getLogger(__name__)


class GivenUp(Exception):
    """The database did not answer for as long as it mattered."""


class Calls:
    """`rows` asks once, `insist` until there is an answer."""

    def __init__(self, pool: AsyncConnectionPool) -> None:
        self._pool = pool
        self._lost = False

    async def rows(
        self, function: str, /, *, token: str | None = None, within: float | None = None, **arguments: Any
    ) -> list[Json]:
        """The rows of `office.<function>(…)`, by the agent whose token is given; OfficeError."""
        return await self.query(*statement(function, **arguments), token=token, within=within)

    async def query(
        self, query: Any, parameters: Any = None, *, token: str | None = None, within: float | None = None
    ) -> list[Json]:
        """The rows of any query, each statement of which has `within` seconds; OfficeError."""
        try:
            async with asyncio.timeout(ANSWER_SECONDS), self._pool.connection() as connection:
                if within is not None:
                    # For this transaction only: behind a pooler the connection is another's afterwards.
                    await connection.execute(TIMEOUT, [f"{within * 1000:.0f}"])
                if token is not None:
                    await connection.execute(*statement("act_with", secret=token))
                cursor = connection.cursor(row_factory=dict_row)
                await cursor.execute(query, parameters)
                rows = await cursor.fetchall()
        except psycopg.Error as error:
            raise translate(error) from error
        except TimeoutError as error:
            raise Unreachable(f"The database has not answered for {ANSWER_SECONDS:g} seconds.") from error
        if self._lost:
            self._lost = False
            log.info("the database answers again")
        return rows

    async def insist(self, function: str, /, *, give_up: asyncio.Event, **arguments: Any) -> list[Json]:
        """`rows`, again and again until the database answers; GivenUp when `give_up` is set meanwhile."""
        pause = FIRST_PAUSE
        while True:
            try:
                return await self.rows(function, **arguments)
            except OfficeError as error:
                if not passes(error):
                    raise
                self.note_loss(error)
                if give_up.is_set():
                    raise GivenUp(f"{function}: {error.message}") from error
            await any_of(give_up, timeout=pause)
            pause = min(pause * 2, LONGEST_PAUSE)

    def note_loss(self, error: OfficeError) -> None:
        """Log that the database is lost: one line, until it is back."""
        if isinstance(error, Unreachable) and not self._lost:
            self._lost = True
            log.warning("the database does not answer, trying until it does: %s", error.message)


def passes(error: OfficeError) -> bool:
    """Whether the same call may succeed when it is made again."""
    return isinstance(error, Unreachable) or error.code in RETRYABLE
