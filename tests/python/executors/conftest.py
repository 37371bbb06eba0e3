"""Launches without a database: what `claim_runs` would have returned, and a sink that remembers."""

import asyncio
import sys
import time
import uuid
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from officectl.executors import ActiveClock, Launch, Mark

LaunchMaker = Callable[..., Launch]


class Memory:
    """A sink that keeps what it is told; `on_start` runs when the executor reports its pid."""

    def __init__(self, on_start: Callable[[], None] = lambda: None) -> None:
        self.clock = ActiveClock()
        self.pid: int | None = None
        self.steps: list[tuple[str, str]] = []
        self.sessions: list[str] = []
        self.used: list[dict[str, Any]] = []
        self._on_start = on_start

    async def started(self, pid: int | None, engine_session: str | None = None) -> None:
        self.pid = pid
        self._on_start()

    def step(self, kind: str, content: str) -> None:
        self.steps.append((kind, content))

    def in_session(self, engine_session: str) -> None:
        if self.sessions[-1:] != [engine_session]:
            self.sessions.append(engine_session)

    def spent(self, used: Mapping[str, Any]) -> None:
        self.used.append(dict(used))

    async def fresh_prompt(self) -> str:
        return "All of it."

    def of(self, kind: str) -> list[str]:
        """The contents of the steps of one kind."""
        return [content for known, content in self.steps if known == kind]


@pytest.fixture
def sink() -> Memory:
    return Memory()


@pytest.fixture
def stop() -> asyncio.Event:
    return asyncio.Event()


@pytest.fixture
def mark() -> Mark:
    return Mark(run_id=str(uuid.uuid4()), attempt_id=str(uuid.uuid4()), worker_id=str(uuid.uuid4()))


@pytest.fixture
def launch(mark: Mark, tmp_path: Path) -> LaunchMaker:
    """Makes a launch of a shell script, `launch("ls")`, or of any executor, `launch(executor={…})`."""

    def make(
        script: str = "",
        *,
        executor: Mapping[str, Any] | None = None,
        prompt: str = "Do it.",
        folder: Path = tmp_path,
        limits: Mapping[str, Any] | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> Launch:
        return Launch(
            mark=mark,
            attempt_id=uuid.UUID(mark.attempt_id),
            run="r1",
            agent="triage",
            prompt=prompt,
            executor=executor or {"command": ["/bin/sh", "-c", script]},
            folder=str(folder),
            environment=environment or {},
            limits=limits or {},
        )

    return make


async def until(fact: Callable[[], object], seconds: float = 20) -> None:
    """Wait for an observable fact, and fail when it does not come."""
    deadline = time.monotonic() + seconds
    while not fact():
        assert time.monotonic() < deadline, "it did not happen"
        await asyncio.sleep(0.01)


def python(code: str) -> dict[str, Any]:
    """An executor that runs Python code."""
    return {"command": [sys.executable, "-c", code]}
