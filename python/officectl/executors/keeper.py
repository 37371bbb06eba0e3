"""The keeper: the small process between the worker and one program, so that nothing of it survives (K15).

`family.py` starts one for every attempt, so it uses the standard library only. It talks JSON lines over the
socket whose number is its only argument:

    → {"command": […], "folder": "/abs", "environment": {…}, "graces": [2.0, 2.0]}
    ← {"started": 4711}  or  {"refused": "No such file or directory: 'frob'"}
    → {"stop": true}     INT, after the first grace TERM, after the second KILL; a SIGTERM to the keeper too
    ← {"exit": 0}        the program's exit code, negative for a signal
    ← {"killed": 0}      how many processes it left and had to be killed; the keeper ends after this

On Linux the keeper is the subreaper of all that the program starts: whatever is orphaned, in any session,
group or environment, becomes the keeper's own child. It kills its own children only, whose ids cannot be
reused before it has reaped them; and when it has no child left, nothing is left. When the worker dies, by
kill -9 too, the socket closes and the keeper kills everything at once.

The keeper's own environment does not carry the mark of the attempt, so a sweep for marks passes it over.
"""

import contextlib
import ctypes
import json
import os
import select
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import Any

PR_SET_CHILD_SUBREAPER = 36

NATURAL_END = 0.25
"""Seconds that the helpers (a `tee`, say) of a program which ended by itself have for their own end."""

PAUSE = 0.01
"""Seconds between two rounds of killing, unless a child ends before."""


class Keeper:
    """Starts one program when told, stops it when told, and leaves nothing of it."""

    def __init__(self, control: socket.socket) -> None:
        self._control = control
        self._received = b""
        self._worker_lives = True
        self._stopped = False
        self._graces: list[float] = []
        self._due: list[tuple[float, signal.Signals]] = []
        # A signal writes a byte into this pair, so that one select waits for signals and orders.
        self._signalled, wake = socket.socketpair()
        self._wake = wake
        for end in (self._signalled, wake):
            end.setblocking(False)
        signal.set_wakeup_fd(wake.fileno(), warn_on_full_buffer=False)
        # Handlers, not SIG_IGN: what the keeper ignores its program would ignore too.
        for number in (signal.SIGCHLD, signal.SIGHUP):
            signal.signal(number, lambda *_: None)
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda *_: self._stop())

    def run(self) -> None:
        """The whole life: order, program, end."""
        order = next(self._orders(), None)
        while order is None and not self._stopped:
            self._wait(None)
            order = next(self._orders(), None)
        if order is None:
            return
        self._graces = order["graces"]
        try:
            program = subprocess.Popen(
                order["command"], cwd=order["folder"], env=order["environment"], start_new_session=True
            )
        except (OSError, ValueError) as error:
            self._say(refused=_reason(error))
            return
        _let_go_of_pipes()
        self._say(started=program.pid)
        self._say(exit=self._watch(program.pid))
        self._say(killed=self._clear())

    def _watch(self, program: int) -> int:
        """The program's exit code, when it ends; sends it the signals that are due."""
        while True:
            ended, _ = _reap()
            if program in ended:
                return os.waitstatus_to_exitcode(ended[program])
            for order in self._orders():
                if order.get("stop"):
                    self._stop()
            while self._due and self._due[0][0] <= time.monotonic():
                # It is not reaped yet, so its id is still that of its group.
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.killpg(program, self._due.pop(0)[1])
            self._wait(self._due[0][0] - time.monotonic() if self._due else None)

    def _clear(self) -> int:
        """Kill what the program left until no child is left, orphan by orphan; how many there were."""
        killed: set[int] = set()
        patience = time.monotonic() + NATURAL_END
        while _reap()[1]:
            if self._stopped or time.monotonic() >= patience:
                for pid in _children():
                    with contextlib.suppress(ProcessLookupError, PermissionError):
                        os.kill(pid, signal.SIGKILL)
                        killed.add(pid)
            self._wait(PAUSE)
        return len(killed)

    def _stop(self) -> None:
        if self._stopped:
            return
        self._stopped = True
        due = time.monotonic()
        for number, grace in zip((signal.SIGINT, signal.SIGTERM), self._graces, strict=False):
            self._due.append((due, number))
            due += grace
        self._due.append((due, signal.SIGKILL))

    def _wait(self, seconds: float | None) -> None:
        """Until a signal, an order, the worker's death, or the time has passed."""
        sources = [self._signalled, self._control] if self._worker_lives else [self._signalled]
        ready, _, _ = select.select(sources, [], [], None if seconds is None else max(seconds, 0))
        if self._signalled in ready:
            self._signalled.recv(4096)
        if self._control in ready:
            self._receive()

    def _receive(self) -> None:
        try:
            data = self._control.recv(65536)
        except OSError:
            data = b""
        self._received += data
        if not data:
            # The worker is dead or has had enough: there is nobody to be patient for.
            self._worker_lives = False
            self._stopped = True
            self._due = [(time.monotonic(), signal.SIGKILL)]

    def _orders(self) -> Iterator[dict[str, Any]]:
        while b"\n" in self._received:
            line, self._received = self._received.split(b"\n", 1)
            yield json.loads(line)

    def _say(self, **message: Any) -> None:
        with contextlib.suppress(OSError):
            self._control.sendall(json.dumps(message).encode() + b"\n")


def _reap() -> tuple[dict[int, int], bool]:
    """The children that have ended, with their wait status, and whether any child is left."""
    ended: dict[int, int] = {}
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return ended, False
        if pid == 0:
            return ended, True
        ended[pid] = status


def _children() -> list[int]:
    """The processes whose parent this one is; none where there is no /proc, where none is adopted either."""
    try:
        with open(f"/proc/self/task/{os.getpid()}/children") as listed:  # noqa: PTH123 (pathlib loads slowly)
            return [int(pid) for pid in listed.read().split()]
    except OSError:
        return []


def _let_go_of_pipes() -> None:
    """The program has its own ends; held here as well, they would never close."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(nothing, number)
    os.close(nothing)


def _reason(error: Exception) -> str:
    """One line that says why the program could not be started."""
    if isinstance(error, OSError) and error.filename:
        return f"{error.strerror}: {os.fsdecode(error.filename)!r}"
    return str(error)


def main() -> None:
    """Keep one program, as ordered over the socket whose number is the first argument."""
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    Keeper(socket.socket(fileno=int(sys.argv[1]))).run()


if __name__ == "__main__":
    main()
