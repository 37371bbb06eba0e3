"""The mark that all processes of an attempt carry in their environment, and its sweep (K15, P7).

Keepers leave nothing behind while they live. The sweep is for what a killed keeper left, for systems that
have no subreaper (macOS), and for what another process started on behalf of the program. It sees the
processes of its own account only (all of them as root).
"""

import logging
import time
from collections.abc import Callable, Iterator, Mapping, Set
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


def workers_found() -> set[str]:
    """The ids of all workers whose mark a process of this host carries, living or dead, of any office."""
    return {environment[WORKER] for _, environment in _marked() if WORKER in environment}


def sweep_attempt(attempt_id: str, *, timeout: float = 10) -> int:
    """Kill whatever carries the attempt's mark until none is found; how many there were.

    TimeoutError when something is still there after `timeout` seconds.
    """
    return _sweep(lambda environment: environment.get(ATTEMPT) == attempt_id, timeout)


def sweep_workers(dead: Set[str], *, timeout: float = 10) -> int:
    """Kill whatever carries the mark of one of these workers, which must be known to be dead; how many.

    Another office on the same host has workers of its own, so the living cannot be told by who is not known.
    TimeoutError when something is still there after `timeout` seconds.
    """
    return _sweep(lambda environment: environment.get(WORKER) in dead, timeout)


def _sweep(chosen: Callable[[Mapping[str, str]], bool], timeout: float) -> int:
    killed: set[tuple[int, float]] = set()
    deadline = time.monotonic() + timeout
    while found := [process for process, environment in _marked() if chosen(environment)]:
        if time.monotonic() > deadline:
            raise TimeoutError(f"{len(found)} processes could not be killed, such as {found[0].pid}.")
        for process in found:
            try:
                # psutil compares the start time first: a reused id is not killed.
                process.kill()
                killed.add((process.pid, process.create_time()))
            except psutil.NoSuchProcess:
                continue
            except psutil.AccessDenied:
                log.warning("process %s carries our mark and may not be killed", process.pid)
        time.sleep(PAUSE)
    return len(killed)


def _marked() -> Iterator[tuple[psutil.Process, Mapping[str, str]]]:
    """Every live process that carries a mark, with its environment."""
    for process in psutil.process_iter():
        try:
            environment = process.environ()
            if ATTEMPT in environment and process.status() != psutil.STATUS_ZOMBIE:
                yield process, environment
        except (psutil.Error, OSError):
            # Gone meanwhile, or another account's.
            continue
