"""Processes of chaos: its own programs, and `officectl serve`. They end when their stdin does."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

BENCH = Path(__file__).resolve().parent.parent
PYTHON = BENCH.parent / "python"
UNREACHABLE = 3  # exit code of `officectl serve` that finds no database when it starts
PATIENCE = 60.0


@dataclass
class Process:
    """One of them; `slot` is its place, which whoever replaces it takes over."""

    role: str
    slot: int
    life: int
    popen: subprocess.Popen[bytes]
    frozen: bool = False

    @property
    def pid(self) -> int:
        return self.popen.pid

    @property
    def name(self) -> str:
        return f"{self.role}-{self.slot}-{self.life}"


@dataclass
class Crew:
    """All of them: started, replaced, calmed, ended."""

    dsn: str
    folder: Path
    threads: dict[str, int]
    seed: int
    members: list[Process] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    calm: bool = False
    _lives: int = 0

    def start(self, role: str, slot: int) -> None:
        self._lives += 1
        if role == "serve":
            command = ["-m", "officectl", "serve", "--dsn", self.dsn, "--max-runs", "4"]
        else:
            name = f"{role}-{slot}-{self._lives}"
            command = ["-m", f"chaos.{role}", self.dsn, str(self.folder / f"{name}.ledger")]
            command += [str(slot), str(self.threads[role]), f"{self.seed} {name}"]
        with (self.folder / f"{role}.log").open("ab") as log:
            popen = subprocess.Popen(
                [sys.executable, *command],
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=log,
                env={
                    **os.environ,
                    "PYTHONPATH": f"{PYTHON}:{BENCH}",
                    "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
                },
            )
        member = Process(role, slot, self._lives, popen)
        self.members.append(member)
        if self.calm:
            self._tell(member)

    def of(self, role: str) -> list[Process]:
        return [member for member in self.members if member.role == role]

    def kill(self, member: Process) -> None:
        """kill -9, and another one in its place."""
        member.popen.kill()
        member.popen.wait()
        self._replace(member)

    def replace_the_dead(self) -> None:
        """They outlive whatever happens to the database; one that does not is wrong."""
        for member in [member for member in self.members if member.popen.poll() is not None]:
            code = member.popen.returncode
            if not (member.role == "serve" and code == UNREACHABLE):
                self.wrong.append(f"{member.name} ended by itself with {code}")
            self._replace(member)

    def be_calm(self) -> None:
        """From now on workers only work, and well."""
        self.calm = True
        for member in self.members:
            self._tell(member)

    def end(self, role: str | None = None) -> None:
        """End all, or those of one role, in good order."""
        ending = [member for member in self.members if role in (None, member.role)]
        for member in ending:
            if member.role == "serve":
                member.popen.terminate()
            elif member.popen.stdin:
                with contextlib.suppress(BrokenPipeError):
                    member.popen.stdin.close()
        for member in ending:
            try:
                member.popen.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                self.wrong.append(f"{member.name} did not end within {PATIENCE:g} s")
                member.popen.kill()
                member.popen.wait()
            self.members.remove(member)

    def _replace(self, member: Process) -> None:
        self.members.remove(member)
        if member.popen.stdin:
            # What it was told and did not read any more is still in the pipe.
            with contextlib.suppress(BrokenPipeError):
                member.popen.stdin.close()
        self.start(member.role, member.slot)

    def _tell(self, member: Process) -> None:
        if member.role == "workers" and member.popen.stdin:
            with contextlib.suppress(BrokenPipeError):
                member.popen.stdin.write(b"calm\n")
                member.popen.stdin.flush()


class Orders:
    """The other end, in a program: whether it is to be calm, and whether it is to end."""

    def __init__(self) -> None:
        self.calm = threading.Event()
        self.over = threading.Event()
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        for _ in sys.stdin:
            self.calm.set()
        self.over.set()

    def pause(self, seconds: float) -> None:
        self.over.wait(seconds)


def in_threads(number: int, act: Callable[[int], None]) -> None:
    """Run it so many times at once; returns when all have ended. One that fails ends the program."""

    def run(nth: int) -> None:
        try:
            act(nth)
        except BaseException:
            sys.excepthook(*sys.exc_info())
            os._exit(1)

    threads = [threading.Thread(target=run, args=[nth], daemon=True) for nth in range(number)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


@contextlib.contextmanager
def frozen(member: Process) -> Iterator[None]:
    """SIGSTOP, and SIGCONT at the end whatever happens."""
    member.frozen = True
    member.popen.send_signal(signal.SIGSTOP)
    try:
        yield
    finally:
        member.popen.send_signal(signal.SIGCONT)
        member.frozen = False


def within(seconds: float, fact: Callable[[], bool]) -> bool:
    """Whether it comes true in time."""
    end = time.monotonic() + seconds
    while not fact():
        if time.monotonic() > end:
            return False
        time.sleep(0.05)
    return True
