"""A program and all that it starts, as one thing to start, to stop, and to know to be gone (K15, X6, P2)."""

import asyncio
import json
import os
import signal
import socket
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from officectl.executors import keeper, marks

GRACES = (2.0, 2.0)
"""Seconds after INT until TERM, and after TERM until KILL."""

GONE_WITHIN = 30.0
"""Seconds after the program's end within which its family must be gone."""

KEEPER_NEEDS = ("PATH", "HOME", "LANG", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")
"""What the keeper's own interpreter may need; the program gets none of it."""


class CannotStart(Exception):
    """The program, its folder or its arguments are no good; one line that says which."""


class StillThere(Exception):
    """Something of the family could not be killed."""


class Family:
    """One program under its keeper: `prepare`, `start`, `wait`, and always `gone`; `stop` at any time."""

    def __init__(
        self,
        mark: marks.Mark,
        process: asyncio.subprocess.Process,
        answers: asyncio.StreamReader,
        orders: asyncio.StreamWriter,
    ) -> None:
        self._mark = mark
        self._process = process
        self._answers = answers
        self._orders = orders
        self._ended = False

    @classmethod
    async def prepare(cls, mark: marks.Mark) -> "Family":
        """A keeper that waits for `start`: its pid can be recorded before the program does anything."""
        ours, theirs = socket.socketpair()
        try:
            process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-I", "-S", keeper.__file__, str(theirs.fileno())),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                env={name: os.environ[name] for name in KEEPER_NEEDS if name in os.environ},
                pass_fds=(theirs.fileno(),),
                start_new_session=True,
            )
        except BaseException:
            ours.close()
            raise
        finally:
            theirs.close()
        answers, orders = await asyncio.open_connection(sock=ours)
        return cls(mark, process, answers, orders)

    @property
    def pid(self) -> int:
        """The keeper's process id; a TERM to it stops the whole family."""
        return self._process.pid

    @property
    def stdin(self) -> asyncio.StreamWriter:
        assert self._process.stdin
        return self._process.stdin

    @property
    def stdout(self) -> asyncio.StreamReader:
        assert self._process.stdout
        return self._process.stdout

    @property
    def stderr(self) -> asyncio.StreamReader:
        assert self._process.stderr
        return self._process.stderr

    async def start(
        self,
        command: Sequence[str],
        *,
        folder: Path,
        environment: Mapping[str, str],
        graces: tuple[float, float] = GRACES,
    ) -> None:
        """Run the program, with the mark added to its environment; CannotStart."""
        await self._say(
            command=list(command),
            folder=str(folder),
            environment={**environment, **self._mark.environment},
            graces=graces,
        )
        answer = await self._hear()
        if "started" not in answer:
            raise CannotStart(answer.get("refused", "its keeper was killed before"))

    async def stop(self) -> None:
        """Ask the program to end by INT, TERM, KILL; `wait` tells when it has."""
        await self._say(stop=True)

    async def wait(self) -> int:
        """The program's exit code, negative for a signal; as if by KILL when its keeper was killed."""
        answer = await self._hear()
        self._ended = True
        return int(answer.get("exit", -signal.SIGKILL))

    async def gone(self) -> int:
        """Wait until nothing of the family is left; how many had to be killed after the program's end.

        After `wait`, or instead of it: what still runs is then killed at once. StillThere.
        """
        try:
            async with asyncio.timeout(GONE_WITHIN):
                if not self._ended:
                    self._orders.write_eof()
                killed = 0
                while answer := await self._hear():
                    killed += answer.get("killed", 0)
                # Not Process.wait(): that waits for the pipes too, which a stranger may hold.
                while self._process.returncode is None:  # noqa: ASYNC110
                    await asyncio.sleep(0.005)
                found = await asyncio.to_thread(marks.sweep, {self._mark.attempt_id})
                return killed + found.total()
        except TimeoutError as error:
            raise StillThere(str(error) or f"The keeper {self.pid} cannot kill what is left.") from error
        finally:
            self._orders.close()

    async def _say(self, **order: Any) -> None:
        try:
            self._orders.write(json.dumps(order).encode() + b"\n")
            await self._orders.drain()
        except ConnectionError:
            # The keeper is dead, which the next answer tells.
            return

    async def _hear(self) -> dict[str, Any]:
        """The keeper's next answer; empty when there is none to come."""
        try:
            line = await self._answers.readline()
        except ConnectionError:
            line = b""
        answer: dict[str, Any] = json.loads(line) if line.endswith(b"\n") else {}
        return answer
