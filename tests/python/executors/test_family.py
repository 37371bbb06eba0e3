"""Nothing that a program starts survives it (K15, X6, P2), whatever it does to get away.

The programs write the ids of what they start into the file `pids` of their folder.
"""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from officectl.executors import Mark
from officectl.executors.family import CannotStart, Family
from officectl.executors.marks import sweep

from .conftest import until

NOTE = """
import os, signal, sys, time
def note():
    with open("pids", "a") as file:
        file.write(f"{os.getpid()} {open('/proc/self/stat').read().rsplit(')')[1].split()[19]}\\n")
"""
"""Every process adds its id and start time."""

DOUBLE_FORK = """
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        note(); time.sleep(60)
    os._exit(0)
os.wait()
"""

UNMARKED = """
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.execve(sys.executable, [sys.executable, "-c", sys.argv[1] + "note(); time.sleep(60)", ""], {})
    os._exit(0)
os.wait()
"""

DEAF = """
for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
    signal.signal(number, signal.SIG_IGN)
if os.fork() == 0:
    os.setsid()
note(); open("deaf", "w").close(); time.sleep(60)
"""

FORKS = """
end = time.monotonic() + 30
if os.fork() == 0:
    os.setsid()
    while time.monotonic() < end:
        if os.fork():
            os._exit(0)
        note()
    os._exit(0)
os.wait()
"""
"""A process that is never the same for long: it forks and goes on as its child, for half a minute at most."""

TREE = """
for depth in range(6):
    if os.fork() == 0:
        os.setpgid(0, 0)
        continue
    break
note(); time.sleep(60)
"""


async def program(family: Family, code: str, folder: Path) -> None:
    """Start Python code, with what it needs to note its processes."""
    await family.start(
        [sys.executable, "-c", NOTE + code, NOTE],
        folder=folder,
        environment={"PATH": os.environ["PATH"]},
        graces=(0.2, 0.2),
    )


async def running(mark: Mark, code: str, folder: Path) -> Family:
    """A family whose program has started."""
    family = await Family.prepare(mark)
    await program(family, code, folder)
    return family


def noted(folder: Path) -> list[tuple[int, int]]:
    """(pid, start time) of every process that noted itself."""
    path = folder / "pids"
    if not path.exists():
        return []
    lines = [line.split() for line in path.read_text().splitlines()]
    return [(int(line[0]), int(line[1])) for line in lines if len(line) == 2]


def alive(folder: Path) -> list[int]:
    """The noted processes that still run; an id that was used again is not one."""
    found = []
    for pid, started in noted(folder):
        with suppress(OSError):
            fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")")[1].split()
            if int(fields[19]) == started and fields[0] != "Z":
                found.append(pid)
    return found


@pytest.mark.parametrize("code", [DOUBLE_FORK, UNMARKED, FORKS], ids=["double-fork", "unmarked", "forks"])
async def test_what_is_left_after_a_good_end_is_killed_and_counted(
    code: str, mark: Mark, tmp_path: Path
) -> None:
    """K15, X6: in sessions of its own, without the mark, or forking all the time."""
    family = await running(mark, code, tmp_path)
    assert await family.wait() == 0
    await until(lambda: noted(tmp_path))
    assert await family.gone() >= 1
    assert alive(tmp_path) == []
    assert not psutil.pid_exists(family.pid)


async def test_a_whole_tree_is_killed(mark: Mark, tmp_path: Path) -> None:
    """K15, P2: seven generations, each in a group of its own, when the program is stopped."""
    family = await running(mark, TREE, tmp_path)
    await until(lambda: len(noted(tmp_path)) == 7)
    family.stop()
    assert await family.wait() == -signal.SIGINT
    assert await family.gone() == 6
    assert alive(tmp_path) == []


async def test_a_program_that_does_not_listen_is_killed(mark: Mark, tmp_path: Path) -> None:
    """P2: INT, TERM, KILL; its child in another session too."""
    family = await running(mark, DEAF, tmp_path)
    await until(lambda: len(noted(tmp_path)) == 2)
    family.stop()
    assert await family.wait() == -signal.SIGKILL
    assert await family.gone() == 1
    assert alive(tmp_path) == []


async def test_gone_without_wait_ends_everything_at_once(mark: Mark, tmp_path: Path) -> None:
    """X6: the way out when the attempt itself was broken off."""
    family = await running(mark, DEAF, tmp_path)
    await until(lambda: len(noted(tmp_path)) == 2)
    await family.gone()
    assert alive(tmp_path) == []


async def test_a_program_that_ends_well_leaves_no_trace(mark: Mark, tmp_path: Path) -> None:
    """K15: nothing had to be killed, and the keeper is gone as well."""
    family = await running(mark, "note()", tmp_path)
    assert await family.wait() == 0
    assert await family.gone() == 0
    assert not psutil.pid_exists(family.pid)


async def test_a_term_to_the_keeper_stops_the_family(mark: Mark, tmp_path: Path) -> None:
    """P2: the pid that the office shows is one that a person may kill."""
    family = await running(mark, "note(); time.sleep(60)", tmp_path)
    await until(lambda: noted(tmp_path))
    os.kill(family.pid, signal.SIGTERM)
    assert await family.wait() == -signal.SIGINT
    assert await family.gone() == 0


async def test_the_mark_finds_what_a_killed_keeper_left(mark: Mark, tmp_path: Path) -> None:
    """K15: whatever still carries the mark is killed, until none is found."""
    family = await running(mark, DOUBLE_FORK + "time.sleep(60)", tmp_path)
    await until(lambda: noted(tmp_path))
    os.kill(family.pid, signal.SIGKILL)
    assert await family.wait() == -signal.SIGKILL
    assert await family.gone() >= 2
    assert alive(tmp_path) == []


async def test_a_keeper_killed_before_the_start_is_a_fault(mark: Mark, tmp_path: Path) -> None:
    """K15: nothing started, nothing hangs."""
    family = await Family.prepare(mark)
    os.kill(family.pid, signal.SIGKILL)
    with pytest.raises(CannotStart):
        await program(family, "note()", tmp_path)
    assert await family.gone() == 0
    assert not psutil.pid_exists(family.pid)
    assert noted(tmp_path) == []
    assert not sweep({mark.launched})


FREEZES = "os.kill(os.getppid(), signal.SIGSTOP);"


@pytest.mark.parametrize(
    "code", [DEAF, UNMARKED + "time.sleep(60)", FORKS + "time.sleep(60)"], ids=["deaf", "unmarked", "forks"]
)
async def test_a_frozen_keeper_is_killed_with_all_it_kept(code: str, mark: Mark, tmp_path: Path) -> None:
    """K15, P2: a program that stops its keeper gains nothing, with or without the mark."""
    family = await running(mark, FREEZES + code, tmp_path)
    await until(lambda: noted(tmp_path))
    assert psutil.Process(family.pid).status() == psutil.STATUS_STOPPED
    family.stop()
    with pytest.raises(TimeoutError):
        # The naive wait: nothing would ever end it.
        await asyncio.wait_for(asyncio.shield(ended := asyncio.create_task(family.wait())), 1)
    await family.force()
    assert await ended == -signal.SIGKILL
    assert await family.gone() >= 1
    assert alive(tmp_path) == []
    assert not psutil.pid_exists(family.pid)


async def test_gone_ends_a_frozen_keeper_too(
    mark: Mark, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """X6: the way out when the attempt itself was broken off."""
    monkeypatch.setattr("officectl.executors.family.CLEARED_WITHIN", 1.0)
    family = await running(mark, FREEZES + DEAF, tmp_path)
    await until(lambda: len(noted(tmp_path)) == 2)
    assert await family.gone() == 2
    assert alive(tmp_path) == []
    assert not psutil.pid_exists(family.pid)


async def test_a_keeper_frozen_before_the_start_is_a_fault(mark: Mark, tmp_path: Path) -> None:
    """K15: another program of the account may have done it; nothing started, nothing hangs."""
    family = await Family.prepare(mark)
    os.kill(family.pid, signal.SIGSTOP)
    start = asyncio.create_task(program(family, "time.sleep(60)", tmp_path))
    await asyncio.sleep(0)
    await family.force()
    with suppress(CannotStart):
        await start
    await family.gone()
    assert not psutil.pid_exists(family.pid)
    assert not sweep({mark.launched})


WORKER = """
import asyncio, sys
from pathlib import Path
from officectl.executors import Mark
from officectl.executors.family import Family

async def main():
    *ids, folder, code, note = sys.argv[1:]
    family = await Family.prepare(Mark(*ids))
    await family.start([sys.executable, "-c", code, note], folder=Path(folder), environment={})
    await family.wait()

asyncio.run(main())
"""


@pytest.mark.parametrize("code", [DEAF, UNMARKED + "time.sleep(60)"], ids=["deaf", "unmarked"])
async def test_a_killed_worker_takes_its_programs_along(code: str, mark: Mark, tmp_path: Path) -> None:
    """K15, P7: kill -9 of officectl leaves no program behind, marked or not."""
    ids = (mark.run_id, mark.attempt_id, mark.worker_id)
    worker = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", WORKER, *ids, str(tmp_path), NOTE + code, NOTE),
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[3] / "python")},
    )
    await until(lambda: noted(tmp_path))
    worker.kill()
    await worker.wait()
    await until(lambda: not alive(tmp_path))


@pytest.fixture
def stray(tmp_path: Path) -> Iterator[Callable[[Mark], subprocess.Popen[bytes]]]:
    """Starts marked processes that have no keeper."""
    started: list[subprocess.Popen[bytes]] = []

    def start(mark: Mark) -> subprocess.Popen[bytes]:
        started.append(subprocess.Popen(["sleep", "60"], env=mark.environment, start_new_session=True))
        return started[-1]

    yield start
    for process in started:
        process.kill()
        process.wait()


def test_a_sweep_takes_the_attempts_it_is_told_and_no_other(
    mark: Mark, stray: Callable[[Mark], subprocess.Popen[bytes]]
) -> None:
    """P7: the next worker on a host kills what dead workers left, and nothing of a worker that lives.

    S3: neither what runs for the same attempt since it was launched again.
    """
    other = Mark(run_id="r", attempt_id="another attempt", worker_id=mark.worker_id)
    again = replace(mark, launch=2)
    dead, living, relaunched = stray(mark), stray(other), stray(again)
    assert sweep({mark.launched, ("unknown", 1)}) == {mark.launched: 1}
    assert dead.wait() == -signal.SIGKILL
    assert living.poll() is None
    assert not sweep(set())
    assert not sweep({mark.launched})
    assert living.poll() is None
    assert relaunched.poll() is None
