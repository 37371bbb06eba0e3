"""What dead workers left on this host (P7): found by its mark, killed, and confirmed as gone."""

import asyncio
import logging
from collections.abc import Mapping
from uuid import UUID

from officectl.executors.marks import sweep
from officectl.service.calls import Calls

ABANDONED = """
select a.id
from office.attempts as a
join office.workers as w on w.id = a.worker_id
where a.cleaned_at is null and a.ended_at is not null and w.ended_at is not null and w.host = %(host)s
"""

log = logging.getLogger(__name__)


async def clean_up(calls: Calls, host: str, own: Mapping[UUID, int]) -> set[UUID]:
    """Kill and confirm what ended workers of this host left, and own attempts; the ids of what is gone.

    `own` says for each how many processes were killed already. Raises OfficeError when the database does not
    answer, and TimeoutError when something cannot be killed; the next time finds what this time did not.
    """
    abandoned = {row["id"] for row in await calls.query(ABANDONED, {"host": host})} | set(own)
    if not abandoned:
        return abandoned
    killed = await asyncio.to_thread(sweep, {str(attempt_id) for attempt_id in abandoned})
    for attempt_id in abandoned:
        count = own.get(attempt_id, 0) + killed[str(attempt_id)]
        await calls.rows("confirm_cleanup", attempt_id=attempt_id, killed=count)
    log.info("cleaned up after %d attempts: %d processes killed", len(abandoned), killed.total())
    return abandoned
