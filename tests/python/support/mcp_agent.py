"""An agent program that reaches the office by `officectl agent mcp`, with the protocol's own client."""

import asyncio
import json
import os
import sys
from typing import Any

from mcp import Client, StdioServerParameters
from mcp.types import TextContent

SERVER = StdioServerParameters(
    command=sys.executable, args=["-m", "officectl", "agent", "mcp"], env=dict(os.environ)
)


async def main() -> None:
    async with Client(SERVER) as client:

        async def call(tool: str, **arguments: Any) -> str:
            answer = await client.call_tool(tool, arguments)
            (content,) = answer.content
            assert isinstance(content, TextContent)
            return ("FAILED " if answer.is_error else "") + content.text

        tools = (await client.list_tools()).tools
        told = {
            "tools": {tool.name: tool.input_schema.get("required", []) for tool in tools},
            "task": await call("task"),
            "comment": await call("comment", body='--task and "quotes" and\nlines'),
            "made": await call("create_task", title="A part", assignee="writer", description="-x"),
            "asked": json.loads(await call("permission", tool_name="Bash", input={"command": "make it"})),
            "refused": await call("move", state="nowhere"),
            "missing": await call("comment"),
            "unknown": await call("comment", body="x", zzz=1),
            "nothing": await call("drop_table"),
            "done": await call("complete", summary="All of it."),
        }
    print(json.dumps(told))


asyncio.run(main())
