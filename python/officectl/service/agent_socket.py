"""The worker's end of the agents' socket; the protocol is in `officectl.agent.calls`.

A Unix socket that only this account can open, in a folder of its own. Every call is one transaction as the
agent whose token it brings: the database decides what that agent may do.

Agents wait for each other, never the worker for them: `calls` has connections of its own, one attempt has
few calls in flight, and each of its statements few seconds. A call that would take longer is `busy`.
"""

import asyncio
import json
import logging
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from math import isfinite
from pathlib import Path
from typing import Any
from weakref import WeakValueDictionary

from officectl.agent.calls import AGENT_CALLS
from officectl.errors import RETRYABLE, Forbidden, OfficeError, Refused, Unreachable, UsageProblem
from officectl.office import Json
from officectl.service.calls import Calls
from officectl.service.signatures import Signatures

LONGEST_REQUEST = 1_048_576

LONGEST_REST = 64 * LONGEST_REQUEST
"""Of a request that is too long: read and thrown away, so that its sender gets to read the answer."""

DEEPEST = 64
"""Levels of JSON in an argument."""

TRIES = 3

IN_FLIGHT = 2
"""Calls of one attempt at a time; its others wait for their turn."""

TURN_SECONDS = 10.0
"""How long a call waits for its turn."""

STATEMENT_SECONDS = 5.0
"""With the waits for a turn and for a connection, this is less than a client waits."""

BUSY_CODES = RETRYABLE | {"53300"}
CANCELLED = "57014"

log = logging.getLogger(__name__)


@asynccontextmanager
async def agent_socket(calls: Calls) -> AsyncIterator[Path]:
    """The path of a socket that is served until the end of the block."""
    desk = _Desk(calls)
    with tempfile.TemporaryDirectory(prefix="officectl-") as folder:
        path = Path(folder, "agents")
        talks: set[asyncio.Task[None]] = set()

        async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            task = asyncio.current_task()
            assert task
            talks.add(task)
            try:
                await _talk(desk, reader, writer)
            except asyncio.CancelledError:
                # The worker ends. asyncio would log a task of a server that ends so.
                return
            finally:
                talks.discard(task)
                writer.close()

        server = await asyncio.start_unix_server(talk, path, limit=LONGEST_REQUEST)
        path.chmod(0o600)  # noqa: ASYNC240
        try:
            yield path
        finally:
            server.close()
            for task in talks:
                task.cancel()
            await asyncio.gather(*talks, return_exceptions=True)


async def _talk(desk: "_Desk", reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while (line := await _request(reader)) != b"":
            answer = _refusal(_too_long()) if line is None else await desk.answer(line)
            writer.write(json.dumps(answer, default=str).encode() + b"\n")
            await writer.drain()
    except ConnectionError:
        return


async def _request(reader: asyncio.StreamReader) -> bytes | None:
    """The next line; empty at the end, None for one that is too long and has been read to its end."""
    thrown_away = 0
    while thrown_away <= LONGEST_REST:
        try:
            line = await reader.readuntil()
        except asyncio.IncompleteReadError as end:
            line = end.partial
        except asyncio.LimitOverrunError as overrun:
            thrown_away += len(await reader.readexactly(overrun.consumed))
            continue
        return None if thrown_away else line
    raise ConnectionAbortedError


def _too_long() -> Refused:
    return Refused(f"A request is longer than {LONGEST_REQUEST} bytes.", code="too_long", status=413)


class _Desk:
    """Answers requests, each attempt's in its turn."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls
        self._signatures = Signatures(calls)
        self._turns: WeakValueDictionary[str, asyncio.Semaphore] = WeakValueDictionary()

    async def answer(self, line: bytes) -> Json:
        """One answer to one request; never raises."""
        try:
            token, call, arguments = _parse(line)
            return {"ok": await self._in_turn(token, call, arguments)}
        except OfficeError as error:
            return _refusal(error)
        except Exception as fault:
            log.exception("a call of an agent failed")
            return _refusal(OfficeError(f"The worker failed: {type(fault).__name__}.", code="internal"))

    async def _in_turn(self, token: str, call: str, arguments: Json) -> list[Json]:
        turn = self._turns.get(token)
        if turn is None:
            turn = self._turns[token] = asyncio.Semaphore(IN_FLIGHT)
        try:
            await asyncio.wait_for(turn.acquire(), TURN_SECONDS)
        except TimeoutError as error:
            raise _busy("Other calls of this attempt are still being answered.") from error
        try:
            return await self._carry_out(call, token, await self._signatures.fit(call, arguments))
        finally:
            turn.release()

    async def _carry_out(self, call: str, token: str, arguments: Json) -> list[Json]:
        for attempt in range(1, TRIES + 1):
            try:
                return await self._calls.rows(call, token=token, within=STATEMENT_SECONDS, **arguments)
            except OfficeError as error:
                if error.code == "42883":
                    self._signatures.forget()
                    raise Refused(
                        f"{call} does not take values of these types.",
                        "Texts are JSON strings.",
                        code="bad_argument",
                        status=422,
                    ) from error
                if error.code not in RETRYABLE or error.code == CANCELLED or attempt == TRIES:
                    raise
        raise AssertionError


def _busy(why: str) -> Refused:
    return Refused(why, "Nothing was written; the same call may be made again.", code="busy", status=503)


def _parse(line: bytes) -> tuple[str, str, Json]:
    """Token, call and arguments; Refused when the line is no request or asks for what is not for agents."""
    try:
        request = json.loads(line)
        # Halves of surrogate pairs are JSON, and no text.
        json.dumps(request, ensure_ascii=False).encode()
    except (ValueError, RecursionError):
        request = None
    match request:
        case {"token": str(token), "call": str(call), "arguments": dict(arguments)}:
            pass
        case _:
            raise Refused(
                "A request is a JSON object with token, call and arguments.", code="bad_request", status=400
            )
    if call not in AGENT_CALLS:
        known = f"There are: {', '.join(AGENT_CALLS)}."
        raise Refused(f"{call!r} is no call of an agent's.", known, code="unknown_call", status=404)
    for name in arguments:
        if not name.isidentifier() or name == "token":
            raise Refused(f"{call} has no argument {name!r}.", code="unknown_argument", status=422)
        if not _storable(arguments[name], DEEPEST):
            raise Refused(
                f"{call}: {name} holds the character NUL, a number that is none, or over {DEEPEST} levels.",
                code="bad_argument",
                status=422,
            )
    return token, call, arguments


def _storable(value: Any, depth: int) -> bool:
    """Whether Postgres can hold it."""
    match value:
        case str():
            return "\0" not in value
        case float():
            return isfinite(value)
        case dict():
            parts = [*value, *value.values()]
        case list():
            parts = value
        case _:
            return True
    return depth > 0 and all(_storable(part, depth - 1) for part in parts)


def _refusal(error: OfficeError) -> Json:
    if error.code in BUSY_CODES:
        error = _busy(f"The office is busy: {error.message}")
    status = {Unreachable: 503, Forbidden: 403, UsageProblem: 422}.get(type(error))
    return {
        "error": {
            "code": error.code,
            "message": error.message,
            "hint": error.hint,
            "status": error.status if isinstance(error, Refused) else status,
        }
    }
