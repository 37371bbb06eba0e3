"""The `command` executor: any program (X1, X5). Prompt in, lines out, exit code.

    {"command": ["argv", …], "folder": "/abs", "environment": {"K": "V"}, "pass_environment": ["NAME"],
     "prompt": "stdin" | "argument"}

Exit 0 is a success. Its result is the last line on stdout that is a JSON object, else {"summary": the last
line that is not empty}. Any other exit is a failure, told by the last lines of stderr.
"""

import asyncio
import contextlib
import logging
import signal
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from officectl.executors import environment
from officectl.executors.base import End, Json, Launch, Sink
from officectl.executors.family import CannotStart, Family, StillThere
from officectl.executors.lines import Lines, json_object

CHUNK = 65_536
OUTPUT_BYTES = 2_097_152

LINE_BYTES = 32
"""What a line costs beside its own bytes: a million empty lines are not nothing."""

ERROR_LINES = 20
ERROR_CHARACTERS = 4_000

READ_ON = 2.0
"""Seconds to read what is in the pipes once the family is gone; a stranger that holds one waits in vain."""

BREATHER = 0.01
"""Seconds between two reads once nothing is kept: a program that prints for ever must not fill a core."""

FROZEN = "Its keeper did not answer (a program can stop it, by SIGSTOP): it was killed with all it kept."

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Plan:
    """What to run, and how the prompt gets there."""

    command: list[str]
    folder: Path
    environment: dict[str, str]
    stdin: bytes

    @classmethod
    def of(cls, launch: Launch) -> "Plan":
        """From the launch's executor, whose shape the database has checked (office.check_executor)."""
        executor = launch.executor
        as_argument = executor.get("prompt") == "argument"
        return cls(
            command=[*executor["command"], "--", launch.prompt] if as_argument else executor["command"],
            folder=Path(launch.folder or Path.home()),
            environment=environment.for_program(
                {**executor.get("environment", {}), **launch.environment},
                pass_on=executor.get("pass_environment", ()),
            ),
            stdin=b"" if as_argument else launch.prompt.encode(),
        )


class CommandExecutor:
    """Runs one program, with nothing of it left when `run` returns."""

    async def run(self, launch: Launch, sink: Sink, stop: asyncio.Event) -> End:
        """See `base.Executor`."""
        plan = Plan.of(launch)
        talk = Talk(sink, launch.limits.get("output_bytes") or OUTPUT_BYTES)
        family = await Family.prepare(launch.mark)
        conversation: list[asyncio.Task[None]] = []
        cut_short: End | None = None
        exit_code = 0
        try:
            await sink.started(family.pid)
            if stop.is_set():
                cut_short = End(error="It was stopped before its program started.", stopped=True)
            else:
                conversation = [
                    asyncio.create_task(_listen(family.stdout, talk, talk.printed)),
                    asyncio.create_task(_listen(family.stderr, talk, talk.complained)),
                    asyncio.create_task(_tell(family.stdin, plan.stdin)),
                ]
                exit_code, cut_short = await _until_end(family, plan, talk, launch.limits, stop)
        except CannotStart as fault:
            cut_short = End(error=f"The program cannot be started: {fault}.", cause="configuration")
        finally:
            killed = await _gone(family)
            await _wind_up(conversation)
        return replace(cut_short or talk.end(exit_code), killed=killed)


class Talk:
    """What a program says: each line a step until it is too much; its result, and its last complaints."""

    def __init__(self, sink: Sink, keep_bytes: int) -> None:
        self.clock = sink.clock
        self._sink = sink
        self._keep_bytes = keep_bytes
        self._said_bytes = 0
        self._summary = ""
        self._result: Json | None = None
        self._complaints: deque[str] = deque(maxlen=ERROR_LINES)
        self.heard_at = self.clock.seconds

    def printed(self, line: str) -> None:
        """A line on stdout."""
        value = json_object(line)
        if value is not None:
            self._result = value
        self._summary = line.strip() or self._summary
        self._keep("output", line)

    def complained(self, line: str) -> None:
        """A line on stderr."""
        if line.strip():
            self._complaints.append(line)
        self._keep("error", line)

    @property
    def too_much(self) -> bool:
        """Nothing more is kept."""
        return self._said_bytes > self._keep_bytes

    def end(self, exit_code: int) -> End:
        """By the convention of this module; a negative exit code is a signal's."""
        if exit_code == 0:
            summary: Json = {"summary": self._summary} if self._summary else {}
            return End(result=summary if self._result is None else self._result, exit_code=0)
        if exit_code < 0:
            # Real-time signals have numbers only.
            names = {known.value: known.name for known in signal.Signals}
            how = f"ended by {names.get(-exit_code, f'signal {-exit_code}')}"
            exit_code = 128 - exit_code
        else:
            how = f"exit {exit_code}"
        complaint = "\n".join(self._complaints)[-ERROR_CHARACTERS:]
        return End(error=f"{how}: {complaint}" if complaint else how, exit_code=exit_code)

    def _keep(self, kind: str, line: str) -> None:
        if self.too_much:
            return
        self._said_bytes += len(line.encode()) + LINE_BYTES
        if self.too_much:
            self._sink.step("note", f"The rest is not kept: the output is over {self._keep_bytes} bytes.")
        else:
            self._sink.step(kind, line)


async def _life(family: Family, plan: Plan) -> int:
    """The exit code, or CannotStart; a frozen keeper tells neither, not even that it has started."""
    await family.start(plan.command, folder=plan.folder, environment=plan.environment)
    return await family.wait()


async def _until_end(
    family: Family, plan: Plan, talk: Talk, limits: Json, stop: asyncio.Event
) -> tuple[int, End | None]:
    """The exit code, and the end that was decided on here when the program was not left to its own."""
    ended = asyncio.create_task(_life(family, plan))
    stopped = asyncio.create_task(stop.wait())
    minutes, silence = limits.get("minutes"), limits.get("silence_seconds")
    clock = talk.clock
    last_minute = clock.seconds + minutes * 60 if minutes else float("inf")
    cut_short: End | None = None
    try:
        while cut_short is None and not ended.done():
            silent_from = talk.heard_at + silence if silence else float("inf")
            clock.turned.clear()
            patience = float("inf") if clock.stands else min(last_minute, silent_from) - clock.seconds
            if stop.is_set():
                cut_short = End(error="It was stopped.", stopped=True)
            elif last_minute <= clock.seconds:
                cut_short = End(error=f"It ran for {minutes:g} minutes, its limit.", cause="limit")
            elif silent_from <= clock.seconds:
                cut_short = End(error=f"It printed nothing for {silence:g} seconds.")
            else:
                turned = asyncio.create_task(clock.turned.wait())
                await asyncio.wait(
                    (ended, stopped, turned),
                    timeout=None if patience == float("inf") else patience,
                    return_when=asyncio.FIRST_COMPLETED,
                )
                turned.cancel()
        if cut_short is not None and not ended.done():
            family.stop()
            await asyncio.wait((ended,), timeout=family.patience)
            if not ended.done():
                # What cannot be killed is told by `gone`.
                with contextlib.suppress(StillThere):
                    await family.force()
                cut_short = replace(cut_short, error=f"{cut_short.error} {FROZEN}")
                await asyncio.wait((ended,), timeout=READ_ON)
                told = ended.done() and ended.exception() is None
                return ended.result() if told else -signal.SIGKILL, cut_short
        return await ended, cut_short
    finally:
        stopped.cancel()
        ended.cancel()


async def _listen(stream: asyncio.StreamReader, talk: Talk, heard: Callable[[str], None]) -> None:
    lines = Lines()
    while data := await stream.read(CHUNK):
        talk.heard_at = talk.clock.seconds
        for line in lines.feed(data):
            heard(line)
        if talk.too_much:
            await asyncio.sleep(BREATHER)
    for line in lines.end():
        heard(line)


async def _tell(stdin: asyncio.StreamWriter, prompt: bytes) -> None:
    """The prompt, then the end of input; a program need not read it."""
    with contextlib.suppress(ConnectionError):
        stdin.write(prompt)
        await stdin.drain()
    stdin.close()


async def _gone(family: Family) -> int | None:
    """How many processes were left and killed; None, and a warning, when something is still there."""
    try:
        return await family.gone()
    except StillThere as fault:
        log.warning("not all of a program's processes are gone: %s", fault)
        return None


async def _wind_up(conversation: list[asyncio.Task[None]]) -> None:
    if not conversation:
        return
    _, hanging = await asyncio.wait(conversation, timeout=READ_ON)
    for task in hanging:
        task.cancel()
    await asyncio.gather(*conversation, return_exceptions=True)
