"""Codex: `codex exec --json`."""

import json
import re

from officectl.executors.base import Json
from officectl.executors.engines.base import (
    AGENTS_SIDE,
    HAS_MCP,
    NETWORK,
    OFFICE_ENVIRONMENT,
    Engine,
    Reader,
    Step,
    Usage,
    as_text,
    home,
    number,
    part,
    tool_call,
    tool_result,
)

MODES = {
    "ask": ("-c", 'sandbox_mode="read-only"'),
    "edit": ("-c", 'sandbox_mode="workspace-write"'),
    "all": ("--dangerously-bypass-approvals-and-sandbox",),
}


class _Reader(Reader):
    def read(self, event: Json) -> list[Step] | None:
        match event.get("type"):
            case "thread.started":
                self.session = part(event, "thread_id") or self.session
                return []
            case "turn.started":
                # What it reported before it tried once more.
                self.failure = None
                return []
            case "item.started":
                item = part(event, "item") or {}
                return self._begun(item)
            case "item.completed":
                item = part(event, "item") or {}
                return self._done(item)
            case "item.updated":
                return []
            case "turn.completed":
                self.finished = True
                self.failure = None
                self._count(event.get("usage"))
                return []
            case "turn.failed":
                self.finished = True
                self.failure = as_text(part(event, "error", "message") or event)
                return []
            case "error":
                self.failure = as_text(event.get("message"))
                return [("error", self.failure)]
            case _:
                return None

    def _begun(self, item: Json) -> list[Step]:
        match item.get("type"):
            case "command_execution":
                return [tool_call("command", item.get("command"), item.get("id"))]
            case "mcp_tool_call":
                name = f"{item.get('server')}.{item.get('tool')}"
                return [tool_call(name, item.get("arguments"), item.get("id"))]
            case _:
                return []

    def _done(self, item: Json) -> list[Step]:
        call = item.get("id")
        match item.get("type"):
            case "agent_message":
                self.said = as_text(item.get("text"))
                return [("message", self.said)]
            case "reasoning":
                return [("reasoning", as_text(item.get("text")))]
            case "command_execution":
                return [tool_result(item.get("aggregated_output"), call, failed=item.get("exit_code") != 0)]
            case "mcp_tool_call":
                failed = item.get("status") == "failed"
                return [tool_result(item.get("error") if failed else item.get("result"), call, failed=failed)]
            case "file_change" | "web_search" | "todo_list":
                return [
                    tool_call(
                        item["type"], {key: item[key] for key in item if key not in ("id", "type")}, call
                    )
                ]
            case "error":
                return [("error", as_text(item.get("message")))]
            case _:
                return [("output", as_text(item))]

    def _count(self, usage: object) -> None:
        if self.resumes:
            # It counts the whole thread, and what of that was before is not known.
            return
        cached, fed = number(part(usage, "cached_input_tokens")), number(part(usage, "input_tokens"))
        self.usage = Usage(
            # Its input holds what it had cached.
            fed - cached if fed is not None and cached is not None and fed >= cached else fed,
            cached,
            number(part(usage, "cache_write_input_tokens")),
            number(part(usage, "output_tokens")),
        )


EFFORTS = {"low": "low", "medium": "medium", "high": "high", "max": "high"}
"""Of a profile's thinking levels, which of codex's: some models know no more than high."""


def _arguments(executor: Json, session: str | None) -> list[str]:
    arguments = ["exec"]
    if session:
        arguments += ["resume"]
    arguments += ["--json", "--skip-git-repo-check", *MODES[executor.get("permissions", "edit")]]
    if HAS_MCP:
        passed = sorted({"HOME", "LANG", "PATH", *OFFICE_ENVIRONMENT})
        office = {"command": AGENTS_SIDE[0], "args": [*AGENTS_SIDE[1:]], "env_vars": passed}
        # A JSON value of these kinds is a TOML value, too.
        for key, value in office.items():
            arguments += ["-c", f"mcp_servers.office.{key}={json.dumps(value)}"]
    if model := executor.get("model"):
        arguments += ["--model", model]
    if effort := executor.get("effort"):
        arguments += ["-c", f'model_reasoning_effort="{EFFORTS[effort]}"']
    if window := executor.get("context_window"):
        arguments += ["-c", f"model_context_window={window}"]
    return [*arguments, *([session] if session else []), "-"]


CODEX = Engine(
    name="codex",
    program="codex",
    arguments=_arguments,
    reader=_Reader,
    lost=re.compile(r"no rollout found|thread/resume failed"),
    passed=(*NETWORK, "CODEX_API_KEY", "CODEX_HOME", "OPENAI_API_KEY", "OPENAI_BASE_URL"),
    resume=lambda session: f"codex resume {session}",
    files=lambda environment, session: home(environment, "CODEX_HOME", ".codex").glob(
        f"sessions/**/rollout-*-{session}.jsonl"
    ),
    login=("login", "status"),
    own_providers=True,
)
