"""A small agent that speaks the Agent Client Protocol by its SDK, in ways that differ: MANNER [FOLDER].

echo: says what it was told. permission: asks before it does something, and says what it was answered.
slow: works until it is cancelled. stubborn: works whatever it is asked. dies: exits in the middle.
limit: says that a rate limit was hit. fault: fails twice as a provider that is overloaded, then answers.
garbage: prints what is no protocol. obeys: runs the command of officectl's that it was told.
Sessions that it has begun are files of FOLDER, and so can be loaded.
"""

import asyncio
import os
import signal
import sys
import uuid
from pathlib import Path
from typing import Any, cast

from acp import (
    Agent,
    Client,
    InitializeResponse,
    LoadSessionResponse,
    NewSessionResponse,
    PromptResponse,
    RequestError,
    run_agent,
    start_tool_call,
    update_agent_message_text,
    update_agent_thought_text,
    update_tool_call,
)
from acp.schema import AgentCapabilities, PermissionOption, ToolCallUpdate, Usage

OPTIONS = [
    PermissionOption(option_id="yes", name="Do it", kind="allow_once"),
    PermissionOption(option_id="no, never", name="Leave it", kind="reject_once"),
]


class Mannered:
    """One of the manners."""

    def __init__(self, manner: str, folder: Path | None) -> None:
        self._manner = manner
        self._folder = folder
        self._client: Client
        self._cancelled = asyncio.Event()
        self._prompts = 0

    def on_connect(self, conn: Client) -> None:
        self._client = conn

    async def initialize(self, protocol_version: int, **_: Any) -> InitializeResponse:
        can = AgentCapabilities(load_session=self._folder is not None)
        return InitializeResponse(protocol_version=protocol_version, agent_capabilities=can)

    async def new_session(self, cwd: str, mcp_servers: Any = None, **_: Any) -> NewSessionResponse:
        session = uuid.uuid4().hex
        if self._folder:
            (self._folder / session).touch()
        print(f"began in {cwd} beside {[server.name for server in mcp_servers]}", file=sys.stderr, flush=True)
        return NewSessionResponse(session_id=session)

    async def load_session(self, session_id: str, **_: Any) -> LoadSessionResponse:
        if not self._folder or not (self._folder / session_id).exists():
            raise RequestError(-32002, "Resource not found", {"session": session_id})
        await self._client.session_update(session_id, update_agent_message_text("What was said before."))
        return LoadSessionResponse()

    async def cancel(self, **_: Any) -> None:
        self._cancelled.set()

    async def prompt(self, session_id: str, prompt: Any, **_: Any) -> PromptResponse:
        self._prompts += 1

        async def say(text: str) -> None:
            await self._client.session_update(session_id, update_agent_message_text(text))

        match self._manner:
            case "echo":
                await self._client.session_update(session_id, update_agent_thought_text("Hm."))
                call = start_tool_call("c1", "ls", kind="execute", raw_input={"command": "ls"})
                await self._client.session_update(session_id, call)
                done = update_tool_call("c1", status="completed", raw_output="made.txt")
                await self._client.session_update(session_id, done)
                await say("You said: ")
                await say(prompt[0].text)
                used = Usage(total_tokens=12, input_tokens=10, output_tokens=2, cached_read_tokens=4)
                return PromptResponse(stop_reason="end_turn", usage=used)
            case "permission":
                wanted = ToolCallUpdate(
                    tool_call_id="c1", title="rm -r build", kind="execute", raw_input={"n": 1}
                )
                answer = await self._client.request_permission(session_id, wanted, OPTIONS)
                await say(f"It was {getattr(answer.outcome, 'option_id', answer.outcome.outcome)}.")
                if answer.outcome.outcome == "cancelled":
                    return PromptResponse(stop_reason="cancelled")
            case "slow":
                await say("I begin.")
                await self._cancelled.wait()
                await say("I was asked to end.")
                return PromptResponse(stop_reason="cancelled")
            case "stubborn":
                signal.signal(signal.SIGINT, signal.SIG_IGN)
                await say("I never end.")
                await asyncio.Event().wait()
            case "dies":
                await say("I am not well.")
                os.write(2, b"out of memory\n")
                os._exit(3)
            case "limit":
                raise RequestError(
                    -32603, "429 Too Many Requests: rate limit reached, try again in 20 minutes"
                )
            case "fault":
                if self._prompts <= 2:
                    raise RequestError(-32603, "Internal error", {"details": "529 overloaded"})
                await say(f"The time I was told: {prompt[0].text}")
            case "obeys":
                commands = [line for line in prompt[0].text.splitlines() if " -m officectl agent " in line]
                for command in commands:
                    running = await asyncio.create_subprocess_shell(command)
                    await say(f"It ended with {await running.wait()}.")
            case "garbage":
                print("this is no protocol\n{", flush=True)
                await say("All the same.")
            case manner:
                raise RequestError(-32603, f"no manner {manner}")
        return PromptResponse(stop_reason="end_turn")


if __name__ == "__main__":
    agent = Mannered(sys.argv[1], Path(sys.argv[2]) if sys.argv[2:] else None)
    asyncio.run(run_agent(cast("Agent", agent)))
