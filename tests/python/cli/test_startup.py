"""P3, Q22: whose worker is settled at once when an embedded office starts again, and whose is not."""

import os
import socket
import subprocess
from typing import Any

import psutil
import psycopg
import pytest

from officectl.cli.startup import expire_dead_workers

REGISTER = "select worker_id from office.register_worker(%s, %s)"
LIVING = "select host, pid from office.workers where ended_at is null order by registered_at"


@pytest.fixture
def gone() -> int:
    """The pid of a process that has ended."""
    process = subprocess.Popen(["/bin/true"])
    process.wait()
    return process.pid


def test_a_worker_whose_process_is_gone_is_settled(
    database: str, session: psycopg.Connection[Any], gone: int
) -> None:
    here, parent = socket.gethostname(), os.getppid()
    for host, pid in ((here, gone), ("elsewhere", gone), (here, parent), (here, None)):
        session.execute(REGISTER, [host, pid])
    expire_dead_workers(database)
    assert session.execute(LIVING).fetchall() == [("elsewhere", gone), (here, parent), (here, None)]


def test_a_process_that_started_later_only_has_the_pid(
    database: str, session: psycopg.Connection[Any], capsys: pytest.CaptureFixture[str]
) -> None:
    """After a restart of the machine, ids of processes are given anew."""
    parent = psutil.Process(os.getppid())
    session.execute(REGISTER, [socket.gethostname(), parent.pid])
    expire_dead_workers(database)
    assert len(session.execute(LIVING).fetchall()) == 1
    session.execute(
        "update office.workers set registered_at = to_timestamp(%s) - interval '1 minute'",
        [parent.create_time()],
    )
    expire_dead_workers(database)
    assert session.execute(LIVING).fetchall() == []
    assert "1 worker(s)" in capsys.readouterr().out
