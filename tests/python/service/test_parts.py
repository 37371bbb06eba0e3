"""The small parts of a serving process, each alone: calls, listener, recorder."""

import asyncio
import logging
import uuid
from collections.abc import AsyncIterator
from typing import Any, cast

import psycopg
import pytest
from psycopg_pool import AsyncConnectionPool

from officectl.database.connect import pool
from officectl.errors import OfficeError, Refused, Unreachable
from officectl.executors import Launch, Mark
from officectl.service import calls as calls_module
from officectl.service.calls import Calls, GivenUp
from officectl.service.listener import listen
from officectl.service.recorder import BATCH_STEPS, Recorder

from .conftest import until

FUNCTIONS = """
create schema office;
create sequence office.tries;
-- Fails twice in a way that passes, which no rollback undoes, then answers.
create function office.flaky(code text) returns bigint language plpgsql as $$
begin
  if nextval('office.tries') < 3 then
    raise exception using errcode = code, message = 'not now';
  end if;
  return currval('office.tries');
end $$;
"""


@pytest.fixture
async def connections(fresh_database: str) -> AsyncIterator[AsyncConnectionPool]:
    with psycopg.connect(fresh_database) as connection:
        connection.execute(FUNCTIONS)
    async with pool(fresh_database, timeout=5) as opened:
        yield opened


@pytest.mark.parametrize("code", ["40P01", "40001", "55P03", "57014", "25006"])
async def test_what_means_try_again_is_tried_again(code: str, connections: AsyncConnectionPool) -> None:
    """A6: deadlock, serialization, lock, cancellation, read-only."""
    calls = Calls(connections)
    assert await calls.insist("flaky", code=code, give_up=asyncio.Event()) == [{"flaky": 3}]


async def test_a_refusal_is_final(connections: AsyncConnectionPool) -> None:
    """A6, I3: a rule's no is not asked twice."""
    with pytest.raises(Refused):
        await Calls(connections).insist("flaky", code="PT409", give_up=asyncio.Event())
    with pytest.raises(Refused):
        await Calls(connections).rows("flaky", code="PT409")
    assert await Calls(connections).rows("flaky", code="PT409") == [{"flaky": 3}]


async def test_a_call_that_does_not_answer_is_given_up(
    connections: AsyncConnectionPool, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Q15: a socket that died silently costs a moment, and the next call has another connection."""
    caplog.set_level(logging.INFO, "officectl")
    monkeypatch.setattr(calls_module, "ANSWER_SECONDS", 0.2)
    calls = Calls(connections)
    with pytest.raises(Unreachable) as told:
        await calls.query("select pg_sleep(60)")
    calls.note_loss(told.value)
    calls.note_loss(told.value)
    monkeypatch.setattr(calls_module, "ANSWER_SECONDS", 20)
    assert await calls.query("select 1 as one") == [{"one": 1}]
    assert [record.levelname for record in caplog.records if record.name.startswith("officectl")] == [
        "WARNING",
        "INFO",
    ]


async def test_insisting_ends_when_it_matters_no_more(fresh_database: str) -> None:
    """P3: one try is made, so that an office that answers is always told."""
    nowhere = pool(f"{fresh_database} port=1", timeout=0.1, reconnect_timeout=0.1)
    given_up = asyncio.Event()
    given_up.set()
    async with nowhere:
        with pytest.raises(GivenUp):
            await Calls(nowhere).insist("dispatch", give_up=given_up)


async def test_bells_ring_by_channel_and_after_a_lost_connection(database: str) -> None:
    """Q15: a notification rings its own bell; a reconnect rings all, for something may have been missed."""
    work, stop, over = asyncio.Event(), asyncio.Event(), asyncio.Event()
    listening = asyncio.create_task(listen(database, {"office_work": [work], "office_stop": [stop]}, over))
    await asyncio.wait_for(work.wait(), 20)
    await asyncio.wait_for(stop.wait(), 20)
    work.clear()
    stop.clear()
    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute("notify office_work")
        await asyncio.wait_for(work.wait(), 20)
        assert not stop.is_set()
        connection.execute(
            "select pg_terminate_backend(pid) from pg_stat_activity"
            " where datname = current_database() and application_name = 'officectl listener'"
        )
    await asyncio.wait_for(stop.wait(), 20)
    over.set()
    await asyncio.wait_for(listening, 20)


class Book:
    """Calls that remember."""

    def __init__(self, refusal: OfficeError | None = None) -> None:
        self.batches: list[list[dict[str, Any]]] = []
        self._refusal = refusal

    async def insist(self, function: str, **arguments: Any) -> list[dict[str, Any]]:
        assert function == "record_steps"
        if self._refusal:
            raise self._refusal
        self.batches.append(arguments["steps"])
        return [{"record_steps": len(arguments["steps"])}]


def recorder(book: Book) -> Recorder:
    return Recorder(cast(Calls, book), launched(), asyncio.Event())


def launched(steps: int = 0) -> Launch:
    """What the recorder needs of a launch."""
    attempt = uuid.uuid4()
    mark = Mark(run_id="r", attempt_id=str(attempt), worker_id="w", launch=2 if steps else 1)
    return Launch(
        mark=mark,
        attempt_id=attempt,
        run="r1",
        agent="triage",
        prompt="",
        executor={},
        folder=None,
        environment={},
        limits={},
        steps=steps,
    )


async def test_a_next_launch_numbers_its_steps_behind_those_before() -> None:
    """S3, E1: else what it reports would count as told before."""
    book = Book()
    steps = Recorder(cast(Calls, book), launched(steps=7), asyncio.Event())
    steps.add("output", "again")
    steps.close()
    await steps.run()
    assert book.batches == [[{"sequence": 8, "kind": "output", "content": "again"}]]


async def test_steps_go_in_order_in_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    """E1: a full batch at once, the rest when the attempt ends; every sequence once."""
    monkeypatch.setattr("officectl.service.recorder.BATCH_SECONDS", 60)
    book = Book()
    steps = recorder(book)
    running = asyncio.create_task(steps.run())
    for number in range(BATCH_STEPS):
        steps.add("output", f"line {number}")
    await until(lambda: book.batches)
    steps.add("error", "last")
    steps.close()
    await asyncio.wait_for(running, 20)
    sent = [step for batch in book.batches for step in batch]
    assert [step["sequence"] for step in sent] == list(range(1, BATCH_STEPS + 2))
    assert sent[-1] == {"sequence": BATCH_STEPS + 1, "kind": "error", "content": "last"}


async def test_a_single_step_does_not_wait_for_others() -> None:
    """E1: within a fraction of a second."""
    book = Book()
    steps = recorder(book)
    running = asyncio.create_task(steps.run())
    steps.add("output", "alone")
    await until(lambda: book.batches)
    assert not running.done()
    steps.close()
    await asyncio.wait_for(running, 20)
    assert len(book.batches) == 1


async def test_refused_steps_end_the_recording() -> None:
    """Q16: an attempt that is over takes no steps; that is said, and not tried again."""
    steps = recorder(Book(Refused("It is over.", code="attempt_superseded")))
    steps.add("output", "late")
    with pytest.raises(Refused):
        await asyncio.wait_for(steps.run(), 20)
