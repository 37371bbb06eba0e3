"""What every executor is given and gives back: a launch, a sink for what happens, an end."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol
from uuid import UUID

from officectl.executors.clock import ActiveClock
from officectl.executors.marks import Mark

Json = Mapping[str, Any]
Cause = Literal["failure", "configuration", "limit"]


@dataclass(frozen=True)
class Launch:
    """One attempt to be carried out, as `office.claim_runs` returned it."""

    mark: Mark
    run: str
    agent: str
    prompt: str
    executor: Json
    folder: str | None
    environment: Mapping[str, str]
    """For the program, beside what is passed on from the worker's own environment."""
    limits: Json
    """minutes, silence_seconds, output_bytes; what is missing or null is not limited.

    And worked_seconds: how much of the minutes earlier launches of the attempt have used.
    """
    engine_session: str | None = None
    worktree: Json | None = None
    """The git worktree that `folder` is to be: name, branch, repository, folder, start; None: it is none."""
    steps: int = 0
    """How many steps of the attempt earlier launches of it have recorded."""
    attempt_id: UUID = field(kw_only=True)


@dataclass(frozen=True)
class End:
    """How an attempt ended. `error` None: well, with a result; else it failed, for `cause`."""

    result: Json = field(default_factory=dict)
    error: str | None = None
    cause: Cause = "failure"
    exit_code: int | None = None
    stopped: bool = False
    """It was cut short because `stop` was set."""
    killed: int | None = 0
    """Processes that were left and killed; None when something may still be there."""


class Sink(Protocol):
    """Where an executor reports to while it works."""

    @property
    def clock(self) -> ActiveClock:
        """By which the limits of time are measured: it stands still while the run waits for a person."""

    async def started(self, pid: int | None, engine_session: str | None = None) -> None:
        """Called before the program does anything. Sets the stop event when it must not."""

    def step(self, kind: str, content: str) -> None:
        """Keep one step; never waits."""

    def in_session(self, engine_session: str) -> None:
        """The engine works in this session of its own; another one replaces it. Never waits."""

    def spent(self, used: Json) -> None:
        """What the engine says that it used: model, tokens, cost_cents, as far as known. Never waits."""

    async def fresh_prompt(self) -> str:
        """All that a fresh engine session is to be told, when the one to go on in is lost."""


class Executor(Protocol):
    """One kind of agent program."""

    async def run(self, launch: Launch, sink: Sink, stop: asyncio.Event) -> End:
        """Carry the launch out. Returns soon after `stop` is set; nothing that it started is left then.

        Faults of the program are Ends, not exceptions.
        """
