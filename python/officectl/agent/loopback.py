"""A small model endpoint on loopback that speaks the wire formats of four agent programs.

It answers Anthropic messages, OpenAI responses and chat completions, and Gemini generateContent, streamed or
whole, and is as clever as its `Mind` says: it calls one tool and then answers, only answers, or refuses.
With it the agent programs themselves can be tried without an account (`officectl demo --agent`,
`make test-agents`).
"""

import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import Any, Self

Json = dict[str, Any]

SHELLS = {
    "Bash": "command",
    "bash": "command",
    "run_shell_command": "command",
    "exec_command": "cmd",
    "shell_command": "command",
}
"""The tools by which agent programs run a command, with the argument that takes it."""


@dataclass
class Mind:
    """What the model does: runs `command`, then says `answer`; refuses the first `refusals` with `status`."""

    answer: str = 'It is done.\n{"summary": "It is done."}'
    command: str | None = None
    when: str = ""
    """It runs the command only where it was told this."""
    status: int = 429
    refusals: int = 0
    message: str = "This request would exceed your account's rate limit. Please try again later."
    asked: list[tuple[str, Json]] = field(default_factory=list)
    """Every request: its path and its body."""

    def refuse(self) -> bool:
        """Whether this request is refused."""
        if self.refusals <= 0:
            return False
        self.refusals -= 1
        return True

    def call(self, body: Json, tools: list[str], already: bool) -> tuple[str, Json] | None:
        """The tool to call, with its arguments: once, and only where the program offers a shell."""
        if self.command is None or already or self.when not in json.dumps(body):
            return None
        for name, argument in SHELLS.items():
            if name in tools:
                return name, {argument: self.command, "description": "Runs a command"}
        return None


class Endpoint:
    """Serves a mind on a free port of 127.0.0.1 until the end of the block."""

    def __init__(self, mind: Mind) -> None:
        self.mind = mind
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.mind = mind
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)

    @property
    def url(self) -> str:
        """Without a path."""
        return f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    mind: Mind


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def log_message(self, format: str, *args: Any) -> None:
        """What was asked is in `Mind.asked`."""

    def do_HEAD(self) -> None:
        self._whole({})

    def do_GET(self) -> None:
        self._whole({"object": "list", "data": [], "models": []})

    def do_POST(self) -> None:
        length = int(self.headers.get("content-length") or 0)
        body: Json = json.loads(self.rfile.read(length) or b"{}")
        path = self.path.partition("?")[0]
        mind = self.server.mind
        mind.asked.append((path, body))
        wire = next((wire for end, wire in WIRES.items() if path.endswith(end)), None)
        if path.endswith(("/count_tokens", ":countTokens")):
            self._whole({"input_tokens": 10, "totalTokens": 10})
        elif wire is None:
            self._whole({"error": {"message": f"nothing at {path}"}}, status=404)
        elif mind.refuse():
            self._whole(wire.refusal(mind), status=mind.status)
        elif body.get("stream") or path.endswith(":streamGenerateContent"):
            self._stream(wire.stream(mind, body))
        else:
            self._whole(wire.whole(mind, body))

    def _whole(self, body: Json, status: int = 200) -> None:
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def _stream(self, events: Iterator[tuple[str, Json | str]]) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        for name, event in events:
            data = event if isinstance(event, str) else json.dumps(event)
            self.wfile.write((f"event: {name}\n" if name else "").encode() + f"data: {data}\n\n".encode())
        self.close_connection = True


class _Wire:
    """One wire format."""

    def refusal(self, mind: Mind) -> Json:
        kind = "rate_limit_error" if mind.status == 429 else "api_error"
        return {"type": "error", "error": {"type": kind, "message": mind.message, "code": kind}}

    def whole(self, mind: Mind, body: Json) -> Json:
        raise NotImplementedError

    def stream(self, mind: Mind, body: Json) -> Iterator[tuple[str, Json | str]]:
        raise NotImplementedError


class _Anthropic(_Wire):
    def whole(self, mind: Mind, body: Json) -> Json:
        tools = [tool["name"] for tool in body.get("tools", [])]
        call = mind.call(body, tools, '"tool_result"' in json.dumps(body["messages"]))
        content: Json
        if call:
            content = {"type": "tool_use", "id": "toolu_1", "name": call[0], "input": call[1]}
        else:
            content = {"type": "text", "text": mind.answer}
        return {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": body["model"],
            "content": [content],
            "stop_reason": "tool_use" if call else "end_turn",
            "stop_sequence": None,
            "usage": {
                "input_tokens": 120,
                "output_tokens": 17,
                "cache_read_input_tokens": 40,
                "cache_creation_input_tokens": 8,
            },
        }

    def stream(self, mind: Mind, body: Json) -> Iterator[tuple[str, Json | str]]:
        message = self.whole(mind, body)
        (content,) = message["content"]
        begun = {**message, "content": [], "stop_reason": None}
        yield "message_start", {"type": "message_start", "message": begun}
        empty = {**content, "text": ""} if content["type"] == "text" else {**content, "input": {}}
        yield (
            "content_block_start",
            {"type": "content_block_start", "index": 0, "content_block": empty},
        )
        if content["type"] == "text":
            delta = {"type": "text_delta", "text": content["text"]}
        else:
            delta = {"type": "input_json_delta", "partial_json": json.dumps(content["input"])}
        yield "content_block_delta", {"type": "content_block_delta", "index": 0, "delta": delta}
        yield "content_block_stop", {"type": "content_block_stop", "index": 0}
        ended = {"stop_reason": message["stop_reason"], "stop_sequence": None}
        yield "message_delta", {"type": "message_delta", "delta": ended, "usage": message["usage"]}
        yield "message_stop", {"type": "message_stop"}


class _Responses(_Wire):
    def whole(self, mind: Mind, body: Json) -> Json:
        called = any(item.get("type") == "function_call_output" for item in body.get("input", []))
        call = mind.call(body, [tool.get("name", "") for tool in body.get("tools", [])], called)
        item: Json
        if call:
            item = {
                "type": "function_call",
                "id": "fc_1",
                "call_id": "call_1",
                "name": call[0],
                "arguments": json.dumps({key: call[1][key] for key in call[1] if key != "description"}),
                "status": "completed",
            }
        else:
            item = {
                "type": "message",
                "id": "msg_1",
                "role": "assistant",
                "status": "completed",
                "content": [{"type": "output_text", "text": mind.answer, "annotations": []}],
            }
        return {
            "id": "resp_1",
            "object": "response",
            "status": "completed",
            "model": body["model"],
            "output": [item],
            "usage": {
                "input_tokens": 120,
                "input_tokens_details": {"cached_tokens": 40},
                "output_tokens": 17,
                "output_tokens_details": {"reasoning_tokens": 3},
                "total_tokens": 137,
            },
        }

    def stream(self, mind: Mind, body: Json) -> Iterator[tuple[str, Json | str]]:
        response = self.whole(mind, body)
        begun = {**response, "status": "in_progress", "output": [], "usage": None}
        yield "response.created", {"type": "response.created", "response": begun}
        for item in response["output"]:
            added = {"type": "response.output_item.added", "output_index": 0, "item": item}
            yield "response.output_item.added", added
            done = {"type": "response.output_item.done", "output_index": 0, "item": item}
            yield "response.output_item.done", done
        yield "response.completed", {"type": "response.completed", "response": response}


class _Chat(_Wire):
    def whole(self, mind: Mind, body: Json) -> Json:
        called = any(message["role"] == "tool" for message in body["messages"])
        call = mind.call(body, [tool["function"]["name"] for tool in body.get("tools", [])], called)
        message: Json = {"role": "assistant", "content": None if call else mind.answer}
        if call:
            function = {"name": call[0], "arguments": json.dumps(call[1])}
            message["tool_calls"] = [{"index": 0, "id": "call_1", "type": "function", "function": function}]
        return {
            "id": "chatcmpl_1",
            "object": "chat.completion",
            "created": 1,
            "model": body["model"],
            "choices": [{"index": 0, "message": message, "finish_reason": "tool_calls" if call else "stop"}],
            "usage": {
                "prompt_tokens": 120,
                "completion_tokens": 17,
                "total_tokens": 137,
                "prompt_tokens_details": {"cached_tokens": 40},
            },
        }

    def stream(self, mind: Mind, body: Json) -> Iterator[tuple[str, Json | str]]:
        whole = self.whole(mind, body)
        chunk = {**whole, "object": "chat.completion.chunk"}
        (choice,) = whole["choices"]
        said = {**chunk, "usage": None, "choices": [{"index": 0, "delta": choice["message"]}]}
        yield "", said
        ended = [{"index": 0, "delta": {}, "finish_reason": choice["finish_reason"]}]
        yield "", {**chunk, "choices": ended}
        yield "", "[DONE]"


class _Gemini(_Wire):
    def refusal(self, mind: Mind) -> Json:
        return {"error": {"code": mind.status, "message": mind.message, "status": "RESOURCE_EXHAUSTED"}}

    def whole(self, mind: Mind, body: Json) -> Json:
        tools = [
            declared["name"]
            for tool in body.get("tools", [])
            for declared in tool.get("functionDeclarations", [])
        ]
        call = mind.call(body, tools, "functionResponse" in json.dumps(body["contents"]))
        answer = mind.answer
        if "responseJsonSchema" in (asked := body.get("generationConfig", {})):
            # It asks which model is to be used, or who speaks next.
            kinds = asked["responseJsonSchema"].get("properties", {})
            answer = json.dumps({name: "flash" if "model" in name else "user" for name in kinds})
        part = {"functionCall": {"name": call[0], "args": call[1]}} if call else {"text": answer}
        return {
            "candidates": [
                {"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}
            ],
            "usageMetadata": {
                "promptTokenCount": 120,
                "cachedContentTokenCount": 40,
                "candidatesTokenCount": 17,
                "totalTokenCount": 137,
            },
            "modelVersion": "gemini-loopback",
        }

    def stream(self, mind: Mind, body: Json) -> Iterator[tuple[str, Json | str]]:
        yield "", self.whole(mind, body)


WIRES: dict[str, _Wire] = {
    "/messages": _Anthropic(),
    "/responses": _Responses(),
    "/chat/completions": _Chat(),
    ":generateContent": _Gemini(),
    ":streamGenerateContent": _Gemini(),
}


def settings_for(program: str, home: Path, url: str) -> dict[str, str]:
    """Have an agent program use the endpoint, by files in a home of its own; the variables that it needs."""
    own = {"HOME": str(home)}
    match program:
        case "claude":
            own |= {"ANTHROPIC_BASE_URL": url, "ANTHROPIC_API_KEY": "any", "IS_SANDBOX": "1"}
            own |= {"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "CLAUDE_CODE_MAX_RETRIES": "1"}
        case "codex":
            (home / ".codex").mkdir(exist_ok=True)
            (home / ".codex/config.toml").write_text(
                'model = "one"\nmodel_provider = "loopback"\n[model_providers.loopback]\nname = "loopback"\n'
                f'base_url = "{url}/v1"\nwire_api = "responses"\n'
                "request_max_retries = 1\nstream_max_retries = 1\n"
            )
        case "gemini":
            (home / ".gemini").mkdir(exist_ok=True)
            settings = {"security": {"auth": {"selectedType": "gemini-api-key"}}}
            (home / ".gemini/settings.json").write_text(json.dumps(settings))
            own |= {"GOOGLE_GEMINI_BASE_URL": url, "GEMINI_API_KEY": "any"}
        case "opencode":
            provider = {
                "npm": "@ai-sdk/openai-compatible",
                "options": {"baseURL": f"{url}/v1", "apiKey": "any"},
                "models": {"one": {"name": "one"}},
            }
            config = {"autoupdate": False, "model": "loopback/one", "provider": {"loopback": provider}}
            own |= {"OPENCODE_CONFIG_CONTENT": json.dumps(config)}
    return own
