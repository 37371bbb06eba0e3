"""Claude Code: `claude -p --output-format stream-json`."""

import json
import re

from officectl.executors.base import Json
from officectl.executors.engines.base import (
    AGENTS_SIDE,
    HAS_MCP,
    NETWORK,
    Engine,
    Reader,
    Step,
    Usage,
    as_text,
    home,
    number,
    part,
    parts,
    tool_call,
    tool_result,
)

MODES = {"ask": "default", "edit": "acceptEdits", "all": "bypassPermissions"}


class _Reader(Reader):
    def read(self, event: Json) -> list[Step] | None:
        self.session = part(event, "session_id") or self.session
        match event.get("type"):
            case "system":
                self.model = part(event, "model") or self.model
                return []
            case "assistant":
                return self._message(event)
            case "user":
                content = parts(part(event, "message", "content"))
                return [
                    tool_result(_output(item), item.get("tool_use_id"), failed=item.get("is_error") is True)
                    for item in content
                    if item.get("type") == "tool_result"
                ]
            case "result":
                return self._result(event)
            case "stream_event" | "rate_limit_event" | "control_response" | "keep_alive":
                return []
            case _:
                return None

    def _message(self, event: Json) -> list[Step]:
        steps = list[Step]()
        for item in parts(part(event, "message", "content")):
            match item.get("type"):
                case "text":
                    self.said = as_text(item.get("text"))
                    steps.append(("message", self.said))
                case "thinking":
                    steps.append(("reasoning", as_text(item.get("thinking"))))
                case "tool_use":
                    steps.append(tool_call(item.get("name"), item.get("input"), item.get("id")))
        return steps

    def _result(self, event: Json) -> list[Step]:
        self.finished = True
        if isinstance(said := event.get("result"), str):
            self.said = said
        if event.get("is_error") is not False or event.get("subtype") != "success":
            errors = [as_text(error) for error in event.get("errors") or ()]
            self.failure = "\n".join([self.said, *errors]).strip() or as_text(event.get("subtype"))
        usage = event.get("usage")
        cost = event.get("total_cost_usd")
        if part(event, "modelUsage"):
            self.model = max(
                event["modelUsage"],
                key=lambda name: number(part(event, "modelUsage", name, "outputTokens")) or 0,
            )
            self.usage = Usage(
                number(part(usage, "input_tokens")),
                number(part(usage, "cache_read_input_tokens")),
                number(part(usage, "cache_creation_input_tokens")),
                number(part(usage, "output_tokens")),
                round(cost * 100, 6) if isinstance(cost, int | float) else None,
            )
        return []


def _output(item: Json) -> object:
    content = item.get("content")
    texts = [as_text(piece.get("text")) for piece in parts(content) if piece.get("type") == "text"]
    return "\n".join(texts) if texts else content


def _arguments(executor: Json, session: str | None) -> list[str]:
    arguments = ["-p", "--output-format", "stream-json", "--verbose"]
    permissions = executor.get("permissions", "edit")
    arguments += ["--permission-mode", MODES[permissions]]
    if HAS_MCP:
        office = {"command": AGENTS_SIDE[0], "args": [*AGENTS_SIDE[1:]]}
        arguments += ["--mcp-config", json.dumps({"mcpServers": {"office": office}})]
        arguments += ["--allowedTools", "mcp__office"]
        if permissions != "all":
            arguments += ["--permission-prompt-tool", "mcp__office__permission"]
    if model := executor.get("model"):
        arguments += ["--model", model]
    if session:
        arguments += ["--resume", session]
    return arguments


CLAUDE = Engine(
    name="claude",
    program="claude",
    arguments=_arguments,
    reader=_Reader,
    lost=re.compile(r"No conversation found"),
    passed=(
        *NETWORK,
        "ANTHROPIC_API_KEY",
        "ANTHROPIC_AUTH_TOKEN",
        "ANTHROPIC_BASE_URL",
        "ANTHROPIC_MODEL",
        "CLAUDE_CODE_OAUTH_TOKEN",
        "CLAUDE_CODE_USE_BEDROCK",
        "CLAUDE_CODE_USE_VERTEX",
        "CLAUDE_CONFIG_DIR",
        "IS_SANDBOX",
    ),
    resume=lambda session: f"claude --resume {session}",
    files=lambda environment, session: home(environment, "CLAUDE_CONFIG_DIR", ".claude").glob(
        f"projects/*/{session}.jsonl"
    ),
    login=("auth", "status"),
)
