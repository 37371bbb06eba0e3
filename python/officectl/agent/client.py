"""Calls from inside a run, over the Unix socket of the worker that launched it.

The protocol is in `officectl.agent.calls`. The token is good for this attempt alone and dies with it; a
database connection is never in sight.
"""

import json
import os
import socket
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from officectl.errors import Forbidden, OfficeError, Refused, Unreachable, UsageProblem

TIMEOUT_SECONDS = 30


@dataclass(frozen=True)
class Inside:
    """Where this program runs: the run that it was launched for, and the way back to the office."""

    socket: str
    token: str
    agent: str
    run: str
    task: str | None
    workspace: str
    attempt: str | None = None

    @classmethod
    def here(cls, environment: Mapping[str, str] | None = None) -> "Inside":
        """From the environment that the worker gave; UsageProblem outside a run."""
        known = os.environ if environment is None else environment
        try:
            return cls(
                socket=known["OFFICE_SOCKET"],
                token=known["OFFICE_TOKEN"],
                agent=known["OFFICE_AGENT"],
                run=known["OFFICE_RUN"],
                task=known.get("OFFICE_TASK") or None,
                workspace=known["OFFICE_WORKSPACE"],
                attempt=known.get("OFFICE_ATTEMPT_ID"),
            )
        except KeyError as missing:
            raise UsageProblem(
                f"This works only inside a run, and {missing.args[0]} is not set.",
                hint="A worker (officectl up, officectl serve) sets it for the programs that it launches.",
            ) from None

    def own_task(self, ref: str | None = None) -> str:
        """The task that is meant: the one named, else the run's own; UsageProblem when it has none."""
        if ref or self.task:
            return ref or self.task or ""
        raise UsageProblem(f"Run {self.run} has no task.", hint="Name one, such as t1.")

    def call(self, name: str, /, **arguments: Any) -> list[dict[str, Any]]:
        """The rows of `office.<name>(…)`, called as this attempt's agent; a refusal is an OfficeError."""
        request = {"token": self.token, "call": name, "arguments": arguments}
        answer = json.loads(self._exchange(json.dumps(request).encode() + b"\n"))
        if "error" in answer:
            raise _refusal(answer["error"])
        rows: list[dict[str, Any]] = answer["ok"]
        return rows

    def _exchange(self, request: bytes) -> bytes:
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
                connection.settimeout(TIMEOUT_SECONDS)
                connection.connect(self.socket)
                connection.sendall(request)
                with connection.makefile("rb") as answers:
                    answer = answers.readline()
        except OSError as error:
            raise Unreachable(
                f"The worker does not answer on {self.socket}: {error.strerror or error}.",
                hint="It may have stopped; this run is then settled without this program.",
            ) from error
        if not answer.endswith(b"\n"):
            raise Unreachable(
                "The worker hung up without an answer.",
                hint="What was asked may have been done; read the task before asking again.",
            )
        return answer


def _refusal(error: Mapping[str, Any]) -> OfficeError:
    status = error.get("status") or 409
    if status in (401, 403):
        return Forbidden(error["message"], error.get("hint"), code=error.get("code"))
    return Refused(error["message"], error.get("hint"), code=error.get("code"), status=status)
