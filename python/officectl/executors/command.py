"""The `command` executor: any program (X1, X5). Prompt in, lines out, exit code.

    {"command": ["argv", …], "folder": "/abs", "environment": {"K": "V"}, "pass_environment": ["NAME"],
     "prompt": "stdin" | "argument"}

Exit 0 is a success. Its result is the last line on stdout that is a JSON object, else {"summary": the last
line that is not empty}. Any other exit is a failure, told by the last lines of stderr.
"""

import asyncio

from officectl.executors.base import End, Json, Launch, Sink
from officectl.executors.lines import json_object
from officectl.executors.program import Kept, Program, Talk, conduct


class CommandExecutor:
    """Runs one program, with nothing of it left when `run` returns."""

    async def run(self, launch: Launch, sink: Sink, stop: asyncio.Event) -> End:
        """See `base.Executor`."""
        command = launch.executor["command"]
        if launch.executor.get("prompt") == "argument":
            program = Program.of(launch, [*command, "--", launch.prompt], "")
        else:
            program = Program.of(launch, command, launch.prompt)
        talk = _Lines(sink, Kept(sink, launch.limits))
        return await conduct(launch.mark, program, talk, sink, launch.limits, stop)


class _Lines(Talk):
    """Each line is a step; the last that is an object is the result."""

    _summary = ""
    _result: Json | None = None

    def printed(self, line: str) -> None:
        value = json_object(line)
        if value is not None:
            self._result = value
        self._summary = line.strip() or self._summary
        self.kept.add("output", line)

    def end(self, exit_code: int) -> End:
        if exit_code != 0:
            return self.failure(exit_code)
        summary: Json = {"summary": self._summary} if self._summary else {}
        return End(result=summary if self._result is None else self._result, exit_code=0)
