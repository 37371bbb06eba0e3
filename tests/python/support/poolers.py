"""PgBouncer in transaction mode, in front of a test's database."""

from __future__ import annotations

import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from officectl.database.unprivileged import runner_for

PROGRAM = shutil.which("pgbouncer") or shutil.which("pgbouncer", path="/usr/sbin")


@contextmanager
def pooler(dsn: str) -> Iterator[str]:
    """DSN of the same database through a PgBouncer of this test's own; skips where there is none."""
    if PROGRAM is None:
        pytest.skip("pgbouncer is not installed")
    server = conninfo_to_dict(dsn)
    folder = Path(f"{server['host']}-pooler")
    folder.mkdir()
    runner = runner_for(Path(str(server["host"])))
    (folder / "pgbouncer.ini").write_text(
        f"[databases]\n* = host={server['host']} port={server['port']} user={server['user']}\n"
        f"[pgbouncer]\nlisten_addr =\nunix_socket_dir = {folder}\nlisten_port = 6432\n"
        f"auth_type = any\npool_mode = transaction\nlogfile = {folder}/log\n"
    )
    if runner.switch:
        shutil.chown(folder, runner.uid, runner.gid)
    process = subprocess.Popen(
        [str(PROGRAM), "-q", str(folder / "pgbouncer.ini")],
        user=runner.uid if runner.switch else None,
        group=runner.gid if runner.switch else None,
    )
    try:
        deadline = time.monotonic() + 10
        while not (folder / ".s.PGSQL.6432").exists() and time.monotonic() < deadline:
            time.sleep(0.02)
        yield make_conninfo(dsn, host=str(folder), port=6432)
    finally:
        process.kill()
        process.wait()
        shutil.rmtree(folder)
