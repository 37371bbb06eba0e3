"""The office over HTTP: webhooks, health, metrics (R18, I10). A pipe: the database decides what is right.

POST /api/routine-triggers/<public_id>/fire   office.fire_webhook
GET  /healthz    this process lives
GET  /readyz     the database answers
GET  /metrics    office.metrics, as Prometheus reads it
"""

import asyncio
import contextlib
import logging
import socket
from collections.abc import Iterator

import uvicorn
from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from officectl.errors import OfficeError
from officectl.office import Json
from officectl.service.calls import Calls, passes

MOST_BYTES = 256 * 1024
"""Of a body; the database refuses what is longer, and need not see more than that it is."""

CALL_SECONDS = 10.0
"""Longer than a fire of the same routine is waited for."""

log = logging.getLogger(__name__)


class _Server(uvicorn.Server):
    """Signals are the whole process's matter."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


async def serve_http(calls: Calls, listening: socket.socket, over: asyncio.Event) -> None:
    """Answer on a socket that listens, until `over`."""
    server = _Server(uvicorn.Config(application(calls), log_config=None, access_log=False, lifespan="off"))
    host, port = listening.getsockname()[:2]
    log.info("http: http://%s:%d", f"[{host}]" if ":" in host else host, port)
    serving = asyncio.create_task(server.serve(sockets=[listening]))
    ending = asyncio.create_task(over.wait())
    await asyncio.wait({serving, ending}, return_when=asyncio.FIRST_COMPLETED)
    server.should_exit = True
    ending.cancel()
    await serving


def application(calls: Calls) -> Starlette:
    async def fire(request: Request) -> Response:
        body = await start_of_body(request)
        (row,) = await calls.rows(
            "fire_webhook",
            public_id=request.path_params["public_id"].replace("\0", ""),
            headers=dict(request.headers),
            body=body,
            within=CALL_SECONDS,
        )
        return JSONResponse(row["answer"], row["status"], said_later(row["answer"]))

    async def healthz(_request: Request) -> Response:
        return PlainTextResponse("ok\n")

    async def readyz(_request: Request) -> Response:
        await calls.rows("now", within=CALL_SECONDS)
        return PlainTextResponse("ready\n")

    async def metrics(_request: Request) -> Response:
        rows = await calls.rows("metrics", within=CALL_SECONDS)
        return PlainTextResponse(exposition(rows), media_type="text/plain; version=0.0.4")

    async def refused(_request: Request, error: Exception) -> Response:
        assert isinstance(error, OfficeError)
        if passes(error):
            calls.note_loss(error)
            told = {"code": "unavailable", "message": "Try again.", "retry_after": 1}
            return JSONResponse(told, 503, said_later(told))
        # Whatever it is, it is no answer for whoever called.
        log.error("http: %s", error.message)
        return JSONResponse({"code": "internal", "message": "The office could not do this."}, 500)

    async def gone(_request: Request, _error: Exception) -> Response:
        return Response(status_code=400)

    return Starlette(
        routes=[
            Route("/api/routine-triggers/{public_id}/fire", fire, methods=["POST"]),
            Route("/healthz", healthz),
            Route("/readyz", readyz),
            Route("/metrics", metrics),
        ],
        exception_handlers={OfficeError: refused, ClientDisconnect: gone},
    )


async def start_of_body(request: Request) -> bytes:
    """The body, or as much of it as shows that it is too long."""
    body = b""
    async for piece in request.stream():
        body += piece
        if len(body) > MOST_BYTES:
            return body[: MOST_BYTES + 1]
    return body


def said_later(answer: Json) -> dict[str, str]:
    return {"Retry-After": str(answer["retry_after"])} if "retry_after" in answer else {}


def exposition(rows: list[Json]) -> str:
    """Rows of office.metrics as Prometheus' text format."""
    lines = []
    told = ""
    for row in rows:
        if row["metric"] != told:
            told = row["metric"]
            lines += [f"# HELP {told} {row['meaning']}", f"# TYPE {told} gauge"]
        labels = ",".join(f'{name}="{value}"' for name, value in row["labels"].items())
        lines.append(f"{told}{{{labels}}} {row['value']:g}" if labels else f"{told} {row['value']:g}")
    return "\n".join(lines) + "\n"
