"""`officectl agent mcp`: the agent's side as a server of the Model Context Protocol, on stdio (X2).

Its tools are the commands of `officectl agent …`, each with its arguments, and `permission`, the prompt tool
that Claude Code calls before it uses a tool that it may not use unasked. Each call runs its command, which
speaks with the worker by the token of this attempt.
"""

import asyncio
import io
import json
import sys
from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from typing import Any, TextIO

import click
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.types import (
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
    Tool,
)

from officectl import __version__
from officectl.agent.client import Inside
from officectl.agent.permission import ask_permission
from officectl.errors import OfficeError

PERMISSION = Tool(
    name="permission",
    description="Asks a person whether a tool may be used; for agent programs, not for models.",
    input_schema={
        "type": "object",
        "properties": {
            "tool_name": {"type": "string"},
            "input": {"type": "object"},
            "tool_use_id": {"type": "string"},
        },
        "required": ["tool_name", "input"],
    },
)

ALLOWING = ("once", "session", "always")
"""Choices of a permission request that allow it."""

TELLING = ("command", "file_path", "path", "url", "pattern", "query")
"""Arguments by which people know what a tool is about to do."""


async def serve(commands: Sequence[click.Command]) -> None:
    """Serve these commands as tools until stdin ends."""
    known = {_name(command): command for command in commands}

    async def list_tools(_context: Any, _params: PaginatedRequestParams | None) -> ListToolsResult:
        return ListToolsResult(tools=[*map(_tool, known.values()), PERMISSION])

    async def call_tool(_context: Any, params: CallToolRequestParams) -> CallToolResult:
        arguments = params.arguments or {}
        if params.name == PERMISSION.name:
            return await _permission(arguments)
        if params.name not in known:
            return _said(f"There is no tool {params.name}.", failed=True)
        command = known[params.name]
        try:
            words = _words(command, arguments)
        except click.UsageError as problem:
            return _said(problem.format_message(), failed=True)
        return await asyncio.to_thread(_run, command, words)

    server = Server("office", version=__version__, on_list_tools=list_tools, on_call_tool=call_tool)
    async with stdio_server() as (reading, writing):
        sys.stdout = _PrintedByThread()
        await server.run(reading, writing, server.create_initialization_options())


def _name(command: click.Command) -> str:
    return (command.name or "").replace("-", "_")


def _tool(command: click.Command) -> Tool:
    """A command as a tool, by what it says of itself."""
    properties = dict[str, Any]()
    for parameter in command.params:
        kind: dict[str, Any] = {"type": "string"}
        if isinstance(parameter.type, click.Choice):
            kind["enum"] = [*parameter.type.choices]
        if isinstance(parameter, click.Option):
            if parameter.is_flag:
                kind = {"type": "boolean"}
            kind["description"] = parameter.help or ""
        if parameter.multiple if isinstance(parameter, click.Option) else parameter.nargs != 1:
            kind = {"type": "array", "items": {"type": "string"}, "description": kind.get("description", "")}
        properties[parameter.name or ""] = kind
    about = (command.help or "").removeprefix("Inside a run: ")
    return Tool(
        name=_name(command),
        description=about[:1].upper() + about[1:],
        input_schema={
            "type": "object",
            "properties": properties,
            "required": [parameter.name for parameter in command.params if parameter.required],
        },
    )


def _words(command: click.Command, arguments: Mapping[str, Any]) -> list[str]:
    """Arguments as the words of a command line; UsageError."""
    if unknown := arguments.keys() - {parameter.name for parameter in command.params}:
        raise click.UsageError(f"{_name(command)} has no argument {sorted(unknown)[0]}.")
    options, places = list[str](), list[str]()
    for parameter in command.params:
        value = arguments.get(parameter.name or "")
        values = [_text(part) for part in value] if isinstance(value, list) else [_text(value)]
        if value is None:
            if parameter.required:
                raise click.UsageError(f"{_name(command)} needs the argument {parameter.name}.")
        elif not isinstance(parameter, click.Option):
            places += values
        elif parameter.is_flag:
            options += [parameter.opts[-1]] if value is True else []
        else:
            options += [f"{max(parameter.opts, key=len)}={text}" for text in values]
    return [*options, "--", *places]


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _run(command: click.Command, words: list[str]) -> CallToolResult:
    """In a thread of its own; what it prints is its answer."""
    said = io.StringIO()
    _printed.set(said)
    try:
        command.main(words, prog_name=_name(command), standalone_mode=False)
    except click.ClickException as problem:
        return _said(problem.format_message(), failed=True)
    except OfficeError as refusal:
        return _said("\n".join(filter(None, (refusal.message, refusal.hint))), failed=True)
    return _said(said.getvalue().strip())


class _PrintedByThread(io.TextIOBase):
    """Takes the place of stdout: what a command prints goes to where the call that runs it has said."""

    def write(self, text: str) -> int:
        return _printed.get().write(text)


_printed: ContextVar[TextIO] = ContextVar("_printed", default=sys.stderr)


async def _permission(arguments: Mapping[str, Any]) -> CallToolResult:
    tool, given = str(arguments.get("tool_name")), arguments.get("input") or {}
    about = next((_text(given[name]) for name in TELLING if name in given), "")
    try:
        asked = await ask_permission(Inside.here(), tool, f"{tool}({about})" if about else tool, given)
    except OfficeError as refusal:
        return _said(json.dumps({"behavior": "deny", "message": refusal.message}))
    if asked["choice"] in ALLOWING:
        return _said(json.dumps({"behavior": "allow", "updatedInput": given}))
    why = asked["note"] or asked["reason"] or "A person said no."
    return _said(json.dumps({"behavior": "deny", "message": why}))


def _said(text: str, *, failed: bool = False) -> CallToolResult:
    return CallToolResult(content=[TextContent(type="text", text=text)], is_error=failed)
