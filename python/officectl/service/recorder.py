"""The steps of one attempt on their way to the database: in batches, in order, each once (E1)."""

import asyncio
from typing import Any

from officectl.executors import Launch
from officectl.service.calls import Calls
from officectl.service.waiting import any_of

BATCH_SECONDS = 0.2
BATCH_STEPS = 100


class Recorder:
    """`add` never waits; `run` sends what was added, until `close` and everything is sent."""

    def __init__(self, calls: Calls, launch: Launch, give_up: asyncio.Event) -> None:
        self._calls = calls
        self._launch = launch
        self._give_up = give_up
        self._steps: list[dict[str, Any]] = []
        self._sequence = launch.steps
        self._some = asyncio.Event()
        self._enough = asyncio.Event()
        self._closed = False

    def add(self, kind: str, content: str) -> None:
        """Keep one step."""
        self._sequence += 1
        self._steps.append({"sequence": self._sequence, "kind": kind, "content": content})
        self._some.set()
        if len(self._steps) >= BATCH_STEPS:
            self._enough.set()

    def close(self) -> None:
        """No more steps come."""
        self._closed = True
        self._some.set()
        self._enough.set()

    async def run(self) -> None:
        """Send until closed; OfficeError when the database wants no more of them, GivenUp."""
        while not self._closed or self._steps:
            await self._some.wait()
            await any_of(self._enough, timeout=BATCH_SECONDS)
            steps, self._steps = self._steps, []
            if not self._closed:
                self._some.clear()
                self._enough.clear()
            if steps:
                # The sequence makes a repetition harmless.
                await self._calls.insist(
                    "record_steps",
                    attempt_id=self._launch.attempt_id,
                    steps=steps,
                    launch=self._launch.mark.launch,
                    give_up=self._give_up,
                )
