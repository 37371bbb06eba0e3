"""X1, X5: the acp executor, against real processes that speak the protocol by its own SDK."""

import asyncio
import json
import re
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from support import acp_agent

from officectl.executors import AcpExecutor, End
from officectl.executors.acp import MISSING

from .conftest import LaunchMaker, Memory, until


def agent(manner: str, *words: str) -> dict[str, Any]:
    return {"kind": "acp", "command": [sys.executable, str(Path(acp_agent.__file__)), manner, *words]}


async def carry_out(
    launch: LaunchMaker, sink: Memory, manner: str, *words: str, session: str | None = None, **more: Any
) -> End:
    launched = replace(launch(executor=agent(manner, *words), **more), engine_session=session)
    return await AcpExecutor(pauses=(0, 0)).run(launched, sink, asyncio.Event())


async def test_x1_updates_become_steps_and_the_last_message_the_result(
    launch: LaunchMaker, sink: Memory, tmp_path: Path
) -> None:
    end = await carry_out(launch, sink, "echo", prompt='Do it.\n{"summary": "done"}')
    assert (end.error, end.result, end.killed) == (None, {"summary": "done"}, 0)
    assert sink.of("error") == [f"began in {tmp_path} beside ['office']"]
    assert [(kind, content) for kind, content in sink.steps if kind != "error"] == [
        ("reasoning", "Hm."),
        ("tool_call", '{"tool": "ls", "input": {"command": "ls"}, "id": "c1"}'),
        ("tool_result", '{"output": "made.txt", "id": "c1"}'),
        ("message", 'You said: Do it.\n{"summary": "done"}'),
        ("usage", json.dumps({"model": None, "tokens_in": 10, "tokens_cached_read": 4, "tokens_out": 2})),
    ]
    assert len(sink.sessions) == 1


async def test_x5_sc_x3_a_session_is_loaded_or_a_fresh_one_takes_its_place(
    launch: LaunchMaker, sink: Memory, tmp_path: Path
) -> None:
    assert (await carry_out(launch, sink, "echo", str(tmp_path))).error is None
    (session,) = sink.sessions
    again = Memory()
    assert (await carry_out(launch, again, "echo", str(tmp_path), session=session)).error is None
    assert again.sessions == [session]
    assert again.of("message") == ["You said: Do it."], "what was said before is not told twice"
    assert not again.of("note")

    (tmp_path / session).unlink()
    fresh = Memory()
    assert (await carry_out(launch, fresh, "echo", str(tmp_path), session=session)).error is None
    assert fresh.sessions != [session]
    assert fresh.of("message") == ["You said: All of it."]
    assert [note for note in fresh.of("note") if f"{session} is lost" in note and "not found" in note]


async def test_x5_a_limit_is_told_and_an_overloaded_provider_asked_again(launch: LaunchMaker) -> None:
    limited, asked = Memory(), Memory()
    end = await carry_out(launch, limited, "limit")
    assert end.error
    assert "429 Too Many Requests" in end.error
    assert "try again in 20 minutes" in end.error
    end = await carry_out(launch, asked, "fault")
    assert end.error is None
    assert "interrupted by a fault" in str(end.result)
    assert len(asked.of("note")) == 2


async def test_x5_what_dies_or_does_not_keep_to_the_protocol(launch: LaunchMaker) -> None:
    dead, loud = Memory(), Memory()
    end = await carry_out(launch, dead, "dies")
    assert (end.exit_code, dead.of("message")) == (3, ["I am not well."])
    assert end.error
    assert re.fullmatch(r"exit 3: .*\nout of memory", end.error, re.DOTALL)
    end = await carry_out(launch, loud, "garbage")
    assert end.error is None
    assert loud.of("output") == ["this is no protocol", "{"]


async def stopped(launch: LaunchMaker, manner: str, heard: Callable[[Memory], object]) -> tuple[End, Memory]:
    sink, stop = Memory(), asyncio.Event()
    run = asyncio.create_task(AcpExecutor().run(launch(executor=agent(manner)), sink, stop))
    await until(lambda: heard(sink))
    stop.set()
    return await asyncio.wait_for(run, 30), sink


async def test_x1_p2_a_stop_cancels_the_turn_first(launch: LaunchMaker) -> None:
    end, sink = await stopped(launch, "slow", lambda sink: sink.sessions)
    assert (end.stopped, end.killed) == (True, 0)
    assert sink.of("message")[-1].endswith("I was asked to end.")


async def test_x6_p2_who_ignores_it_is_stopped_all_the_same(launch: LaunchMaker, monkeypatch: Any) -> None:
    monkeypatch.setattr("officectl.executors.acp_talk.CANCEL_SECONDS", 0.2)
    end, _ = await stopped(launch, "stubborn", lambda sink: sink.sessions)
    assert end.stopped
    assert end.killed is not None


async def test_x4_without_the_sdk_the_run_says_what_to_install(
    launch: LaunchMaker, sink: Memory, monkeypatch: Any
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    end = await AcpExecutor().run(launch(executor=agent("echo")), sink, asyncio.Event())
    assert (end.error, end.cause) == (MISSING, "configuration")
