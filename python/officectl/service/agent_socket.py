"""The worker's end of the agents' socket; the protocol is in `officectl.agent.calls`.

A Unix socket that only this account can open, in a folder of its own. Every call is one transaction as the
agent whose token it brings: the database decides what that agent may do.
"""

import asyncio
import json
import logging
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from officectl.agent.calls import AGENT_CALLS
from officectl.errors import RETRYABLE, Forbidden, OfficeError, Refused, Unreachable
from officectl.office import Json
from officectl.service.calls import Calls

LONGEST_REQUEST = 1_048_576
TRIES = 3

log = logging.getLogger(__name__)


@asynccontextmanager
async def agent_socket(calls: Calls) -> AsyncIterator[Path]:
    """The path of a socket that is served until the end of the block."""
    with tempfile.TemporaryDirectory(prefix="officectl-") as folder:
        path = Path(folder, "agents")
        talks: set[asyncio.Task[None]] = set()

        async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            task = asyncio.current_task()
            assert task
            talks.add(task)
            try:
                await _talk(calls, reader, writer)
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


async def _talk(calls: Calls, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while line := await reader.readline():
            writer.write(json.dumps(await _answer(calls, line), default=str).encode() + b"\n")
            await writer.drain()
    except ValueError:
        too_long = Refused(f"A request is longer than {LONGEST_REQUEST} bytes.", code="too_long", status=413)
        writer.write(json.dumps(_refusal(too_long)).encode() + b"\n")
    except ConnectionError:
        return


async def _answer(calls: Calls, line: bytes) -> Json:
    try:
        token, call, arguments = _parse(line)
        return {"ok": await _carry_out(calls, token, call, arguments)}
    except OfficeError as error:
        return _refusal(error)
    except Exception as fault:
        log.exception("a call of an agent failed")
        return _refusal(OfficeError(f"The worker failed: {type(fault).__name__}.", code="internal"))


async def _carry_out(calls: Calls, token: str, call: str, arguments: Json) -> list[Json]:
    for _ in range(TRIES - 1):
        try:
            return await calls.rows(call, token=token, **arguments)
        except OfficeError as error:
            if error.code not in RETRYABLE:
                raise
    return await calls.rows(call, token=token, **arguments)


def _parse(line: bytes) -> tuple[str, str, Json]:
    """Token, call and arguments; Refused when the line is no request or asks for what is not for agents."""
    try:
        request = json.loads(line)
        # Halves of surrogate pairs are JSON, and no text.
        json.dumps(request, ensure_ascii=False).encode()
    except ValueError:
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
    return token, call, {name: _argument(value) for name, value in arguments.items()}


def _argument(value: Any) -> Any:
    """A JSON array is an SQL array."""
    return tuple(value) if isinstance(value, list) else value


def _refusal(error: OfficeError) -> Json:
    status = {Unreachable: 503, Forbidden: 403}.get(type(error))
    return {
        "error": {
            "code": error.code,
            "message": error.message,
            "hint": error.hint,
            "status": error.status if isinstance(error, Refused) else status,
        }
    }
