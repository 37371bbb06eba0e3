"""What must happen although nothing happens: dispatch, wishes, maintenance, routines (A6, Q22, R9)."""

import asyncio
import logging

from officectl.errors import OfficeError, Unreachable
from officectl.service.calls import Calls, passes
from officectl.service.waiting import any_of

MOST_CHANGES = 100

TICK_SECONDS = 5.0
"""Until the database says how often."""

log = logging.getLogger(__name__)


class Ticker:
    """Dispatches, carries out and maintains at every tick, and fires routines on the minute.

    Any number may run at once.
    """

    def __init__(self, calls: Calls) -> None:
        self._calls = calls
        self._tick_seconds = TICK_SECONDS
        self._refused: set[str] = set()

    async def run(self, over: asyncio.Event) -> None:
        """Until `over`. A piece that is refused is told once, and holds up no other."""
        await asyncio.gather(self._go_round(over), self._fire_routines(over))

    async def _go_round(self, over: asyncio.Event) -> None:
        pieces = (self._read_settings, self._dispatch, self._carry_out, self._maintain)
        while not over.is_set():
            for piece in pieces:
                try:
                    await piece()
                except OfficeError as error:
                    self._note(error)
                    if isinstance(error, Unreachable):
                        break
            await any_of(over, timeout=self._tick_seconds)

    async def _fire_routines(self, over: asyncio.Event) -> None:
        """At once, and then whenever the database says, by its own clock."""
        while not over.is_set():
            pause = self._tick_seconds
            try:
                (row,) = await self._calls.rows("tick")
                pause = row["call_in"]
                if row["fired"] or row["failed"] or row["passed_over"]:
                    log.info(
                        "routines: %d fired, %d failed, %d passed over",
                        row["fired"],
                        row["failed"],
                        row["passed_over"],
                    )
            except OfficeError as error:
                self._note(error)
            await any_of(over, timeout=pause)

    def _note(self, error: OfficeError) -> None:
        self._calls.note_loss(error)
        if not passes(error) and error.message not in self._refused:
            self._refused.add(error.message)
            log.warning("a piece of every tick is refused: %s", error.message)

    async def _read_settings(self) -> None:
        (row,) = await self._calls.rows("get_setting", key="worker_poll_seconds")
        self._tick_seconds = float(row["get_setting"])

    async def _dispatch(self) -> None:
        await self._calls.rows("dispatch")

    async def _carry_out(self) -> None:
        await carry_out(self._calls)

    async def _maintain(self) -> None:
        # Each piece knows by itself whether it is due.
        for row in await self._calls.rows("maintain"):
            if row["done"]:
                log.info("maintenance: %s %d", row["piece"], row["done"])


async def carry_out(calls: Calls) -> None:
    """All that the office wants changed in people's tables, in short transactions; OfficeError."""
    done = MOST_CHANGES
    while done >= MOST_CHANGES:
        (row,) = await calls.rows("carry_out", max_changes=MOST_CHANGES)
        done = row["carry_out"]
