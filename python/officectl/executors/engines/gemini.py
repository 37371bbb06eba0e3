"""Gemini CLI: `gemini --output-format stream-json`."""

import re

from officectl.executors.base import Json
from officectl.executors.engines.base import (
    ENOUGH,
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

MODES = {"ask": "default", "edit": "auto_edit", "all": "yolo"}

RETRIES = re.compile(r"^Attempt (?P<number>\d+) failed with status 429")


class _Reader(Reader):
    def __init__(self, resumes: bool) -> None:
        super().__init__(resumes)
        self._speaks = False

    def read(self, event: Json) -> list[Step] | None:
        speaks, self._speaks = self._speaks, False
        match event.get("type"):
            case "init":
                self.session = part(event, "session_id") or self.session
                self.model = part(event, "model") or self.model
                return []
            case "message":
                if event.get("role") != "assistant":
                    return []
                content = as_text(event.get("content"))
                # A message comes in pieces.
                self._speaks = event.get("delta") is True
                self.said = self.said + content if speaks else content
                return [("message", content)]
            case "tool_use":
                return [tool_call(event.get("tool_name"), event.get("parameters"), event.get("tool_id"))]
            case "tool_result":
                failed = event.get("status") != "success"
                output = event.get("output") or part(event, "error", "message")
                return [tool_result(output, event.get("tool_id"), failed=failed)]
            case "error":
                return [("error", as_text(event.get("message")))]
            case "result":
                self._result(event)
                return []
            case _:
                return None

    def _result(self, event: Json) -> None:
        self.finished = True
        if event.get("status") != "success":
            self.failure = as_text(part(event, "error", "message") or event)
        stats = event.get("stats")
        if models := part(stats, "models"):
            self.model = max(models, key=lambda name: number(part(models, name, "output_tokens")) or 0)
        if number(part(stats, "total_tokens")):
            self.usage = Usage(
                number(part(stats, "input")),
                number(part(stats, "cached")),
                None,
                number(part(stats, "output_tokens")),
            )

    def complaint(self, line: str) -> str | None:
        refused = RETRIES.match(line)
        return line if refused and int(refused["number"]) >= ENOUGH else None


def _arguments(executor: Json, session: str | None) -> list[str]:
    arguments = ["--output-format", "stream-json", "--skip-trust"]
    arguments += ["--approval-mode", MODES[executor.get("permissions", "edit")]]
    if model := executor.get("model"):
        arguments += ["--model", model]
    if session:
        arguments += ["--resume", session]
    return arguments


GEMINI = Engine(
    name="gemini",
    program="gemini",
    arguments=_arguments,
    reader=_Reader,
    lost=re.compile(r"Error resuming session|No previous sessions found|Invalid session identifier"),
    passed=(
        *NETWORK,
        "GEMINI_API_KEY",
        "GOOGLE_API_KEY",
        "GOOGLE_APPLICATION_CREDENTIALS",
        "GOOGLE_CLOUD_LOCATION",
        "GOOGLE_CLOUD_PROJECT",
        "GOOGLE_GEMINI_BASE_URL",
        "GOOGLE_GENAI_USE_VERTEXAI",
    ),
    resume=lambda session: f"gemini --resume {session}",
)
