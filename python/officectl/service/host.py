"""What is left on a host.

Of launches that are over (P7): found by its mark, killed, confirmed as gone. Of work that is retired (N3):
the engines' own sessions.
"""

import asyncio
import logging
from collections.abc import Mapping

from officectl.errors import Refused
from officectl.executors.marks import Launched, sweep
from officectl.executors.retire import delete_session
from officectl.service.calls import Calls

log = logging.getLogger(__name__)


async def abandoned(calls: Calls, host: str) -> set[Launched]:
    """Launches of workers that ended on this host, whose cleanup nobody has confirmed; OfficeError."""
    rows = await calls.rows("abandoned_attempts", host=host)
    return {(str(row["attempt_id"]), row["launch"]) for row in rows}


async def clean_up(calls: Calls, over: Mapping[Launched, int]) -> list[Launched]:
    """Kill what is left of these launches, and confirm it; the numbers are of processes killed before.

    Those that are done with; the others are not over yet for the office. OfficeError when the database does
    not answer, TimeoutError when something cannot be killed.
    """
    if not over:
        return []
    killed = await asyncio.to_thread(sweep, set(over))
    done = [
        launched
        for launched, before in over.items()
        if await confirm(calls, launched, before + killed[launched])
    ]
    log.info("cleaned up after %d launches: %d processes killed", len(done), killed.total())
    return done


async def confirm(calls: Calls, launched: Launched, killed: int) -> bool:
    """Say that nothing is left; False when the launch is not over yet for the office. OfficeError."""
    attempt_id, launch = launched
    try:
        await calls.rows("confirm_cleanup", attempt_id=attempt_id, killed=killed, launch=launch)
    except Refused as refusal:
        if refusal.code == "conflict":
            return False
        if refusal.code not in ("attempt_superseded", "not_found"):
            raise
    return True


async def delete_retired(calls: Calls, host: str) -> None:
    """Delete the engine sessions of retired work that this host keeps, and say what became of them.

    What cannot be deleted now is tried again the next time. OfficeError when the database does not answer.
    """
    for row in await calls.rows("sessions_to_delete", host=host):
        try:
            outcome = await asyncio.to_thread(delete_session, row["executor"], row["engine_session"])
        except OSError as fault:
            log.warning("the engine session %s cannot be deleted: %s", row["engine_session"], fault)
            continue
        await calls.rows("confirm_deletion", deletion_id=row["deletion_id"], outcome=outcome)
        log.info("engine session %s of retired work: %s", row["engine_session"], outcome)
