"""What is left of attempts that are over (P7): found by its mark, killed, and confirmed as gone."""

import asyncio
import logging
from collections.abc import Mapping
from uuid import UUID

from officectl.executors.marks import sweep
from officectl.service.calls import Calls

log = logging.getLogger(__name__)


async def abandoned(calls: Calls, host: str) -> set[UUID]:
    """Attempts of workers that ended on this host, whose cleanup nobody has confirmed; OfficeError."""
    return {row["abandoned_attempts"] for row in await calls.rows("abandoned_attempts", host=host)}


async def clean_up(calls: Calls, over: Mapping[UUID, int]) -> None:
    """Kill what is left of these attempts, and confirm it; the numbers are of processes killed before.

    OfficeError when the database does not take it, TimeoutError when something cannot be killed.
    """
    if not over:
        return
    killed = await asyncio.to_thread(sweep, {str(attempt_id) for attempt_id in over})
    for attempt_id, before in over.items():
        await calls.rows("confirm_cleanup", attempt_id=attempt_id, killed=before + killed[str(attempt_id)])
    log.info("cleaned up after %d attempts: %d processes killed", len(over), killed.total())
