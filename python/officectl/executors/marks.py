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

RUN, ATTEMPT, WORKER = "OFFICE_RUN_ID", "OFFICE_ATTEMPT_ID", "OFFICE_WORKER_ID"

PAUSE = 0.02
"""Seconds between two rounds of a sweep."""

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Mark:
    """Whose process it is; ids as text."""

    run_id: str
    attempt_id: str
    worker_id: str

    @property
    def environment(self) -> dict[str, str]:
        """The variables that carry it."""
        return {RUN: self.run_id, ATTEMPT: self.attempt_id, WORKER: self.worker_id}


def sweep(attempts: Set[str], *, timeout: float = 10) -> Counter[str]:
    """Kill whatever carries the mark of one of these attempts until none is found; how many, by attempt.

    They must be over, or their worker dead: another worker's programs look just the same. TimeoutError when
    something is still there after `timeout` seconds.
    """
    killed: set[tuple[str, int, float]] = set()
    deadline = time.monotonic() + timeout
    while found := [(process, attempt) for process, attempt in _marked() if attempt in attempts]:
        if time.monotonic() > deadline:
            raise TimeoutError(f"{len(found)} processes could not be killed, such as {found[0][0].pid}.")
        for process, attempt in found:
            try:
                # psutil compares the start time first: a reused id is not killed.
                process.kill()
                killed.add((attempt, process.pid, process.create_time()))
            except psutil.NoSuchProcess:
                continue
            except psutil.AccessDenied:
                log.warning("process %s carries the mark of %s and may not be killed", process.pid, attempt)
        time.sleep(PAUSE)
    return Counter(attempt for attempt, _, _ in killed)


def _marked() -> Iterator[tuple[psutil.Process, str]]:
    """Every live process that carries a mark, with its attempt."""
    for process in psutil.process_iter():
        try:
            attempt = process.environ().get(ATTEMPT)
            if attempt and process.status() != psutil.STATUS_ZOMBIE:
                yield process, attempt
        except (psutil.Error, OSError):
            # Gone meanwhile, or another account's.
            continue
