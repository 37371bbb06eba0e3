"""What of the worker's environment a program gets to see (X1): what is named here, or by its executor."""

import os
import re
import shutil
import sysconfig
from collections.abc import Iterable, Mapping

PASSED = ("HOME", "PATH", "USER", "LANG", "TMPDIR", "SSH_AUTH_SOCK")

NEVER = re.compile(
    r"OFFICE_\w*DSN\w*"
    r"|CLAUDECODE|CLAUDE_CODE_ENTRYPOINT|CLAUDE_CODE_SSE_PORT"
    r"|GEMINI_CLI|OPENCODE|CODEX_SANDBOX|CODEX_SANDBOX_NETWORK_DISABLED"
)
"""Ways to the office's database; the signs by which an agent's CLI thinks that it runs inside another."""

WORKERS_OWN = re.compile(r"(PG|OFFICE_)\w*")
"""The worker's way to the office and all that goes with it. An executor may name values of its own."""


def for_program(
    extra: Mapping[str, str], *, pass_on: Iterable[str] = (), outside: Mapping[str, str] | None = None
) -> dict[str, str]:
    """The environment of a program: the allowed part of `outside` (the worker's own), then `extra`."""
    known = os.environ if outside is None else outside
    wanted = {*PASSED, *(name for name in pass_on if not WORKERS_OWN.fullmatch(name))}
    passed = {name: value for name, value in known.items() if name in wanted}
    passed["PATH"] = _with_officectl(passed.get("PATH", os.defpath))
    return {name: value for name, value in {**passed, **extra}.items() if not NEVER.fullmatch(name)}


def _with_officectl(path: str) -> str:
    """So that an agent finds `officectl agent` also when the worker was started by its full name."""
    if shutil.which("officectl", path=path):
        return path
    return os.pathsep.join((path, sysconfig.get_path("scripts")))
