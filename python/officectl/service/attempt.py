"""One attempt, from its launch to the end that is told to the database."""

import asyncio
import logging
import time
from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any
from uuid import UUID

from officectl import worktrees
from officectl.changes import changed, files_of
from officectl.errors import OfficeError, Refused
from officectl.executors import ActiveClock, End, Executor, Launch
from officectl.executors.lines import storable
from officectl.service.calls import Calls, GivenUp
from officectl.service.recorder import Recorder

log = logging.getLogger(__name__)


class Attempt:
    """Carries a launch out, and is the sink of its executor."""

    def __init__(self, calls: Calls, launch: Launch, executor: Executor) -> None:
        self.launch = launch
        self.killed: int | None = None
        """After `carry_out`: how many processes were left and killed; None when some may still be there."""
        self.told = False
        """After `carry_out`: the database knows how it ended."""
        self._calls = calls
        self._executor = executor
        self.clock = ActiveClock(launch.limits.get("worked_seconds", 0.0))
        self._stop = asyncio.Event()
        self._given_up = asyncio.Event()
        self._recorder = Recorder(calls, launch, self._given_up)
        self._engine_session = launch.engine_session
        self._telling: set[asyncio.Task[None]] = set()
        self._changed: list[str] = []

    @property
    def id(self) -> UUID:
        """The attempt's id."""
        return self.launch.attempt_id

    @property
    def name(self) -> str:
        """For the log."""
        return f"{self.launch.run} {self.launch.agent}"

    def obey(self, instructions: Collection[str]) -> None:
        """Do what the heartbeat says. `show` is not for programs that take one prompt only."""
        if "lost" in instructions:
            self.release()
        if "stop" in instructions:
            self._stop.set()
        if "waiting" in instructions:
            self.clock.pause()
        else:
            self.clock.go_on()

    def release(self) -> None:
        """Stop the program and leave its end to the office: the lease is lost, or this process ends."""
        self._given_up.set()
        self._stop.set()

    async def carry_out(self) -> None:
        """Run the program and tell how it ended; never raises."""
        begun = time.monotonic()
        recording = asyncio.create_task(self._record())
        end = await self._run()
        self.killed = end.killed
        if self._changed and end.error is not None:
            # An end without a result: what it has changed all the same is a step.
            self._recorder.add("note", "Changed files: " + ", ".join(self._changed))
        self._recorder.close()
        await asyncio.gather(recording, *self._telling)
        log.info("%s: %s, after %.1f s", self.name, await self._report(end), time.monotonic() - begun)

    async def started(self, pid: int | None, engine_session: str | None = None) -> None:
        """See `executors.Sink`."""
        (start,) = await self._calls.insist(
            "start_attempt",
            attempt_id=self.id,
            pid=pid,
            engine_session=engine_session,
            launch=self.launch.mark.launch,
            give_up=self._given_up,
        )
        log.info("%s: started, keeper %s", self.name, pid)
        if start["status"] == "stopping":
            self._stop.set()

    def step(self, kind: str, content: str) -> None:
        """See `executors.Sink`."""
        self._recorder.add(kind, content)

    def in_session(self, engine_session: str) -> None:
        """See `executors.Sink`."""
        if engine_session != self._engine_session:
            self._engine_session = engine_session
            self._telling.add(asyncio.create_task(self._tell_session(engine_session)))

    def spent(self, used: Mapping[str, Any]) -> None:
        """See `executors.Sink`."""
        event = {name: value for name, value in used.items() if value is not None}
        event["usage_event_id"] = f"{self.id}:{self.launch.mark.launch}:{len(self._telling)}"
        self._telling.add(asyncio.create_task(self._record_cost(event)))

    async def fresh_prompt(self) -> str:
        """See `executors.Sink`."""
        (row,) = await self._calls.insist(
            "next_prompt",
            attempt_id=self.id,
            launch=self.launch.mark.launch,
            fresh=True,
            give_up=self._given_up,
        )
        return str(row["prompt"])

    async def _record_cost(self, event: Mapping[str, Any]) -> None:
        try:
            # Its id makes a repetition harmless.
            await self._calls.insist(
                "record_cost", attempt_id=self.id, events=[event], give_up=self._given_up
            )
        except (GivenUp, OfficeError) as fault:
            log.warning("%s: what it used is not recorded: %s", self.name, fault)

    async def _tell_session(self, engine_session: str) -> None:
        try:
            await self._calls.insist(
                "start_attempt",
                attempt_id=self.id,
                engine_session=engine_session,
                launch=self.launch.mark.launch,
                give_up=self._given_up,
            )
        except (GivenUp, OfficeError) as fault:
            log.warning("%s: its engine session is not known to the office: %s", self.name, fault)

    async def _run(self) -> End:
        try:
            if self.launch.worktree is not None:
                await asyncio.to_thread(worktrees.prepare, self.launch.worktree)
            before = await asyncio.to_thread(files_of, self.launch.folder)
            end = await self._executor.run(self.launch, self, self._stop)
            self._changed = changed(before, await asyncio.to_thread(files_of, self.launch.folder))
            return end
        except worktrees.NoWorktree as fault:
            return End(error=str(fault), cause="configuration")
        except GivenUp:
            return End(error="It was given up before its program started.", stopped=True)
        except OfficeError as refusal:
            return End(error=f"Its start was refused: {refusal.message}")
        except Exception as fault:
            # A fault of ours must end this attempt only.
            log.exception("%s: the executor failed", self.name)
            return End(error=storable(f"The executor failed: {type(fault).__name__}: {fault}"), killed=None)

    async def _record(self) -> None:
        try:
            await self._recorder.run()
        except GivenUp:
            return
        except OfficeError as refusal:
            log.warning("%s: its steps are not taken: %s", self.name, refusal.message)

    async def _report(self, end: End) -> str:
        """Tell the database; what became of it, for the log."""
        if end.stopped and self._given_up.is_set():
            return "left to the office"
        try:
            became = await (self._finish(end) if end.error is None else self._fail(end))
            self.told = True
            return became
        except GivenUp:
            return "left to the office, which does not answer"
        except OfficeError as refusal:
            return f"its end was not taken: {refusal.message}"

    async def _finish(self, end: End) -> str:
        try:
            (row,) = await self._calls.insist(
                "finish_attempt",
                attempt_id=self.id,
                result={**end.result, **({"changed_files": self._changed} if self._changed else {})},
                exit_code=end.exit_code,
                launch=self.launch.mark.launch,
                give_up=self._given_up,
            )
        except Refused as refusal:
            if refusal.status == 409:
                # Its end is decided already.
                raise
            return await self._fail(replace(end, error=f"Its result was refused: {refusal.message}"))
        return f"{row['status']} {row['outcome'] or ''}".rstrip()

    async def _fail(self, end: End) -> str:
        (row,) = await self._calls.insist(
            "fail_attempt",
            attempt_id=self.id,
            error=end.error,
            cause=end.cause,
            exit_code=end.exit_code,
            launch=self.launch.mark.launch,
            give_up=self._given_up,
        )
        retry = row["scheduled_retry_at"]
        return f"{row['status']} ({end.error})" + (f", again at {retry:%H:%M:%S}" if retry else "")
