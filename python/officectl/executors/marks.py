"""The mark that all processes of an attempt carry in their environment, and its sweep (K15, P7).

Keepers leave nothing behind while they live. The sweep is for what a killed keeper left, for systems that
have no subreaper (macOS), and for what another process started on behalf of the program. It sees the
processes of its own account only (all of them as root).
"""

import logging
import time
from collections import Counter
from collections.abc import Iterator, Set
from dataclasses import dataclass

import psutil

RUN, ATTEMPT, WORKER, LAUNCH = "OFFICE_RUN_ID", "OFFICE_ATTEMPT_ID", "OFFICE_WORKER_ID", "OFFICE_LAUNCH"

Launched = tuple[str, int]
"""An attempt, as text, and which of its launches: after an answer the same attempt is launched again."""

PAUSE = 0.02
"""Seconds between two rounds of a sweep."""

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Mark:
    """Whose process it is; ids as text."""

    run_id: str
    attempt_id: str
    worker_id: str
    launch: int = 1

    @property
    def launched(self) -> Launched:
        """What a sweep looks for."""
        return self.attempt_id, self.launch

    @property
    def environment(self) -> dict[str, str]:
        """The variables that carry it."""
        return {
            RUN: self.run_id,
            ATTEMPT: self.attempt_id,
            WORKER: self.worker_id,
            LAUNCH: str(self.launch),
        }


def sweep(launches: Set[Launched], *, timeout: float = 10) -> Counter[Launched]:
    """Kill whatever carries the mark of one of these launches until none is found; how many, by launch.

    They must be over, or their worker dead: another worker's programs look just the same. TimeoutError when
    something is still there after `timeout` seconds.
    """
    killed: set[tuple[Launched, int, float]] = set()
    deadline = time.monotonic() + timeout
    while found := [(process, launched) for process, launched in _marked() if launched in launches]:
        if time.monotonic() > deadline:
            raise TimeoutError(f"{len(found)} processes could not be killed, such as {found[0][0].pid}.")
        for process, launched in found:
            try:
                # psutil compares the start time first: a reused id is not killed.
                process.kill()
                killed.add((launched, process.pid, process.create_time()))
            except psutil.NoSuchProcess:
                continue
            except psutil.AccessDenied:
                log.warning(
                    "process %s carries the mark of %s and may not be killed", process.pid, launched[0]
                )
        time.sleep(PAUSE)
    return Counter(launched for launched, _, _ in killed)


def _marked() -> Iterator[tuple[psutil.Process, Launched]]:
    """Every live process that carries a mark, with its attempt and launch."""
    for process in psutil.process_iter():
        try:
            environment = process.environ()
            if ATTEMPT in environment and process.status() != psutil.STATUS_ZOMBIE:
                launch = environment.get(LAUNCH, "")
                # A program may have written something else there.
                yield process, (environment[ATTEMPT], int(launch) if launch.isdecimal() else 1)
        except (psutil.Error, OSError):
            # Gone meanwhile, or another account's.
            continue
