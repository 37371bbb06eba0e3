"""A program and all that it starts, as one thing to start, to stop, and to know to be gone (K15, X6, P2)."""

import asyncio
import contextlib
import json
import os
import signal
import socket
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import psutil

from officectl.executors import keeper, marks

GRACES = (2.0, 2.0)
"""Seconds after INT until TERM, and after TERM until KILL."""

ANSWER_WITHIN = 5.0
"""Seconds beyond the graces until a keeper that does not tell the program's end is taken for frozen."""

CLEARED_WITHIN = 10.0
"""Seconds after the program's end that the keeper has to kill what is left, and then we have to."""

REAPED_WITHIN = 2.0
"""Seconds that a keeper, awake again, has to reap what was killed and to end."""

GONE_WITHIN = 40.0
"""Seconds after the program's end within which its family must be gone."""

PAUSE = 0.02
"""Seconds between two rounds of killing."""

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
        self._graces = GRACES
        self._forced = 0
        try:
            # It knows the start time: a reused id is not killed.
            self._keeper: psutil.Process | None = psutil.Process(process.pid)
        except psutil.NoSuchProcess:
            self._keeper = None

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
        self._graces = graces
        self._say(
            command=list(command),
            folder=str(folder),
            environment={**environment, **self._mark.environment},
            graces=graces,
        )
        answer = await self._hear()
        if "started" not in answer:
            raise CannotStart(answer.get("refused", "its keeper was killed before"))

    def stop(self) -> None:
        """Ask the program to end by INT, TERM, KILL; `wait` tells when it has."""
        self._say(stop=True)

    async def wait(self) -> int:
        """The program's exit code, negative for a signal; as if by KILL when its keeper was killed."""
        answer = await self._hear()
        self._ended = True
        return int(answer.get("exit", -signal.SIGKILL))

    @property
    def patience(self) -> float:
        """Seconds after `stop` within which `wait` tells the end, unless the keeper is frozen."""
        return sum(self._graces) + ANSWER_WITHIN

    async def force(self) -> None:
        """Kill the program and all it started, and the keeper, which does not answer; StillThere.

        Any program of this account can stop its keeper, by a signal that nobody can catch.
        """
        self._forced += await asyncio.to_thread(self._kill_all)

    async def gone(self) -> int:
        """Wait until nothing of the family is left; how many had to be killed after the program's end.

        After `wait`, or instead of it: what still runs is then killed at once. StillThere.
        """
        try:
            async with asyncio.timeout(GONE_WITHIN):
                if not self._ended:
                    self._orders.write_eof()
                killed = await self._cleared()
                # Not Process.wait(): that waits for the pipes too, which a stranger may hold.
                while self._process.returncode is None:  # noqa: ASYNC110
                    await asyncio.sleep(0.005)
                found = await asyncio.to_thread(marks.sweep, {self._mark.launched})
                return killed + self._forced + found.total()
        except TimeoutError as error:
            raise StillThere(str(error) or f"The keeper {self.pid} cannot kill what is left.") from error
        finally:
            self._orders.close()

    async def _cleared(self) -> int:
        """How many the keeper killed, once it has ended; it is made to when it does not."""
        killed = 0
        try:
            async with asyncio.timeout(CLEARED_WITHIN):
                while answer := await self._hear():
                    killed += answer.get("killed", 0)
        except TimeoutError:
            await self.force()
        return killed

    def _kill_all(self) -> int:
        """Kill the keeper last: while it lives, stopped or not, every orphan becomes its child."""
        if self._keeper is None:
            return 0
        killed: set[psutil.Process] = set()
        deadline = time.monotonic() + CLEARED_WITHIN
        with contextlib.suppress(psutil.NoSuchProcess):
            while found := _living(self._keeper.children(recursive=True)):
                if time.monotonic() > deadline:
                    raise StillThere(f"{len(found)} processes of the keeper {self.pid} cannot be killed.")
                for process in found:
                    with contextlib.suppress(psutil.NoSuchProcess, psutil.AccessDenied):
                        process.kill()
                        killed.add(process)
                time.sleep(PAUSE)
            # All is dead; awake, it reaps them and ends by itself. Not by psutil's wait: the loop reaps it.
            self._keeper.resume()
            deadline = time.monotonic() + REAPED_WITHIN
            while _living([self._keeper]) and time.monotonic() < deadline:
                time.sleep(PAUSE)
            self._keeper.kill()
        return len(killed)

    def _say(self, **order: Any) -> None:
        """Without a wait: a frozen keeper takes nothing, and what a dead one does is told by `_hear`."""
        self._orders.write(json.dumps(order).encode() + b"\n")

    async def _hear(self) -> dict[str, Any]:
        """The keeper's next answer; empty when there is none to come."""
        try:
            line = await self._answers.readline()
        except ConnectionError:
            line = b""
        answer: dict[str, Any] = json.loads(line) if line.endswith(b"\n") else {}
        return answer


def _living(processes: Iterable[psutil.Process]) -> list[psutil.Process]:
    """Those that are not dead and unreaped."""
    living = []
    for process in processes:
        with contextlib.suppress(psutil.NoSuchProcess):
            if process.status() != psutil.STATUS_ZOMBIE:
                living.append(process)
    return living
