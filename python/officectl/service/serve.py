"""The office as one asyncio process: ticker, listener, worker, agents' socket, started and ended in order."""

import asyncio
import contextlib
import signal
import socket
from typing import Any

from officectl.database.connect import pool, resolve_direct_dsn
from officectl.service.agent_socket import agent_socket
from officectl.service.calls import Calls
from officectl.service.listener import listen
from officectl.service.privacy import keep_to_itself
from officectl.service.ticker import Ticker
from officectl.service.worker import Worker

GRACE_SECONDS = 30.0
CONNECTIONS = 6

AGENTS_CONNECTIONS = 2
"""Of their own: whatever agents call, heartbeat, claim and end of the runs have theirs."""

AGENTS_POOL_SECONDS = 10.0
"""Longer than one of their statements may take, so that a quick call waits out a slow one."""

POOL_SECONDS = 3.0
"""For a connection from the pool. Patience is in the calls: the pool's own would outlast an outage by far."""


async def serve(
    dsn: str,
    *,
    stop: asyncio.Event,
    hurry: asyncio.Event | None = None,
    max_runs: int = 4,
    grace: float = GRACE_SECONDS,
    workspace: str | None = None,
    ticker: bool = True,
    worker: bool = True,
    http: socket.socket | None = None,
) -> None:
    """Serve until `stop` is set, then end in good order: runs have `grace` seconds, or until `hurry`.

    The database is closed last. An outage of it is waited out. VersionMismatch when its functions are not, or
    no longer, those of this version; OfficeError for what cannot get better by waiting. `http`: a socket that
    listens, on which the office is served over HTTP as well.
    """
    keep_to_itself()
    over = asyncio.Event()
    connections = pool(dsn, max_size=CONNECTIONS, timeout=POOL_SECONDS, reconnect_timeout=POOL_SECONDS)
    async with connections, contextlib.AsyncExitStack() as stack:
        calls = Calls(connections)
        loops = [asyncio.create_task(Ticker(calls).run(over))] if ticker else []
        if http is not None:
            # Its libraries are an optional extra.
            from officectl.service.http import serve_http

            loops.append(asyncio.create_task(serve_http(calls, http, over)))
        if worker:
            agents = await stack.enter_async_context(
                pool(
                    dsn,
                    max_size=AGENTS_CONNECTIONS,
                    timeout=AGENTS_POOL_SECONDS,
                    reconnect_timeout=POOL_SECONDS,
                )
            )
            path = await stack.enter_async_context(agent_socket(Calls(agents)))
            crew = Worker(calls, path, max_runs=max_runs, workspace=workspace)
            bells = {
                "office_work": [crew.work],
                "office_stop": [crew.beat],
                "office_decision": [crew.beat],
            }
            loops.append(asyncio.create_task(listen(resolve_direct_dsn(dsn), bells, over)))
        for loop in loops:
            loop.add_done_callback(lambda _: stop.set())
        try:
            if worker:
                await crew.run(stop, grace=grace, hurry=hurry or asyncio.Event())
            else:
                await stop.wait()
        finally:
            over.set()
            await asyncio.gather(*loops)


async def serve_until_signalled(dsn: str, **options: Any) -> None:
    """`serve` until INT or TERM; a second one hurries. Options as of `serve`."""
    stop, hurry = asyncio.Event(), asyncio.Event()

    def signalled() -> None:
        if stop.is_set():
            hurry.set()
        stop.set()

    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, signalled)
    await serve(dsn, stop=stop, hurry=hurry, **options)
