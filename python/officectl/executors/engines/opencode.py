"""opencode: `opencode run --format json`."""

import re

from officectl.executors.base import Json
from officectl.executors.engines.base import (
    ENOUGH,
    LIMIT,
    NETWORK,
    Engine,
    Reader,
    Step,
    Usage,
    as_text,
    number,
    part,
    tool_call,
    tool_result,
)


class _Reader(Reader):
    def __init__(self, resumes: bool) -> None:
        super().__init__(resumes)
        self._refusals = 0

    def read(self, event: Json) -> list[Step] | None:
        self.session = part(event, "sessionID") or self.session
        content = part(event, "part")
        match event.get("type"):
            case "step_start":
                self.finished = False
                return []
            case "text":
                self.said = as_text(part(content, "text"))
                return [("message", self.said)]
            case "reasoning":
                return [("reasoning", as_text(part(content, "text")))]
            case "tool_use":
                call, state = part(content, "callID"), part(content, "state")
                failed = part(state, "status") != "completed"
                output = part(state, "error") if failed else part(state, "output")
                return [
                    tool_call(part(content, "tool"), part(state, "input"), call),
                    tool_result(output, call, failed=failed),
                ]
            case "step_finish":
                self._count(content)
                # Each step ends so; the last for another reason than that it called a tool.
                self.finished = part(content, "reason") != "tool-calls"
                return []
            case "error":
                error = part(event, "error")
                self.failure = as_text(part(error, "data", "message") or part(error, "name") or event)
                self.finished = True
                return [("error", self.failure)]
            case _:
                return None

    def complaint(self, line: str) -> str | None:
        if "stream error" in line and LIMIT.search(line):
            self._refusals += 1
        return line if self._refusals >= ENOUGH else None

    def _count(self, content: object) -> None:
        tokens = part(content, "tokens")
        cost = part(content, "cost")
        self.usage += Usage(
            number(part(tokens, "input")),
            number(part(tokens, "cache", "read")),
            number(part(tokens, "cache", "write")),
            number(part(tokens, "output")),
            # Where it knows no price it says 0.
            round(cost * 100, 6) if isinstance(cost, int | float) and cost > 0 else None,
        )


def _arguments(executor: Json, session: str | None) -> list[str]:
    # Of its own retries only its log tells.
    arguments = ["run", "--format", "json", "--print-logs", "--log-level", "ERROR"]
    if executor.get("permissions", "edit") == "all":
        arguments += ["--auto"]
    if model := executor.get("model"):
        arguments += ["--model", model]
    if session:
        arguments += ["--session", session]
    return arguments


OPENCODE = Engine(
    name="opencode",
    program="opencode",
    arguments=_arguments,
    reader=_Reader,
    lost=re.compile(r"Session not found"),
    passed=(
        *NETWORK,
        "ANTHROPIC_API_KEY",
        "OPENAI_API_KEY",
        "OPENCODE_CONFIG",
        "OPENCODE_CONFIG_CONTENT",
        "OPENCODE_CONFIG_DIR",
        "XDG_DATA_HOME",
    ),
    resume=lambda session: f"opencode --session {session}",
)
