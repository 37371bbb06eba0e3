"""What is known of an engine: how it is called, what it needs, how its events are read."""

import importlib.util
import json
import re
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from officectl.executors.base import Json

Step = tuple[str, str]

AGENTS_SIDE = (sys.executable, "-m", "officectl", "agent", "mcp")
"""The agent's side as a server of the Model Context Protocol (X2); it needs the SDK."""

OFFICE_ENVIRONMENT = (
    "OFFICE_AGENT",
    "OFFICE_ATTEMPT_ID",
    "OFFICE_RUN",
    "OFFICE_RUN_ID",
    "OFFICE_SOCKET",
    "OFFICE_TASK",
    "OFFICE_TOKEN",
    "OFFICE_WORKSPACE",
)
"""What that server needs to know."""

HAS_MCP = importlib.util.find_spec("mcp") is not None

NETWORK = ("HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS", "XDG_CONFIG_HOME")
"""What every engine may need of the worker's environment."""


LIMIT = re.compile(r"\b429\b|rate.?limit|usage limit|too many requests|quota|credit|billing", re.IGNORECASE)
"""What the office is to hear of, rather than that it is tried again at once."""

ENOUGH = 3
"""Refusals for too many requests after which an engine's own retries, made without end, are cut short."""


@dataclass(frozen=True)
class Usage:
    """Tokens and cost, as the engine reports them; None is unknown, which 0 is not (E2)."""

    tokens_in: int | None = None
    tokens_cached_read: int | None = None
    tokens_cached_write: int | None = None
    tokens_out: int | None = None
    cost_cents: float | None = None

    def __add__(self, other: "Usage") -> "Usage":
        """Of both; what only one knows is that one's."""
        both = Usage()
        for name in (field.name for field in fields(self)):
            known = [value for value in (getattr(self, name), getattr(other, name)) if value is not None]
            object.__setattr__(both, name, sum(known) if known else None)
        return both

    @property
    def told(self) -> dict[str, Any]:
        """What is known."""
        known = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: value for name, value in known.items() if value is not None}


class Reader(ABC):
    """Reads one program's events, in order."""

    def __init__(self, resumes: bool) -> None:
        self.resumes = resumes
        """It goes on in an engine session of before."""
        self.session: str | None = None
        self.model: str | None = None
        self.usage = Usage()
        self.said = ""
        """The last message, which holds the result."""
        self.finished = False
        """The result event came."""
        self.failure: str | None = None
        """What it says went wrong."""

    @abstractmethod
    def read(self, event: Json) -> list[Step] | None:
        """The steps that an event tells; None when it is of no kind that is known."""

    def complaint(self, line: str) -> str | None:  # noqa: ARG002 - some engines know none
        """Why it goes on in vain, when a line on stderr says so."""
        return None


@dataclass(frozen=True)
class Engine:
    """One preset. `arguments` and `settings` are given the executor, and the engine session to go on in."""

    name: str
    program: str
    arguments: Callable[[Json, str | None], Sequence[str]]
    reader: Callable[[bool], Reader]
    lost: re.Pattern[str]
    """What it says when the session to go on in is not there."""
    passed: tuple[str, ...]
    """Variables of the worker's that it may need."""
    resume: Callable[[str], str]
    """The command by which a person goes on in a session."""
    files: Callable[[Mapping[str, str], str], Iterable[Path]] | None = None
    """Where a session is kept, by the program's variables and the session's id; None: it is not known."""
    login: Sequence[str] | None = None
    """Arguments that tell by their exit code whether it is logged in."""
    own_providers: bool = False
    """With a provider of its own configuration it need not be."""
    settings: Callable[[Json], Mapping[str, str]] = lambda _: {}
    """Variables of its own."""

    def command(self, executor: Json, session: str | None) -> list[str]:
        """The whole command."""
        return [*executor.get("command", (self.program,)), *self.arguments(executor, session)]


def home(environment: Mapping[str, str], variable: str, usual: str) -> Path:
    """The folder that a variable of the program's names, else the usual one below its home."""
    return Path(environment.get(variable) or Path(environment.get("HOME") or Path.home()) / usual)


def as_text(value: Any) -> str:
    """A step's content of what an event holds."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def tool_call(name: Any, arguments: Any, call: Any = None) -> Step:
    """A tool is called."""
    told = {"tool": name, "input": arguments} | ({"id": call} if call else {})
    return "tool_call", as_text(told)


def tool_result(output: Any, call: Any = None, *, failed: bool = False) -> Step:
    """A tool has answered."""
    told = {"output": output} | ({"id": call} if call else {}) | ({"failed": True} if failed else {})
    return "tool_result", as_text(told)


def number(value: Any) -> int | None:
    """A count of tokens, if it is one."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def part(value: Any, *names: str) -> Any:
    """What lies at these names inside of objects; None when there is none."""
    for name in names:
        value = value.get(name) if isinstance(value, Mapping) else None
    return value


def parts(value: Any) -> list[Json]:
    """The objects of a list."""
    return [item for item in value if isinstance(item, Mapping)] if isinstance(value, list) else []
