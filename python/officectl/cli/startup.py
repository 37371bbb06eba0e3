"""What `up` and `demo` do before agents can be woken."""

import os
import socket
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import TypeVar

import click
import psutil
from rich.console import Console

from officectl.cli.session import Session
from officectl.database.deploy import migrate
from officectl.database.embedded import Cluster
from officectl.render import Layout

Done = TypeVar("Done")

CLOCK_SECONDS = 2.0
"""By how much a process's start may seem too late: the system rounds it, and clocks are corrected."""


def start_embedded(folder: Path) -> Cluster:
    """The embedded database in this folder, made and started where it has to be."""
    cluster = Cluster(folder)
    _slowly("Starting PostgreSQL", lambda _announce: cluster.ensure())
    click.echo(f"PostgreSQL runs in {folder}")
    return cluster


def bring_up_to_date(dsn: str) -> None:
    """Deploys this officectl's schema; what is deployed already is left alone."""
    report = _slowly("Deploying the schema", lambda announce: migrate(dsn, progress=announce))
    steps = len(report.migrations)
    click.echo(f"Schema {report.version} is deployed" + (f" ({steps} migrations)" if steps else ""))


def expire_dead_workers(dsn: str) -> None:
    """Settles what workers of this host had that are no more, without waiting for their leases to run out.

    Only for an embedded database: it listens on a socket in a folder of this host, so every worker of it was
    a process here, whose pid says whether it lives. Of a database elsewhere that is not known: another host,
    or a container, may have the same name and other processes.
    """
    with Session(dsn, Layout()).office() as desk:
        workers = desk.execute(
            "select id, pid, registered_at from office.workers"
            " where ended_at is null and host = %s and pid is not null",
            (socket.gethostname(),),
        )
        gone = [worker["id"] for worker in workers if not _lives(worker["pid"], worker["registered_at"])]
        for worker_id in gone:
            desk.expire_worker(worker_id)
    if gone:
        click.echo(f"Settled the runs of {len(gone)} worker(s) that had died")


def _lives(pid: int, registered_at: datetime) -> bool:
    """Whether the process that registered then still runs; one that started later only has its pid."""
    if pid == os.getpid():  # which has not registered yet
        return False
    try:
        process = psutil.Process(pid)
        started_at: float = process.create_time()
        ended = process.status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False
    return not ended and started_at <= registered_at.timestamp() + CLOCK_SECONDS


def _slowly(what: str, work: Callable[[Callable[[str], None]], Done]) -> Done:
    """Shows on a terminal that something goes on, and what."""
    with Console(stderr=True).status(what) as status:
        return work(lambda step: status.update(f"{what}: {step}"))
