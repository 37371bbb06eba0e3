"""One program from its start to its end, whatever it is: prompt in, lines out, nothing left (X5, X6).

`conduct` runs a `Program` and lets a `Talk` listen; what the lines mean is the talk's to say.
"""

import asyncio
import contextlib
import logging
import signal
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from officectl.executors import environment
from officectl.executors.base import End, Json, Launch, Sink
from officectl.executors.family import CannotStart, Family, StillThere
from officectl.executors.lines import Lines
from officectl.executors.marks import Mark

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
class Program:
    """What to run, and what it finds on its standard input."""

    command: list[str]
    folder: Path
    environment: dict[str, str]
    stdin: bytes

    @classmethod
    def of(
        cls,
        launch: Launch,
        command: Sequence[str],
        stdin: str,
        *,
        extra: Mapping[str, str] | None = None,
        pass_on: Iterable[str] = (),
    ) -> "Program":
        """In the launch's folder and environment, which the executor may have added to."""
        executor = launch.executor
        return cls(
            command=list(command),
            folder=Path(launch.folder or Path.home()),
            environment=environment.for_program(
                {**(extra or {}), **executor.get("environment", {}), **launch.environment},
                pass_on=(*executor.get("pass_environment", ()), *pass_on),
            ),
            stdin=stdin.encode(),
        )


class Kept:
    """What is kept of the output of an attempt: each line a step, until it is too much; then one marker."""

    def __init__(self, sink: Sink, limits: Json) -> None:
        self._sink = sink
        self._most = limits.get("output_bytes") or OUTPUT_BYTES
        self._bytes = 0

    @property
    def too_much(self) -> bool:
        """Nothing more is kept."""
        return self._bytes > self._most

    def add(self, kind: str, content: str) -> None:
        """Keep it as a step, if there is room."""
        if self.too_much:
            return
        self._bytes += len(content.encode()) + LINE_BYTES
        if self.too_much:
            self._sink.step("note", f"The rest is not kept: the output is over {self._most} bytes.")
        else:
            self._sink.step(kind, content)


class Talk:
    """What one program says; its last complaints. What its lines mean is for the kinds of talk to say."""

    def __init__(self, sink: Sink, kept: Kept) -> None:
        self.clock = sink.clock
        self.kept = kept
        self.heard_at = self.clock.seconds
        self.silent = False
        """It was stopped because it said nothing."""
        self.ends_by = float("inf")
        """When it is stopped though nothing is wrong, by the clock; set together with `news`."""
        self.hopeless: str | None = None
        """Why it is stopped: it would go on in vain; set together with `news`."""
        self.news = asyncio.Event()
        self._complaints: deque[str] = deque(maxlen=ERROR_LINES)

    async def speak(self, stdin: asyncio.StreamWriter, prompt: bytes) -> None:
        """What it is told: the prompt, then the end of input; a program need not read it."""
        with contextlib.suppress(ConnectionError):
            stdin.write(prompt)
            await stdin.drain()
        stdin.close()

    async def part(self) -> None:
        """Before it is stopped: what may be said for it to end by itself. Takes few seconds."""

    def printed(self, line: str) -> None:
        """A line on stdout."""
        raise NotImplementedError

    def hung_up(self) -> None:
        """Nothing more comes on stdout."""

    def complained(self, line: str) -> None:
        """A line on stderr."""
        if line.strip():
            self._complaints.append(line)
        self.kept.add("error", line)

    def end(self, exit_code: int) -> End:
        """What its end means; a negative exit code is a signal's."""
        raise NotImplementedError

    def failure(self, exit_code: int, error: str | None = None) -> End:
        """It failed: with this error, else as its last complaints say."""
        if exit_code < 0:
            # Real-time signals have numbers only.
            names = {known.value: known.name for known in signal.Signals}
            how = f"ended by {names.get(-exit_code, f'signal {-exit_code}')}"
            exit_code = 128 - exit_code
        else:
            how = f"exit {exit_code}"
        complaint = error or "\n".join(self._complaints)[-ERROR_CHARACTERS:]
        return End(error=f"{how}: {complaint}" if complaint else how, exit_code=exit_code)


async def conduct(
    mark: Mark, program: Program, talk: Talk, sink: Sink, limits: Json, stop: asyncio.Event
) -> End:
    """Run the program to its end, with nothing of it left then."""
    family = await Family.prepare(mark)
    conversation: list[asyncio.Task[None]] = []
    cut_short: End | None = None
    exit_code = 0
    try:
        await sink.started(family.pid)
        if stop.is_set():
            cut_short = End(error="It was stopped before its program started.", stopped=True)
        else:
            conversation = [
                asyncio.create_task(_listen(family.stdout, talk, talk.printed, talk.hung_up)),
                asyncio.create_task(_listen(family.stderr, talk, talk.complained)),
                asyncio.create_task(talk.speak(family.stdin, program.stdin)),
            ]
            exit_code, cut_short = await _until_end(family, program, talk, limits, stop)
    except CannotStart as fault:
        cut_short = End(error=f"The program cannot be started: {fault}.", cause="configuration")
    finally:
        killed = await gone(family)
        await _wind_up(conversation)
    return replace(cut_short or talk.end(exit_code), killed=killed)


async def _life(family: Family, program: Program) -> int:
    """The exit code, or CannotStart; a frozen keeper tells neither, not even that it has started."""
    await family.start(program.command, folder=program.folder, environment=program.environment)
    return await family.wait()


async def _until_end(
    family: Family, program: Program, talk: Talk, limits: Json, stop: asyncio.Event
) -> tuple[int, End | None]:
    """The exit code, and the end that was decided on here when the program was not left to its own."""
    ended = asyncio.create_task(_life(family, program))
    stopped = asyncio.create_task(stop.wait())
    minutes, silence = limits.get("minutes"), limits.get("silence_seconds")
    clock = talk.clock
    # The clock began with the attempt: programs of one attempt share its minutes.
    last_minute = minutes * 60 if minutes else float("inf")
    cut_short: End | None = None
    try:
        while cut_short is None and not ended.done():
            silent_from = talk.heard_at + silence if silence else float("inf")
            clock.turned.clear()
            talk.news.clear()
            patience = min(last_minute, silent_from, talk.ends_by) - clock.seconds
            patience = float("inf") if clock.stands else patience
            if stop.is_set():
                cut_short = End(error="It was stopped.", stopped=True)
            elif talk.hopeless is not None:
                cut_short = End(error=talk.hopeless)
            elif talk.ends_by <= clock.seconds:
                cut_short = replace(talk.end(0), exit_code=None)
            elif last_minute <= clock.seconds:
                cut_short = End(error=f"It ran for {minutes:g} minutes, its limit.", cause="limit")
            elif silent_from <= clock.seconds:
                talk.silent = True
                cut_short = End(error=f"It printed nothing for {silence:g} seconds.")
            else:
                turned = asyncio.create_task(clock.turned.wait())
                news = asyncio.create_task(talk.news.wait())
                await asyncio.wait(
                    (ended, stopped, turned, news),
                    timeout=None if patience == float("inf") else patience,
                    return_when=asyncio.FIRST_COMPLETED,
                )
                turned.cancel()
                news.cancel()
        if cut_short is not None and not ended.done():
            await talk.part()
            family.stop()
            await asyncio.wait((ended,), timeout=family.patience)
            if not ended.done():
                # What cannot be killed is told by `gone`.
                with contextlib.suppress(StillThere):
                    await family.force()
                if cut_short.error is not None:
                    cut_short = replace(cut_short, error=f"{cut_short.error} {FROZEN}")
                await asyncio.wait((ended,), timeout=READ_ON)
                told = ended.done() and ended.exception() is None
                return ended.result() if told else -signal.SIGKILL, cut_short
        return await ended, cut_short
    finally:
        stopped.cancel()
        ended.cancel()


async def _listen(
    stream: asyncio.StreamReader,
    talk: Talk,
    heard: Callable[[str], None],
    ended: Callable[[], None] = lambda: None,
) -> None:
    lines = Lines()
    while data := await stream.read(CHUNK):
        talk.heard_at = talk.clock.seconds
        for line in lines.feed(data):
            heard(line)
        if talk.kept.too_much:
            await asyncio.sleep(BREATHER)
    for line in lines.end():
        heard(line)
    ended()


async def gone(family: Family) -> int | None:
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
