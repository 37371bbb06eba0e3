"""X1, X2, X5: the real agent programs, against a model endpoint of our own (`make test-agents`).

They are looked for in AGENTS_BIN, a folder of programs; one that is not there is skipped.
"""

import asyncio
import json
import os
import shutil
import uuid
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from officectl.agent.loopback import Endpoint, Mind, settings_for
from officectl.executors import End, Launch, Mark, executor_for
from officectl.executors.clock import ActiveClock
from officectl.executors.engines import ENGINES

BIN = os.environ.get("AGENTS_BIN", "")
PATH = f"{BIN}:/usr/local/bin:/usr/bin:/bin"

pytestmark = pytest.mark.skipif(not BIN, reason="AGENTS_BIN names no folder of programs: make test-agents")


class Memory:
    """A sink that keeps what it is told."""

    def __init__(self) -> None:
        self.clock = ActiveClock()
        self.steps: list[tuple[str, str]] = []
        self.sessions: list[str] = []

    async def started(self, pid: int | None, engine_session: str | None = None) -> None:
        """Nothing is to be kept of it."""

    def in_session(self, engine_session: str) -> None:
        if engine_session not in self.sessions:
            self.sessions.append(engine_session)

    def spent(self, used: Mapping[str, Any]) -> None:
        """Its steps tell the same."""

    async def fresh_prompt(self) -> str:
        return "Please do it."

    def step(self, kind: str, content: str) -> None:
        self.steps.append((kind, content))

    def of(self, kind: str) -> list[str]:
        return [content for known, content in self.steps if known == kind]


def settle_in(program: str, home: Path, url: str) -> dict[str, str]:
    """Configure an agent program for the endpoint; the variables that it needs."""
    return {**settings_for(program, home, url), "PATH": PATH}


@pytest.fixture
def launch(tmp_path: Path) -> Callable[..., Launch]:
    def make(executor: dict[str, Any], **more: Any) -> Launch:
        attempt = uuid.uuid4()
        (tmp_path / "work").mkdir(exist_ok=True)
        return Launch(
            mark=Mark(run_id=str(uuid.uuid4()), attempt_id=str(attempt), worker_id=str(uuid.uuid4())),
            attempt_id=attempt,
            run="r1",
            agent="triage",
            prompt="Please do it.",
            executor=executor,
            folder=str(tmp_path / "work"),
            environment=more.pop("environment", {}),
            limits={"minutes": 3},
            **more,
        )

    return make


async def run(launched: Launch) -> tuple[End, Memory]:
    sink = Memory()
    return await executor_for(launched.executor).run(launched, sink, asyncio.Event()), sink


@pytest.mark.parametrize("preset", ENGINES)
async def test_x1_it_runs_a_tool_answers_and_goes_on_in_its_session(
    preset: str, launch: Callable[..., Launch], tmp_path: Path
) -> None:
    if not shutil.which(ENGINES[preset].program, path=PATH):
        pytest.skip(f"{preset} is not in {BIN}")
    mind = Mind(command="echo hello > made.txt")
    with Endpoint(mind) as endpoint:
        own = settle_in(preset, tmp_path, endpoint.url)
        executor = {"preset": preset, "permissions": "all", "environment": own}
        end, sink = await run(launch(executor))
        assert (end.error, end.result) == (None, {"summary": "It is done."}), sink.steps
        assert (tmp_path / "work/made.txt").read_text() == "hello\n"
        assert sink.of("tool_call")
        assert sink.of("tool_result")
        # Two requests of ours; some ask a third time, for a title.
        assert json.loads(sink.of("usage")[0])["tokens_out"] in (34, 51)
        (session,) = sink.sessions

        mind.answer = "Once more."
        first = len(mind.asked)
        end, again = await run(replace(launch(executor), engine_session=session))
        assert (end.error, end.result) == (None, {"summary": "Once more."}), again.steps
        assert again.sessions == [session]
        assert "It is done." in json.dumps(mind.asked[first:]), "it knows what was said before"

        gone = str(uuid.uuid4()) if preset != "opencode" else "ses_0000000000000000000000000"
        end, fresh = await run(replace(launch(executor), engine_session=gone))
        assert end.error is None, fresh.steps
        assert [note for note in fresh.of("note") if f"{gone} is lost" in note]
        assert fresh.sessions[-1] not in (gone, session)


@pytest.mark.parametrize("preset", ENGINES)
async def test_x5_a_limit_ends_it_with_what_the_provider_said(
    preset: str, launch: Callable[..., Launch], tmp_path: Path
) -> None:
    if not shutil.which(ENGINES[preset].program, path=PATH):
        pytest.skip(f"{preset} is not in {BIN}")
    with Endpoint(Mind(refusals=10_000)) as endpoint:
        executor = {"preset": preset, "environment": settle_in(preset, tmp_path, endpoint.url)}
        end, sink = await run(launch(executor))
    assert end.error, sink.steps
    assert "429" in end.error or "rate limit" in end.error


async def test_x1_opencode_speaks_acp(launch: Callable[..., Launch], tmp_path: Path) -> None:
    if not shutil.which("opencode", path=PATH):
        pytest.skip(f"opencode is not in {BIN}")
    with Endpoint(Mind(command="echo hello > made.txt")) as endpoint:
        own = settle_in("opencode", tmp_path, endpoint.url)
        executor = {"kind": "acp", "command": ["opencode", "acp"], "permissions": "all", "environment": own}
        end, sink = await run(launch(executor))
    assert (end.error, end.result) == (None, {"summary": "It is done."}), sink.steps
    assert (tmp_path / "work/made.txt").read_text() == "hello\n"
    assert sink.of("tool_result")
