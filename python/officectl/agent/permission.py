"""What an agent program may do only when it is allowed to: a decision, which is waited for (D8, X1, X2)."""

import asyncio
from typing import Any

from officectl.agent.client import Inside

ASK_SECONDS = 1.0
"""Between two looks for the answer."""

LONGEST_TITLE = 1_000


async def ask_permission(
    inside: Inside, tool: str, title: str, given: Any, choices: list[dict[str, str]] | None = None
) -> dict[str, Any]:
    """The decision, once there is one; without choices those of the office. A refusal is an OfficeError."""
    title = title[:LONGEST_TITLE]
    operation = {"tool": tool, "title": title, "input": given, "covers": title}
    more = {"choices": choices} if choices else {}
    while True:
        # Asking again tells what was decided (D9).
        (asked,) = await asyncio.to_thread(
            inside.call,
            "ask",
            prompt=f"{inside.agent} asks to use {title}",
            kind="permission",
            operation=operation,
            **more,
        )
        if not asked["open"]:
            return asked
        await asyncio.sleep(ASK_SECONDS)
