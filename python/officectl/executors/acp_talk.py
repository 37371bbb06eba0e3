"""The talk of an Agent Client Protocol session: its updates become steps, its permissions decisions."""

import asyncio
import contextlib
import json
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from acp import PROTOCOL_VERSION, Client, RequestError, RequestPermissionResponse, text_block
from acp.client.connection import ClientSideConnection
from acp.schema import (
    AllowedOutcome,
    ClientCapabilities,
    DeniedOutcome,
    EnvVariable,
    Implementation,
    McpServerStdio,
    PermissionOption,
    PromptResponse,
    ToolCallUpdate,
)

from officectl import __version__
from officectl.agent.client import Inside
from officectl.agent.permission import ask_permission
from officectl.errors import OfficeError
from officectl.executors.base import End, Launch, Sink
from officectl.executors.engine import EXIT_SECONDS, GO_ON, LOGGED_OUT, passes, result_of
from officectl.executors.engines.base import Usage, as_text, part, parts, tool_call, tool_result
from officectl.executors.lines import json_object
from officectl.executors.program import Kept, Talk

CANCEL_SECONDS = 5.0
"""How long an agent has to end its turn once it was asked to, before it is stopped."""

AGENTS_SIDE = "office"
"""The name of the MCP server that an agent is given."""

HARMLESS = ("read", "search", "think", "edit")
"""Kinds of tools that "permissions": "edit" allows without a question."""

SCOPES = {"allow_once": "once", "allow_always": "always"}
CHOICE_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,62}")

NO_SUCCESS = {
    "max_tokens": "it used up its tokens",
    "max_turn_requests": "it used up its turns",
    "refusal": "it refused",
    "cancelled": "its turn was cancelled",
}
"""Reasons to stop."""

CHUNKS = {"agent_message_chunk": "message", "agent_thought_chunk": "reasoning"}
"""What comes in pieces."""


class AcpTalk(Talk):
    """One session and one prompt; it is the transport of its connection, and the client at its end."""

    def __init__(self, launch: Launch, sink: Sink, kept: Kept, pauses: Sequence[float]) -> None:
        super().__init__(sink, kept)
        self._launch = launch
        self._sink = sink
        self._pauses = pauses
        self._inbox: asyncio.Queue[dict[str, Any] | None] = asyncio.Queue()
        self._stdin: asyncio.StreamWriter | None = None
        self._connection: ClientSideConnection | None = None
        self._conversation: asyncio.Task[None] | None = None
        self._session: str | None = None
        self._asking: set[asyncio.Task[str | None]] = set()
        self._speaks = ""
        """What it is in the middle of: the kind of step that its next piece goes on with."""
        self._pieces: list[str] = []
        self._said = ""
        self._calls: dict[str, bool] = {}
        """Tools that were called; true once they have answered."""
        self._error: str | None = None
        self._done = False

    # The transport

    async def send(self, message: dict[str, Any]) -> None:
        """To the agent."""
        assert self._stdin
        self._stdin.write(json.dumps(message).encode() + b"\n")
        await self._stdin.drain()

    async def receive(self) -> dict[str, Any] | None:
        """From the agent; None when no more comes."""
        return await self._inbox.get()

    async def close(self) -> None:
        """Nothing more is sent: the agent may end."""
        if self._stdin:
            self._stdin.close()

    # The talk

    def printed(self, line: str) -> None:
        message = json_object(line)
        if message is None or "jsonrpc" not in message:
            self.kept.add("output", line)
        else:
            self._inbox.put_nowait(message)

    def hung_up(self) -> None:
        self._inbox.put_nowait(None)

    async def speak(self, stdin: asyncio.StreamWriter, prompt: bytes) -> None:
        self._stdin = stdin
        self._conversation = asyncio.create_task(self._converse(prompt.decode()))
        try:
            await self._conversation
        finally:
            self._conversation.cancel()

    async def part(self) -> None:
        if self._connection and self._session and self._conversation and not self._conversation.done():
            for task in self._asking:
                task.cancel()
            with contextlib.suppress(OSError, RequestError):
                await self._connection.cancel(session_id=self._session)
            await asyncio.wait((self._conversation,), timeout=CANCEL_SECONDS)

    def end(self, exit_code: int) -> End:
        if self._done:
            return End(result=result_of(self._said), exit_code=exit_code if exit_code >= 0 else None)
        end = self.failure(exit_code, self._error)
        mend = end.error is not None and LOGGED_OUT.search(end.error)
        return End(error=end.error, cause="configuration" if mend else "failure", exit_code=end.exit_code)

    # The session

    async def _converse(self, prompt: str) -> None:
        connection = self._connection = ClientSideConnection(cast("Client", self), self)
        try:
            answer = await self._turn(connection, prompt)
            self._flush()
            self._count(answer)
            if answer.stop_reason in NO_SUCCESS:
                self._error = f"{NO_SUCCESS[answer.stop_reason]} ({answer.stop_reason})"
            else:
                self._done = True
        except RequestError as refusal:
            self._error = _words(refusal)
        except ConnectionError:
            # It is gone: how it ended, and what it said last, tells more.
            self._error = None
        except ValueError as fault:
            self._error = f"it does not keep to the protocol: {fault}"
        finally:
            self._flush()
            self.ends_by = self.clock.seconds + EXIT_SECONDS
            self.news.set()
            await connection.close()

    async def _turn(self, connection: ClientSideConnection, prompt: str) -> PromptResponse:
        begun = await connection.initialize(
            protocol_version=PROTOCOL_VERSION,
            client_capabilities=ClientCapabilities(),
            client_info=Implementation(name="officectl", version=__version__),
        )
        can_load = bool(begun.agent_capabilities and begun.agent_capabilities.load_session)
        session = self._session = await self._begin(connection, can_load)
        if self._launch.engine_session not in (None, session):
            prompt = await self._sink.fresh_prompt()
        self._sink.in_session(session)
        pauses = iter(self._pauses)
        while True:
            try:
                return await connection.prompt(session_id=session, prompt=[text_block(prompt)])
            except RequestError as refusal:
                pause = next(pauses, None)
                if pause is None or not passes(_words(refusal)):
                    raise
                self._flush()
                fault = f"after a fault that may pass: {_words(refusal)}"
                self._sink.step("note", f"It is resumed in its engine session {session}, {fault}")
                await asyncio.sleep(pause)
                prompt = GO_ON

    async def _begin(self, connection: ClientSideConnection, can_load: bool) -> str:
        """A session: the one of before, where it can be loaded, else a fresh one."""
        folder = str(self._launch.folder or Path.home())
        servers = [self._agents_side()]
        if before := self._launch.engine_session:
            lost = "this agent loads none"
            if can_load:
                try:
                    await connection.load_session(cwd=folder, session_id=before, mcp_servers=[*servers])
                    return before
                except RequestError as refusal:
                    lost = _words(refusal)
            note = f"The engine session {before} is lost: a fresh one takes its place ({lost})."
            self._sink.step("note", note)
        return (await connection.new_session(cwd=folder, mcp_servers=[*servers])).session_id

    def _agents_side(self) -> McpServerStdio:
        known = {**self._launch.environment, **self._launch.mark.environment}
        return McpServerStdio(
            name=AGENTS_SIDE,
            command=sys.executable,
            args=["-m", "officectl", "agent", "mcp"],
            env=[EnvVariable(name=name, value=known[name]) for name in known if name.startswith("OFFICE_")],
        )

    def _count(self, answer: PromptResponse) -> None:
        if used := answer.usage:
            usage = Usage(
                used.input_tokens, used.cached_read_tokens, used.cached_write_tokens, used.output_tokens
            )
            used_up = {"model": None} | usage.told
            self._sink.step("usage", json.dumps(used_up))
            self._sink.spent(used_up)

    # The client: what the agent reports and asks

    async def session_update(self, session_id: str, update: Any, **_: Any) -> None:
        """One update of the session; what a loaded session tells once more is left out."""
        if session_id != self._session:
            return
        told: Mapping[str, Any] = update.model_dump(mode="json", by_alias=True, exclude_none=True)
        kind = str(told.get("sessionUpdate"))
        if step := CHUNKS.get(kind):
            if self._speaks != step:
                self._flush()
            self._speaks = step
            self._pieces.append(as_text(part(told, "content", "text") or ""))
            return
        self._flush()
        match kind:
            case "tool_call" | "tool_call_update":
                self._tool(told)
            case "plan":
                self.kept.add("note", as_text({"plan": told.get("entries")}))

    def _tool(self, told: Mapping[str, Any]) -> None:
        call = str(told.get("toolCallId"))
        if call not in self._calls:
            self._calls[call] = False
            self.kept.add(*tool_call(told.get("title") or told.get("kind"), told.get("rawInput"), call))
        if told.get("status") in ("completed", "failed") and not self._calls[call]:
            self._calls[call] = True
            texts = [as_text(part(item, "content", "text") or item) for item in parts(told.get("content"))]
            output = told.get("rawOutput") if "rawOutput" in told else "\n".join(texts)
            self.kept.add(*tool_result(output, call, failed=told["status"] == "failed"))

    def _flush(self) -> None:
        """What came in pieces is whole."""
        if self._pieces:
            whole = "".join(self._pieces)
            self._pieces.clear()
            if self._speaks == "message":
                self._said = whole
            self.kept.add(self._speaks, whole)

    async def request_permission(
        self, tool_call: ToolCallUpdate, options: list[PermissionOption], **_: Any
    ) -> RequestPermissionResponse:
        """What the agent may do only when it is allowed to: a decision, unless the executor has decided."""
        asking = asyncio.create_task(self._permission(tool_call, options))
        self._asking.add(asking)
        try:
            # Not the task itself: a cancelled one must be answered all the same.
            await asyncio.wait((asking,))
        finally:
            asking.cancel()
            self._asking.discard(asking)
        chosen = None if asking.cancelled() else asking.result()
        if chosen is None:
            return RequestPermissionResponse(outcome=DeniedOutcome(outcome="cancelled"))
        return RequestPermissionResponse(outcome=AllowedOutcome(outcome="selected", option_id=chosen))

    async def _permission(self, call: ToolCallUpdate, options: list[PermissionOption]) -> str | None:
        allowed = self._launch.executor.get("permissions", "edit")
        if allowed == "all" or (allowed == "edit" and call.kind in HARMLESS):
            once = [option.option_id for option in options if option.kind in SCOPES]
            return once[0] if once else None
        names = {
            option.option_id if CHOICE_ID.fullmatch(option.option_id) else f"option-{number}": option
            for number, option in enumerate(options, start=1)
        }
        choices = [
            {"id": name, "text": option.name[:500] or name}
            | ({"scope": SCOPES[option.kind]} if option.kind in SCOPES else {})
            for name, option in names.items()
        ]
        title = call.title or call.kind or "a tool"
        inside = Inside.here(self._launch.environment)
        try:
            asked = await ask_permission(inside, call.kind or "other", title, call.raw_input, choices)
        except OfficeError as refusal:
            self.kept.add("note", f"It was not allowed to use {title}: {refusal.message}")
            return None
        option = names.get(asked["choice"])
        return option.option_id if option else None


def _words(refusal: RequestError) -> str:
    """What an agent's error says."""
    data = refusal.data
    return f"{refusal}: {as_text(data)}" if data else str(refusal)
