"""What must happen although nothing happens: dispatch, the office's wishes, maintenance (A6, Q22)."""

import asyncio
import logging
import time

from officectl.errors import OfficeError
from officectl.service.calls import Calls, passes
from officectl.service.waiting import any_of

MOST_CHANGES = 100

log = logging.getLogger(__name__)


async def tick(calls: Calls, over: asyncio.Event) -> None:
    """Until `over`: dispatch and carry out at every tick, maintain at every sweep. Several may run."""
    swept = 0.0
    while not over.is_set():
        period = 5.0
        try:
            period = float(await _setting(calls, "worker_poll_seconds"))
            await calls.rows("dispatch")
            await carry_out(calls)
            if time.monotonic() - swept >= float(await _setting(calls, "sweep_seconds")):
                swept = time.monotonic()
                await _maintain(calls)
        except OfficeError as error:
            calls.note_loss(error)
            if not passes(error):
                log.warning("a tick was refused: %s", error.message)
        await any_of(over, timeout=period)


async def carry_out(calls: Calls) -> None:
    """All that the office wants changed in people's tables, in short transactions."""
    done = MOST_CHANGES
    while done >= MOST_CHANGES:
        (row,) = await calls.rows("carry_out", max_changes=MOST_CHANGES)
        done = row["carry_out"]


async def _maintain(calls: Calls) -> None:
    for row in await calls.rows("maintain"):
        if row["done"]:
            log.info("maintenance: %s %d", row["piece"], row["done"])


async def _setting(calls: Calls, key: str) -> str:
    (row,) = await calls.rows("get_setting", key=key)
    return str(row["get_setting"])
