"""Hearing of work sooner than by asking (Q15). Losing it costs time only: who listens also polls."""

import asyncio
import logging
from collections.abc import Mapping, Sequence

from psycopg import sql

from officectl.database.connect import aconnect
from officectl.service.waiting import any_of

PROOF_SECONDS = 30.0
"""How often a silent connection has to prove that it is one."""

PAUSE_SECONDS = 1.0
"""Between losing a connection and asking for the next."""

log = logging.getLogger(__name__)

Bells = Mapping[str, Sequence[asyncio.Event]]


async def listen(dsn: str, bells: Bells, over: asyncio.Event) -> None:
    """Until `over`, set the events of a channel when something comes in on it, and all after a reconnect."""
    while not over.is_set():
        hearing = asyncio.create_task(_hear(dsn, bells))
        ended = asyncio.create_task(over.wait())
        await asyncio.wait((hearing, ended), return_when=asyncio.FIRST_COMPLETED)
        for task in (hearing, ended):
            task.cancel()
        (fault, _) = await asyncio.gather(hearing, ended, return_exceptions=True)
        if not over.is_set():
            log.debug("not listening: %s", fault)
            await any_of(over, timeout=PAUSE_SECONDS)


async def _hear(dsn: str, bells: Bells) -> None:
    """Never returns; OfficeError, psycopg.Error or TimeoutError when the connection is lost."""
    async with await aconnect(dsn, autocommit=True, application_name="officectl listener") as connection:
        for channel in bells:
            await connection.execute(sql.SQL("listen {}").format(sql.Identifier(channel)))
        for channel in bells:
            _ring(bells, channel)
        while True:
            async for notification in connection.notifies(timeout=PROOF_SECONDS):
                _ring(bells, notification.channel)
            async with asyncio.timeout(PROOF_SECONDS):
                await connection.execute("select 1")


def _ring(bells: Bells, channel: str) -> None:
    for bell in bells.get(channel, ()):
        bell.set()
