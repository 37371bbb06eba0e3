"""Backup and restore of the office's three schemas, by pg_dump and pg_restore (A12)."""

from __future__ import annotations

import os
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from psycopg.conninfo import conninfo_to_dict, make_conninfo

from officectl.database import checks, deploy
from officectl.database.binaries import find_binaries
from officectl.database.connect import connect, resolve_direct_dsn
from officectl.errors import OfficeError, Refused, first_line


def backup(dsn: str, file: Path) -> None:
    """Write a dump in pg_dump's custom format: a new file, whole or not at all."""
    if file.exists():
        raise Refused(
            f"{file} is there already", "Name another file, or remove it first.", code="file_exists"
        )
    if not file.absolute().parent.is_dir():
        raise Refused(f"there is no folder {file.absolute().parent}", "Make it first.", code="no_folder")
    direct = resolve_direct_dsn(dsn)
    version = _server_version(direct)
    with tempfile.TemporaryDirectory(dir=file.absolute().parent, prefix=".officectl-") as scratch:
        dump = Path(scratch) / "dump"
        schemas = [f"--schema={name}" for name in checks.SCHEMAS]
        _run("pg_dump", version, direct, ["--format=custom", *schemas, f"--file={dump}"])
        dump.rename(file)


def restore(
    dsn: str,
    file: Path,
    *,
    replace: bool = False,
    single_role: bool | None = None,
    role_prefix: str | None = None,
) -> deploy.Report:
    """Put a dump into a database, as its owner, and deploy over it, which makes the grants anew.

    What is there is dropped in the same transaction when ``replace`` is set, else refused.
    """
    if not file.is_file():
        raise Refused(f"there is no file {file}", "Name what `officectl db backup` wrote.", code="no_file")
    direct = resolve_direct_dsn(dsn)
    if holds_office(direct) and not replace:
        raise Refused(
            "this database holds an office already",
            "Restore into another one, or let it be replaced with --yes.",
            code="not_empty",
        )
    version = _server_version(direct)
    deploy.prepare(direct, single_role=single_role, role_prefix=role_prefix)
    with tempfile.TemporaryDirectory(prefix="officectl-") as scratch:
        script = Path(scratch) / "restore.sql"
        _run("pg_restore", version, None, ["--no-owner", "--no-privileges", f"--file={script}", str(file)])
        if version < 17:
            _leave_out_newer_setting(script)
        drop = f"drop schema if exists {', '.join(checks.SCHEMAS)} cascade"
        arguments = ["--no-psqlrc", "--quiet", "--single-transaction", "--set=ON_ERROR_STOP=1"]
        _run("psql", version, direct, [*arguments, f"--command={drop}", f"--file={script}"])
    return deploy.migrate(dsn, single_role=single_role, role_prefix=role_prefix)


def holds_office(dsn: str) -> bool:
    """Whether any of the office's schemas is there."""
    with connect(dsn, autocommit=True) as connection:
        query = "select exists (select from pg_catalog.pg_namespace where nspname = any(%s))"
        row = connection.execute(query, [list(checks.SCHEMAS)]).fetchone()
    return bool(row and row[0])


def _server_version(dsn: str) -> int:
    with connect(dsn, autocommit=True) as connection:
        return connection.info.server_version // 10000


def _leave_out_newer_setting(script: Path) -> None:
    """Comment out, in place, the line at the head of a script by pg_restore 17 that older servers refuse."""
    with script.open("r+b") as file:
        head = file.read(4096)
        file.seek(0)
        file.write(head.replace(b"SET transaction_timeout", b"--  transaction_timeout"))


def _run(program: str, version: int, dsn: str | None, arguments: list[str]) -> None:
    """Run one of PostgreSQL's programs, of the server's version or newer, to its end."""
    path = find_binaries(minimum=version).program(program)
    environment = dict(os.environ)
    if dsn is not None:
        parts: dict[str, Any] = conninfo_to_dict(dsn)
        # Every user of the machine can read a program's arguments, but not its environment.
        if password := parts.pop("password", None):
            environment["PGPASSWORD"] = str(password)
        arguments = [f"--dbname={make_conninfo(**parts)}", *arguments]
    done = subprocess.run(
        [path, *arguments],
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        reason = first_line(done.stderr).removeprefix(f"{program}: ").removeprefix("error: ")
        raise OfficeError(f"{program} failed: {reason}", "The database is as it was.")
