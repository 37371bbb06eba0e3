"""Connections: which database is meant, and how it is reached.

Every connection has ``prepare_threshold=None``, so that it works behind PgBouncer in transaction mode (I13).
"""

from __future__ import annotations

import os
import re
from typing import Any

import psycopg
from psycopg.conninfo import conninfo_to_dict
from psycopg_pool import AsyncConnectionPool

from officectl.errors import Forbidden, OfficeError, Unreachable, UsageProblem, first_line

# One of these says that the caller has told libpq where the database is.
_LIBPQ_PLACE = ("PGHOST", "PGHOSTADDR", "PGSERVICE", "PGDATABASE", "PGPORT")

_IDENTITY = re.compile(r"authentication failed|no password supplied|pg_hba\.conf|role .* does not exist")
_CONNECT_TIMEOUT_SECONDS = 10


def resolve_dsn(option: str | None = None) -> str | None:
    """The DSN that was named: ``--dsn``, OFFICE_DSN, libpq's own variables (an empty DSN); else None."""
    if option:
        return option
    if named := os.environ.get("OFFICE_DSN"):
        return named
    if any(os.environ.get(name) for name in _LIBPQ_PLACE):
        return ""
    return None


def resolve_direct_dsn(dsn: str) -> str:
    """The DSN for what a pooler cannot carry (migrations, LISTEN): OFFICE_DIRECT_DSN, else ``dsn`` itself."""
    return os.environ.get("OFFICE_DIRECT_DSN") or dsn


def find_dsn(option: str | None = None) -> str:
    """The named DSN, else that of the embedded database in its usual folder, when it runs.

    Raises `Unreachable` when there is neither. Nothing is started or made.
    """
    named = resolve_dsn(option)
    if named is not None:
        return named
    from officectl.database.embedded import Cluster, default_folder

    cluster = Cluster(default_folder())
    if cluster.running:
        return cluster.dsn
    raise Unreachable(
        "no database was named, and no embedded one is running",
        "Start one with: officectl up — or name yours with --dsn or OFFICE_DSN.",
    )


def connect(
    dsn: str, *, autocommit: bool = False, application_name: str = "officectl"
) -> psycopg.Connection[tuple[Any, ...]]:
    """One connection. Raises `Unreachable`, `Forbidden` or `UsageProblem`, each with one line."""
    try:
        return psycopg.connect(dsn, autocommit=autocommit, **_arguments(dsn, application_name))
    except psycopg.Error as error:
        raise connection_error(dsn, error) from error


async def aconnect(
    dsn: str, *, autocommit: bool = False, application_name: str = "officectl"
) -> psycopg.AsyncConnection[tuple[Any, ...]]:
    """`connect` for asyncio."""
    try:
        return await psycopg.AsyncConnection.connect(
            dsn, autocommit=autocommit, **_arguments(dsn, application_name)
        )
    except psycopg.Error as error:
        raise connection_error(dsn, error) from error


def pool(
    dsn: str, *, min_size: int = 1, max_size: int = 4, application_name: str = "officectl", **options: Any
) -> AsyncConnectionPool:
    """A pool, not open yet (``async with pool(dsn) as p``), that checks each connection it hands out."""
    return AsyncConnectionPool(
        dsn,
        kwargs=_arguments(dsn, application_name),
        min_size=min_size,
        max_size=max_size,
        open=False,
        check=AsyncConnectionPool.check_connection,
        **options,
    )


def place(dsn: str) -> str:
    """Where a DSN leads, without its password: for messages."""
    parts = conninfo_to_dict(dsn)
    host = parts.get("host") or parts.get("hostaddr") or os.environ.get("PGHOST") or "the local socket"
    port = parts.get("port") or os.environ.get("PGPORT")
    database = parts.get("dbname") or os.environ.get("PGDATABASE")
    where = f"{host}:{port}" if port and not str(host).startswith("/") else str(host)
    return f"{where} (database {database})" if database else where


def connection_error(dsn: str, error: psycopg.Error) -> OfficeError:
    """What a failed attempt to connect means, in one line that never shows the password."""
    try:
        where = place(dsn)
    except psycopg.ProgrammingError:
        return UsageProblem(
            "the DSN cannot be read",
            "Write postgresql://user@host:5432/database, or 'host=… dbname=… user=…'.",
        )
    # libpq gives no SQLSTATE for a failed connection, only: connection to server at … failed: FATAL:  reason
    reason = re.split(r"failed: |FATAL: ", first_line(str(error)))[-1].strip()
    if _IDENTITY.search(reason):
        return Forbidden(
            f"{where}: {reason}", "Check the user and the password (PGPASSWORD or a .pgpass file)."
        )
    return Unreachable(
        f"no database at {where}: {reason}", "Is it running, and is the DSN right? officectl doctor --dsn …"
    )


def _arguments(dsn: str, application_name: str) -> dict[str, Any]:
    arguments: dict[str, Any] = {"prepare_threshold": None}
    try:
        named = conninfo_to_dict(dsn)
    except psycopg.ProgrammingError as error:
        raise connection_error(dsn, error) from error
    if "application_name" not in named and "PGAPPNAME" not in os.environ:
        arguments["application_name"] = application_name
    if "connect_timeout" not in named and "PGCONNECT_TIMEOUT" not in os.environ:
        arguments["connect_timeout"] = _CONNECT_TIMEOUT_SECONDS
    return arguments
