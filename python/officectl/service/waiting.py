"""Waiting for whichever comes first."""

import asyncio


async def any_of(*events: asyncio.Event, timeout: float | None = None) -> None:
    """Return when one of the events is set, or after `timeout` seconds."""
    waits = [asyncio.ensure_future(event.wait()) for event in events]
    try:
        await asyncio.wait(waits, timeout=timeout, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for wait in waits:
            wait.cancel()
