"""X1, X5: the presets, on event streams that the real programs printed once (tests/data/streams)."""

import asyncio
import json
import re
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import psutil
import pytest

from officectl.executors import End, EngineExecutor, Mark, executor_for
from officectl.executors.engines import ENGINES

from .conftest import LaunchMaker, Memory, until

STREAMS = Path(__file__).parents[2] / "data" / "streams"
REPLAY = Path(__file__).with_name("replay.py")

RECORDED = {path.stem for path in STREAMS.iterdir()}

SESSIONS = {
    name: re.findall(
        r'"(?:session_id|thread_id|sessionID)":"([^"]+)"', (STREAMS / f"{name}-tool.txt").read_text()
    )[0]
    for name in ENGINES
}
USAGE: dict[str, dict[str, Any]] = {
    "claude": {
        "model": "claude-loopback",
        "tokens_in": 240,
        "tokens_cached_read": 80,
        "tokens_cached_write": 16,
        "tokens_out": 34,
        "cost_cents": 0.219,
    },
    # Codex does not say which model it used.
    "codex": {
        "model": None,
        "tokens_in": 160,
        "tokens_cached_read": 80,
        "tokens_cached_write": 0,
        "tokens_out": 34,
    },
    "gemini": {"model": "gemini-loopback", "tokens_in": 160, "tokens_cached_read": 80, "tokens_out": 34},
    "opencode": {
        "model": None,
        "tokens_in": 160,
        "tokens_cached_read": 80,
        "tokens_cached_write": 0,
        "tokens_out": 34,
    },
}
RESUMES = {"claude": "--resume S", "codex": "resume", "gemini": "--resume S", "opencode": "--session S"}


class Told:
    """What became of one attempt."""

    def __init__(self, folder: Path, end: End, sink: Memory) -> None:
        self.end = end
        self.sink = sink
        calls = (folder / "calls").read_text().splitlines()
        self.calls: list[dict[str, Any]] = [json.loads(line) for line in calls]


@pytest.fixture
def attempt(launch: LaunchMaker, tmp_path: Path) -> Any:
    async def carry_out(
        preset: str,
        *streams: str,
        session: str | None = None,
        executor: EngineExecutor | None = None,
        **more: Any,
    ) -> Told:
        files = []
        for number, stream in enumerate(streams):
            if stream in RECORDED:
                files.append(str(STREAMS / f"{stream}.txt"))
            else:
                files.append(str(tmp_path / f"{number}.txt"))
                (tmp_path / f"{number}.txt").write_text(stream)
        settings = {
            "preset": preset,
            "command": [sys.executable, "-IS", str(REPLAY), str(tmp_path), *files],
            **more.pop("settings", {}),
        }
        sink = Memory()
        launched = replace(launch(executor=settings, **more), engine_session=session)
        end = await (executor or EngineExecutor(pauses=(0, 0), exit_seconds=0.2)).run(
            launched, sink, asyncio.Event()
        )
        return Told(tmp_path, end, sink)

    return carry_out


async def test_t13_codex_is_told_how_hard_to_think_and_its_context_window(attempt: Any) -> None:
    told = await attempt("codex", "codex-tool", settings={"effort": "max", "context_window": 200000})
    arguments = " ".join(told.calls[0]["arguments"])
    assert '-c model_reasoning_effort="high" -c model_context_window=200000' in arguments


@pytest.mark.parametrize("preset", ENGINES)
async def test_x1_events_become_steps_in_order(preset: str, attempt: Any) -> None:
    told = await attempt(preset, f"{preset}-tool", settings={"model": "some/model"})
    assert told.end.error is None, told.end
    assert told.end.result == {"summary": "It is done."}
    kinds = [kind for kind, _ in told.sink.steps if kind not in ("error", "output")]
    assert kinds == ["tool_call", "tool_result", "message", "usage"]
    assert "echo hello > made.txt" in told.sink.of("tool_call")[0]
    assert json.loads(told.sink.of("tool_result")[0])["output"].strip() == "made.txt"
    assert told.sink.of("message")[0].startswith("It is done.")
    assert told.sink.used == [USAGE[preset]]
    assert json.loads(told.sink.of("usage")[0]) == USAGE[preset]
    assert not told.sink.of("output"), "all of its events are known"
    assert told.sink.sessions == [SESSIONS[preset]]
    assert told.calls[0]["prompt"] == "Do it."
    assert "--model some/model" in " ".join(told.calls[0]["arguments"])


@pytest.mark.parametrize("preset", ENGINES)
@pytest.mark.parametrize("permissions", ["ask", "edit", "all"])
def test_x1_flags_by_what_is_permitted_and_resumed(preset: str, permissions: str) -> None:
    def flags(session: str | None = None, **executor: str) -> str:
        return " ".join(ENGINES[preset].command({"preset": preset, **executor}, session)[1:])

    assert flags() == flags(permissions="edit")
    free = re.compile(r"bypassPermissions|dangerously-bypass|yolo|--auto\b")
    assert bool(free.search(flags(permissions=permissions))) == (permissions == "all")
    assert RESUMES[preset] in flags("S")
    assert "S" in flags("S").split()
    assert "esume" not in flags()


@pytest.mark.parametrize("preset", ENGINES)
async def test_x5_sc_x3_a_lost_session_is_replaced_by_a_fresh_one_in_the_same_attempt(
    preset: str, attempt: Any
) -> None:
    told = await attempt(preset, f"{preset}-lost", f"{preset}-tool", session="lost-one")
    assert told.end.error is None, told.end
    assert len(told.calls) == 2
    assert "lost-one" in told.calls[0]["arguments"]
    assert "lost-one" not in told.calls[1]["arguments"]
    assert told.calls[1]["prompt"] == "All of it.", "not only what is new"
    assert [note for note in told.sink.of("note") if "lost-one is lost" in note]
    assert told.sink.sessions[-1] == SESSIONS[preset]


async def test_x5_a_fresh_session_is_tried_once(attempt: Any) -> None:
    told = await attempt("claude", "claude-lost", session="lost-one")
    assert told.end.error is not None
    assert len(told.calls) == 2


@pytest.mark.parametrize("preset", ["claude", "codex"])
async def test_x5_sc_x2_a_limit_is_a_failure_whatever_the_subtype_says_and_is_told(
    preset: str, attempt: Any
) -> None:
    told = await attempt(preset, f"{preset}-limit")
    assert told.end.error is not None
    assert "429" in told.end.error
    assert told.end.cause == "failure"
    assert told.end.exit_code == 1
    assert len(told.calls) == 1, "it is for the office to wait"


@pytest.mark.parametrize("preset", ["gemini", "opencode"])
async def test_x5_an_engine_that_retries_a_limit_without_end_is_cut_short(preset: str, attempt: Any) -> None:
    told = await attempt(preset, f"{preset}-limit")
    assert told.end.error is not None
    assert "exceed your account's rate limit" in told.end.error
    assert len(told.calls) == 1


async def test_x5_a_fault_that_has_passed_is_forgotten(attempt: Any) -> None:
    told = await attempt("codex", "codex-fault", "codex-tool")
    assert told.end.error is None
    assert len(told.calls) == 2


@pytest.mark.parametrize("preset", ["claude", "codex"])
async def test_x5_a_passing_fault_is_resumed_at_most_twice(preset: str, attempt: Any) -> None:
    told = await attempt(preset, f"{preset}-fault")
    assert told.end.error is not None
    assert len(told.calls) == 3
    for call in told.calls[1:]:
        assert told.sink.sessions[-1] in call["arguments"]
        assert "interrupted by a fault" in call["prompt"]
    assert len([note for note in told.sink.of("note") if "is resumed" in note]) == 2


@pytest.mark.parametrize(
    ("stream", "error"),
    [
        ("exit 0", "without the event"),
        ("out not JSON\nexit 0", "without the event"),
        ('out {"type":"result","subtype":"success","is_error":true,"result":"no"}\nexit 0', "no"),
        ('out {"type":"result","subtype":"error_max_turns","is_error":false}\nexit 0', "error_max_turns"),
        ('out {"type":"result","subtype":"success","is_error":false,"result":"x"}\nexit 3', "exit 3"),
        ('out {"type":"result","subtype":"succ', "printed nothing"),
        ('out {"type":"assistant","message":{"content":7}}\nout {"type":7}\nout [1]\nerr oh\nexit 1', "oh"),
    ],
)
async def test_x5_sc_x2_what_is_no_success(stream: str, error: str, attempt: Any) -> None:
    told = await attempt("claude", stream, limits={"silence_seconds": 0.3})
    assert told.end.error is not None
    assert error in told.end.error
    if "not JSON" in stream:
        assert told.sink.of("output") == ["not JSON"]


@pytest.mark.parametrize(
    "said",
    [
        'out {"type":"result","subtype":"success","is_error":true,"result":"Not logged in · Please"}',
        "err Please set an Auth method in your settings.json",
        "err unexpected status 401 Unauthorized: Incorrect API key provided",
    ],
)
async def test_x4_sc_x1_who_is_not_logged_in_needs_a_person(said: str, attempt: Any) -> None:
    told = await attempt("claude", f"{said}\nexit 1")
    assert told.end.cause == "configuration"
    assert len(told.calls) == 1


async def test_x5_silence_is_resumed_in_the_session_that_it_has(attempt: Any) -> None:
    silent = 'out {"type":"system","subtype":"init","session_id":"quiet"}'
    told = await attempt("claude", silent, "claude-tool", limits={"silence_seconds": 0.3})
    assert told.end.error is None
    assert "quiet" in told.calls[1]["arguments"]


async def test_x5_after_its_result_it_has_time_to_exit_and_is_then_stopped(attempt: Any) -> None:
    done = 'out {"type":"result","subtype":"success","is_error":false,"result":"Done.","session_id":"s"}'
    told = await attempt("claude", done)
    assert told.end.error is None
    assert told.end.result == {"summary": "Done."}
    assert told.end.exit_code is None


async def test_x5_output_over_its_limit_is_not_kept_and_the_result_is(attempt: Any) -> None:
    said = json.dumps({"type": "assistant", "message": {"content": [{"type": "text", "text": "x" * 5000}]}})
    done = 'out {"type":"result","subtype":"success","is_error":false,"result":"Done."}\nexit 0'
    told = await attempt("claude", f"out {said}\n" * 5 + done, limits={"output_bytes": 12_000})
    assert told.end.result == {"summary": "Done."}
    assert len(told.sink.of("message")) == 2
    assert told.sink.of("note") == ["The rest is not kept: the output is over 12000 bytes."]


async def test_x6_k15_a_stopped_engine_leaves_nothing_and_is_not_resumed(
    launch: LaunchMaker, tmp_path: Path, mark: Mark
) -> None:
    script = 'echo \'{"type":"system","session_id":"s"}\'; sleep 60 & sleep 60'
    executor = {"preset": "claude", "command": ["/bin/sh", "-c", script]}
    sink, stop = Memory(), asyncio.Event()
    run = asyncio.create_task(EngineExecutor().run(launch(executor=executor), sink, stop))
    await until(lambda: sink.sessions)
    stop.set()
    end = await asyncio.wait_for(run, 20)
    assert end.stopped
    assert end.killed is not None
    assert not [p for p in psutil.process_iter() if _marked(p, mark)]


def test_x1_the_preset_decides_what_carries_an_executor_out() -> None:
    assert isinstance(executor_for({"preset": "codex"}), EngineExecutor)
    assert not isinstance(executor_for({"command": ["codex"]}), EngineExecutor)


def _marked(process: psutil.Process, mark: Mark) -> bool:
    try:
        return bool(process.environ().get("OFFICE_ATTEMPT_ID") == mark.attempt_id)
    except psutil.Error:
        return False
