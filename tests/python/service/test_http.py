"""R18, I10: webhooks, health and metrics with real requests to a real server on loopback."""

import asyncio
import hashlib
import hmac
import json
import socket
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from http.client import HTTPConnection
from typing import Any, NamedTuple

import psycopg
import pytest
from psycopg.types.json import Jsonb
from standardwebhooks.webhooks import Webhook, WebhookVerificationError

from service.conftest import Desk, Serving

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
BODY = b'{"env": "test", "text": "\xc3\xbcber"}'


class Answer(NamedTuple):
    status: int
    json: dict[str, Any]
    headers: dict[str, str]
    text: str


class Server(NamedTuple):
    port: int

    async def ask(self, method: str, path: str, body: Any = None, headers: Any = ()) -> Answer:
        return await asyncio.to_thread(self._ask, method, path, body, dict(headers))

    def _ask(self, method: str, path: str, body: Any, headers: dict[str, str]) -> Answer:
        connection = HTTPConnection("127.0.0.1", self.port, timeout=20)
        try:
            connection.request(method, path, body, headers)
            answer = connection.getresponse()
            text = answer.read().decode()
            told = json.loads(text) if answer.headers.get_content_type() == "application/json" else {}
            return Answer(answer.status, told, {k.lower(): v for k, v in answer.getheaders()}, text)
        finally:
            connection.close()

    async def fire(self, public_id: str, body: bytes = BODY, **headers: str) -> Answer:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return await self.ask("POST", f"/api/routine-triggers/{public_id}/fire", body, named)


@pytest.fixture
async def server(desk: Desk, serving: Serving) -> AsyncIterator[Server]:
    listening = socket.create_server(("127.0.0.1", 0))
    port = listening.getsockname()[1]
    async with serving(http=listening, ticker=False, worker=False):
        yield Server(port)


@pytest.fixture
def hook(desk: Desk) -> str:
    """The public id of a webhook of a routine that has a variable."""
    desk.rows("select * from office.create_agent('ann', '{\"command\": [\"/bin/true\"]}')")
    desk.rows(
        "select * from office.create_routine('deploy', 'ann', 'Deploy {{env}}.', variables => %s)",
        Jsonb({"env": {"required": True}}),
    )
    made = desk.row("select * from office.add_webhook('deploy', secret => %s)", SECRET)
    assert made["secret"] == SECRET
    return str(made["public_id"])


def github(body: bytes) -> str:
    """As GitHub signs."""
    return "sha256=" + hmac.new(SECRET.encode(), body, hashlib.sha256).hexdigest()


async def test_webhook(server: Server, hook: str, desk: Desk) -> None:
    """R18, sc-R8: what a sender is answered, by a real server, and what it leaves."""
    fired = await server.fire(hook, X_Hub_Signature_256=github(BODY))
    assert (fired.status, fired.json["status"]) == (202, "received")
    (row,) = desk.rows("select * from office.routine_runs")
    assert str(row["id"]) == fired.json["routine_run_id"]
    assert (row["source"], row["body"]) == ("webhook", {"env": "test", "text": "über"})
    assert row["trigger_payload"]["env"] == "test"

    bad = await server.fire(hook, X_Signature_256=github(b"another body"))
    assert (bad.status, bad.json["code"]) == (401, "bad_signature")
    assert SECRET not in bad.text
    assert (await server.fire("0" * 32)).status == 404
    assert (await server.fire("%00" + "0" * 30)).status == 404
    listed = b"[1, 2]"
    assert (await server.fire(hook, listed, X_Signature_256=github(listed))).status == 400
    empty = await server.fire(hook, b"", X_Signature_256=github(b""))
    assert (empty.status, empty.json["field"]) == (422, "env")
    huge = b"x" * 300_000
    assert (await server.fire(hook, huge, X_Signature_256=github(huge))).status == 413
    assert len(desk.rows("select from office.routine_runs")) == 1

    desk.rows("select office.pause('routine:deploy')")
    paused = await server.fire(hook, X_Signature_256=github(BODY))
    assert (paused.status, paused.json["code"]) == (409, "routine_inactive")
    assert (await server.ask("GET", f"/api/routine-triggers/{hook}/fire")).status == 405


async def test_idempotency_key(server: Server, hook: str, desk: Desk) -> None:
    """R18, sc-R8: many calls at once with one key are one fire; each is told of it."""
    answers = await asyncio.gather(
        *(server.fire(hook, X_Signature_256=github(BODY), Idempotency_Key="once") for _ in range(6))
    )
    assert sorted(answer.status for answer in answers) == [200] * 5 + [202]
    assert len({answer.json["routine_run_id"] for answer in answers}) == 1
    assert len(desk.rows("select from office.routine_runs")) == 1
    assert desk.rows("select * from office.audit()") == []


async def test_standard_webhooks(server: Server, hook: str, desk: Desk) -> None:
    """R18: what the official library signs is accepted, what it would refuse is refused."""
    library = Webhook(SECRET)

    async def send(at: datetime, message: str = "msg_1", body: bytes = BODY) -> int:
        signature = library.sign(message, at, BODY.decode())
        headers = {
            "webhook-id": message,
            "webhook-timestamp": str(int(at.timestamp())),
            "webhook-signature": signature,
        }
        try:
            library.verify(body, headers)
            good = True
        except WebhookVerificationError:
            good = False
        answer = await server.fire(hook, body, **headers)
        assert (answer.status < 300) == good, "the library and the office agree"
        return answer.status

    now = datetime.now(UTC)
    assert await send(now) == 202
    assert await send(now) == 200, "the same message again is the first one's"
    assert await send(now - timedelta(minutes=6), "msg_2") == 401
    assert await send(now + timedelta(minutes=6), "msg_3") == 401
    assert await send(now, "msg_4", BODY + b" ") == 401
    made = desk.row("select * from office.add_webhook('deploy')")
    library = Webhook(made["secret"])
    hook = made["public_id"]
    assert await send(now, "msg_5") == 202, "a secret that the office has made is the library's, too"


async def test_hammered(server: Server, hook: str) -> None:
    """R18: bad signatures slow down the one that they are for."""
    answers = [await server.fire(hook, X_Signature_256="sha256=" + "0" * 64) for _ in range(11)]
    assert [answer.status for answer in answers] == [401] * 10 + [429]
    assert answers[-1].headers["retry-after"] == "60"


async def test_health_and_metrics(server: Server, desk: Desk, database: str) -> None:
    """I10: alive, ready, and figures that Prometheus reads."""
    assert (await server.ask("GET", "/healthz")).text == "ok\n"
    assert (await server.ask("GET", "/readyz")).text == "ready\n"
    desk.rows("select * from office.create_agent('bob', '{\"command\": [\"/bin/true\"]}')")
    desk.wake("bob")
    desk.rows("select office.dispatch()")
    figures = await server.ask("GET", "/metrics")
    assert figures.headers["content-type"].startswith("text/plain; version=0.0.4")
    assert '\noffice_runs{status="queued"} 1\n' in figures.text
    assert figures.text.count("# TYPE office_runs gauge\n") == 1
    assert "\noffice_triggers_due 0\n" in figures.text
    # Without its database it lives, and is not ready.
    name = desk.connection.info.dbname
    with psycopg.connect(database, dbname="postgres", autocommit=True) as elsewhere:
        elsewhere.execute(f'alter database "{name}" allow_connections false'.encode())
        desk.connection.close()
        elsewhere.execute(
            "select pg_terminate_backend(a.pid) from pg_stat_activity as a where a.datname = %s", [name]
        )
        assert (await server.ask("GET", "/healthz")).status == 200
        lost = await server.ask("GET", "/readyz")
        assert (lost.status, lost.headers["retry-after"]) == (503, "1")
        elsewhere.execute(f'alter database "{name}" allow_connections true'.encode())
