"""The agents' socket: only calls of agents, only with a token of a live attempt."""

import asyncio
import json
import stat
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest

from officectl.database.connect import pool
from officectl.service.agent_socket import IN_FLIGHT, LONGEST_REQUEST, agent_socket
from officectl.service.calls import Calls

from .conftest import Desk, Serving, until

Answer = dict[str, Any]


@asynccontextmanager
async def served(database: str) -> AsyncIterator[Path]:
    async with pool(database) as connections, agent_socket(Calls(connections)) as path:
        yield path


async def ask(path: Path, *lines: bytes) -> list[Answer]:
    """The answers to requests that are sent over one connection."""
    reader, writer = await asyncio.open_unix_connection(path, limit=2 * LONGEST_REQUEST)
    answers = []
    for line in lines:
        writer.write(line + b"\n")
        answers.append(json.loads(await reader.readline()))
    writer.close()
    return answers


def request(token: str, call: str, **arguments: Any) -> bytes:
    return json.dumps({"token": token, "call": call, "arguments": arguments}).encode()


async def test_only_the_same_account_reaches_it(database: str) -> None:
    """X2: nobody else may open it, nor look into its folder; it goes with its worker."""
    async with served(database) as path:
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert not path.parent.exists()


async def test_a_wrong_token_is_refused(desk: Desk, database: str) -> None:
    """X2, I6: by the database, for every call."""
    async with served(database) as path:
        first, second = await ask(
            path, request("wrong", "note_decision", decision="x"), request("", "read_task", task="t1")
        )
    assert first["error"]["code"] == second["error"]["code"] == "bad_token"
    assert first["error"]["status"] in (401, 403)


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (b"no json", "bad_request"),
        (b"[]", "bad_request"),
        (b'{"token": "x", "call": "add_comment"}', "bad_request"),
        (b'{"token": 1, "call": "add_comment", "arguments": {}}', "bad_request"),
        (b'{"token": "\\ud800", "call": "add_comment", "arguments": {}}', "bad_request"),
        (b"\xff\xfe", "bad_request"),
        (b'{"token": "x", "call": "drain_worker", "arguments": {}}', "unknown_call"),
        (b'{"token": "x", "call": "note_decision; drop table office.runs", "arguments": {}}', "unknown_call"),
        (b'{"token": "x", "call": "add_comment", "arguments": {"a); --": 1}}', "unknown_argument"),
        (b'{"token": "x", "call": "add_comment", "arguments": {"token": "y"}}', "unknown_argument"),
        (b'{"token": "x", "call": "note_decision", "arguments": {"nonsense": 1}}', "unknown_argument"),
        (b'{"token": "x", "call": "add_comment", "arguments": {"task": "t1"}}', "missing"),
        (
            b'{"token": "x", "call": "add_comment", "arguments": {"task": "t1", "body": "a\\u0000"}}',
            "bad_argument",
        ),
        (b'{"token": "x", "call": "add_comment", "arguments": {"task": "t1", "body": []}}', "bad_argument"),
        (b'{"token": "x", "call": "add_comment", "arguments": {"task": "t1", "body": {}}}', "bad_argument"),
        (b'{"token": "x", "call": "add_comment", "arguments": {"task": 1, "body": "b"}}', "bad_argument"),
        (
            b'{"token": "x", "call": "create_task", "arguments": {"title": "t", "blocked_by": [{"a": 1}]}}',
            "bad_argument",
        ),
        (
            b'{"token": "x", "call": "create_task", "arguments": {"title": "t", "blocked_by": "t1"}}',
            "bad_argument",
        ),
        (
            b'{"token": "x", "call": "wake", "arguments": {"agent": "a", "payload": {"n": NaN}}}',
            "bad_argument",
        ),
        (
            b'{"token": "x", "call": "wake", "arguments": {"agent": "a", "payload": '
            + b"[" * 500
            + b"]" * 500
            + b"}}",
            "bad_argument",
        ),
        (b"[" * 100_000 + b"]" * 100_000, "bad_request"),
        (b'"' + b"x" * (9 * LONGEST_REQUEST) + b'"', "too_long"),
        (b'"' + b"x" * (LONGEST_REQUEST + 10) + b'"', "too_long"),
    ],
)
async def test_what_is_no_call_of_an_agent_is_refused(
    line: bytes, code: str, database: str, caplog: pytest.LogCaptureFixture
) -> None:
    """X2, I6: with its code in one line, nothing in the log; the same connection can go on."""
    async with served(database) as path:
        answer, next_answer = await ask(path, line, b"[]")
    assert answer["error"]["code"] == code
    assert 400 <= answer["error"]["status"] < 500
    assert "\n" not in answer["error"]["message"]
    assert next_answer["error"]["code"] == "bad_request"
    assert not caplog.records


async def test_an_agent_calls_with_the_token_of_its_attempt(
    desk: Desk, serving: Serving, database: str, tmp_path: Path
) -> None:
    """X2: from inside its run it may; the same token is nothing once the attempt has ended."""
    desk.agent(
        "triage",
        'echo "$OFFICE_TOKEN $OFFICE_SOCKET" > secret; while [ ! -e go ]; do sleep 0.05; done',
        tmp_path,
    )
    async with serving():
        desk.wake("triage")
        await until(lambda: (tmp_path / "secret").exists() and (tmp_path / "secret").read_text().strip())
        token, path = (tmp_path / "secret").read_text().split()
        good, unknown_task, unknown_argument = await ask(
            Path(path),
            request(token, "note_decision", decision="Blue it is."),
            request(token, "add_comment", task="t999", body="hello"),
            request(token, "note_decision", nonsense="x"),
        )
        assert good["ok"]
        assert unknown_task["error"]["status"] == 404
        assert unknown_argument["error"]["code"] == "unknown_argument"
        assert "note_decision" in unknown_argument["error"]["message"]
        (tmp_path / "go").touch()
        await desk.until("select from office.runs where status = 'finished'")
        (late,) = await ask(Path(path), request(token, "note_decision", decision="Green."))
        assert late["error"]["code"] == "bad_token"


async def test_slow_calls_of_an_agent_do_not_starve_its_worker(
    desk: Desk, serving: Serving, database: str, tmp_path: Path
) -> None:
    """X2, Q22: 20 calls that wait for a lock: each is answered, busy; the lease is kept, work is claimed."""
    desk.agent(
        "triage",
        'echo "$OFFICE_TOKEN $OFFICE_SOCKET" > secret; while [ ! -e go ]; do sleep 0.05; done',
        tmp_path,
    )
    desk.agent("quick", "true", tmp_path)
    desk.rows("select * from office.create_task('Slow', assignee => 'triage')")
    async with serving(max_runs=2):
        await until(lambda: (tmp_path / "secret").exists() and (tmp_path / "secret").read_text().strip())
        token, path = (tmp_path / "secret").read_text().split()
        with psycopg.connect(database) as holder:
            holder.execute("lock table office.comments in access exclusive mode")
            begun = time.monotonic()
            slow = [
                asyncio.create_task(ask(Path(path), request(token, "add_comment", task="t1", body="x")))
                for _ in range(20)
            ]
            await until(lambda: desk.rows(WAITING))
            desk.wake("quick")
            await desk.until(
                "select from office.runs r join office.agents a on a.id = r.agent_id"
                " where a.name = 'quick' and r.status = 'finished'"
            )
            answers = [answer for (answer,) in await asyncio.gather(*slow)]
            assert time.monotonic() - begun > 3, "longer than the lease"
            assert len(desk.rows(WAITING)) <= IN_FLIGHT
        assert {answer["error"]["code"] for answer in answers} == {"busy"}
        assert {answer["error"]["status"] for answer in answers} == {503}
        assert desk.row("select count(*) from office.workers")["count"] == 1
        assert desk.row("select status from office.runs where number = 1")["status"] == "running"
        (good,) = await ask(Path(path), request(token, "add_comment", task="t1", body="x"))
        assert good["ok"]
        (tmp_path / "go").touch()
        await desk.until("select from office.runs where number = 1 and status = 'finished'")


WAITING = (
    "select from pg_locks where not granted"
    " and database = (select oid from pg_database where datname = current_database())"
)
