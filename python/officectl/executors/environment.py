"""What of the worker's environment a program gets to see (X1): what is named here, or by its executor."""

import os
import shutil
import sysconfig
from collections.abc import Iterable, Mapping

PASSED = ("HOME", "PATH", "USER", "LANG", "TMPDIR", "SSH_AUTH_SOCK")

NEVER = frozenset(
    {
        "OFFICE_DSN",
        "CLAUDECODE",
        "CLAUDE_CODE_ENTRYPOINT",
        "CLAUDE_CODE_SSE_PORT",
        "GEMINI_CLI",
        "OPENCODE",
        "CODEX_SANDBOX",
        "CODEX_SANDBOX_NETWORK_DISABLED",
    }
)
"""The way to the office's database; the signs by which an agent's CLI thinks that it runs inside another."""


def allowed(name: str) -> bool:
    """False for what no program may get, whoever asks: an agent has no way to the office's database."""
    return name not in NEVER and not name.startswith("PG")


def for_program(
    extra: Mapping[str, str], *, pass_on: Iterable[str] = (), outside: Mapping[str, str] | None = None
) -> dict[str, str]:
    """The environment of a program: the allowed part of `outside` (the worker's own), then `extra`."""
    known = os.environ if outside is None else outside
    wanted = {*PASSED, *pass_on}
    passed = {name: value for name, value in known.items() if name in wanted or name.startswith("LC_")}
    passed["PATH"] = _with_officectl(passed.get("PATH", os.defpath))
    return {name: value for name, value in {**passed, **extra}.items() if allowed(name)}


def _with_officectl(path: str) -> str:
    """So that an agent finds `officectl agent` also when the worker was started by its full name."""
    if shutil.which("officectl", path=path):
        return path
    return os.pathsep.join((path, sysconfig.get_path("scripts")))
