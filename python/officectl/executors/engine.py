"""The presets of the `command` executor: agent programs whose events are understood (X1, X5).

    {"preset": "claude" | "codex" | "gemini" | "opencode", "command": ["program", …], "model": "…",
     "permissions": "ask" | "edit" | "all", …}

An attempt is one program as a rule. It is another one, of the same attempt, when the engine session that it
was to go on in is lost (a fresh one, once), and when a fault passes (the same session again, at most twice).
"""

import asyncio
import contextlib
import json
import re
from collections.abc import Sequence
from dataclasses import replace

from officectl.executors.base import End, Json, Launch, Sink
from officectl.executors.engines import ENGINES, LIMIT, Engine, Reader, Usage
from officectl.executors.lines import json_object
from officectl.executors.program import Kept, Program, Talk, conduct

EXIT_SECONDS = 30.0
"""After its result event an engine has this long to exit."""

PAUSES = (3.0, 20.0)
"""Seconds before an engine is resumed after a fault that passes; so often is it resumed."""

GO_ON = "You were interrupted by a fault that has passed. Go on where you were, and end as you were told to."

PASSING = re.compile(
    r"\b(?:500|502|503|504|520|529)\b|overloaded|high demand|temporarily unavailable|internal server error"
    r"|bad gateway|service unavailable|stream (?:was )?(?:disconnected|closed)|request timed out"
    r"|connection (?:was )?(?:lost|reset|refused|closed|error|aborted|timed out)"
    r"|ECONNRESET|ECONNREFUSED|ETIMEDOUT|EPIPE|socket hang up|fetch failed|network error",
    re.IGNORECASE,
)

LOGGED_OUT = re.compile(
    r"not logged in|please run /login|401 unauthorized|authentication_failed|set an auth method"
    r"|(?:invalid|incorrect) (?:x-)?api.?key|api key not valid|oauth token has expired"
    r"|authentication required",
    re.IGNORECASE,
)
"""Only a person can mend it (Q23)."""


class EngineExecutor:
    """Runs an engine, with nothing of it left when `run` returns."""

    def __init__(self, pauses: Sequence[float] = PAUSES, exit_seconds: float = EXIT_SECONDS) -> None:
        self._pauses = pauses
        self._exit_seconds = exit_seconds

    async def run(self, launch: Launch, sink: Sink, stop: asyncio.Event) -> End:
        """See `base.Executor`."""
        engine = ENGINES[launch.executor["preset"]]
        kept = Kept(sink, launch.limits)
        session, prompt = launch.engine_session, launch.prompt
        pauses = iter(self._pauses)
        model: str | None = None
        usage = Usage()
        killed: int | None = 0
        while True:
            reader = engine.reader(session is not None)
            talk = EngineTalk(sink, kept, reader, self._exit_seconds)
            program = Program.of(
                launch,
                engine.command(launch.executor, session),
                prompt,
                extra=engine.settings(launch.executor),
                pass_on=engine.passed,
            )
            end = await conduct(launch.mark, program, talk, sink, launch.limits, stop)
            killed = None if killed is None or end.killed is None else killed + end.killed
            model, usage = reader.model or model, usage + reader.usage
            if end.error is None or end.stopped or end.cause != "failure":
                break
            error = end.error
            if LOGGED_OUT.search(error):
                end = replace(end, cause="configuration")
                break
            if session and engine.lost.search(error):
                sink.step("note", f"The engine session {session} is lost: a fresh one takes its place.")
                session, prompt = None, await sink.fresh_prompt()
                continue
            session = reader.session or session
            if not session or not (talk.silent or passes(error)):
                break
            pause = next(pauses, None)
            if pause is None:
                break
            sink.step(
                "note",
                f"It is resumed in its engine session {session}, after a fault that may pass: {error}",
            )
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(stop.wait(), pause)
            prompt = GO_ON
        if usage.told:
            used = {"model": model} | usage.told
            sink.step("usage", json.dumps(used))
            sink.spent(used)
        return replace(end, killed=killed)


def passes(error: str) -> bool:
    """Whether what went wrong may be over soon."""
    return PASSING.search(error) is not None and LIMIT.search(error) is None


class EngineTalk(Talk):
    """An engine's events become steps; its result event decides."""

    def __init__(self, sink: Sink, kept: Kept, reader: Reader, exit_seconds: float) -> None:
        super().__init__(sink, kept)
        self._sink = sink
        self._reader = reader
        self._exit_seconds = exit_seconds

    def printed(self, line: str) -> None:
        event = json_object(line)
        steps = None if event is None else self._reader.read(event)
        if steps is None:
            self.kept.add("output", line)
            return
        for kind, content in steps:
            self.kept.add(kind, content)
        if self._reader.session:
            self._sink.in_session(self._reader.session)
        if self._reader.finished:
            self.ends_by = self.clock.seconds + self._exit_seconds
            self.news.set()
        else:
            self.ends_by = float("inf")

    def complained(self, line: str) -> None:
        super().complained(line)
        self.hopeless = self._reader.complaint(line) or self.hopeless
        if self.hopeless:
            self.news.set()

    def end(self, exit_code: int) -> End:
        reader = self._reader
        if reader.failure is not None or exit_code != 0:
            return self.failure(exit_code, reader.failure)
        if not reader.finished:
            return self.failure(exit_code, "it ended without the event that tells its result")
        return End(result=result_of(reader.said), exit_code=0)


def result_of(said: str) -> Json:
    """The result that a last message tells: an object on its last line, else the message itself."""
    lines = [line for line in said.splitlines() if line.strip(" `")]
    told = json_object(lines[-1]) if lines else None
    return {"summary": said.strip()} if told is None else told


def engine_of(executor: Json) -> Engine | None:
    """The engine that an executor launches, if it is a preset."""
    return ENGINES.get(str(executor.get("preset")))
