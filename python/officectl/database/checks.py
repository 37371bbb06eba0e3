"""What a deploy needs of a server, check by check.

`migrate` refuses at the first that fails, `doctor` lists all. Every check only reads. Nothing here writes to
the database.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import psycopg
from psycopg import sql

from officectl.database.sqlfiles import ROLES
from officectl.errors import Forbidden, OfficeError, Refused, UsageProblem

OLDEST_VERSION = 15
SCHEMAS = ("office", "office_internal", "office_migrations")

Connection = psycopg.Connection[Any]


@dataclass(frozen=True)
class Check:
    """One condition: its name, what was found, and the error of a deploy (None: it holds)."""

    name: str
    found: str
    error: OfficeError | None = None

    @property
    def holds(self) -> bool:
        """Whether the condition holds."""
        return self.error is None


def required(connection: Connection, *, prefix: str, single_role: bool) -> Iterator[Check]:
    """Everything without which a deploy cannot work, in the order in which it would fail."""
    yield server_version(connection)
    yield not_pooled(connection)
    yield not_standby(connection)
    yield owner(connection)
    yield may_create(connection)
    yield roles(connection, prefix=prefix, single_role=single_role)


def server_version(connection: Connection) -> Check:
    """PostgreSQL 15 or newer (A10)."""
    found = connection.info.server_version // 10000
    if found >= OLDEST_VERSION:
        return Check("server version", f"PostgreSQL {found}")
    return Check(
        "server version",
        f"PostgreSQL {found}",
        Refused(
            f"the server is PostgreSQL {found}, and officectl needs {OLDEST_VERSION} or newer",
            "Name a newer server with --dsn, or let `officectl up` bring its own.",
            code="server_too_old",
        ),
    )


def not_pooled(connection: Connection) -> Check:
    """No pooler (I13): one makes up the process id that it tells the client; the server's is another."""
    (server_pid,) = _one(connection, "select pg_catalog.pg_backend_pid()")
    if server_pid == connection.info.backend_pid:
        return Check("direct connection", "yes")
    return Check(
        "direct connection",
        "no, through a pooler",
        Refused(
            "this connection goes through a pooler, and a deploy needs a session of its own",
            "Name the server itself with --dsn or OFFICE_DIRECT_DSN.",
            code="pooled",
        ),
    )


def not_standby(connection: Connection) -> Check:
    """The server takes writes."""
    (standby,) = _one(connection, "select pg_catalog.pg_is_in_recovery()")
    if not standby:
        return Check("takes writes", "yes")
    return Check(
        "takes writes",
        "no, it is a standby",
        Refused(
            "this server is a standby and takes no writes",
            "Name all hosts and add target_session_attrs=read-write to the DSN.",
            code="standby",
        ),
    )


def owner(connection: Connection) -> Check:
    """One login owns everything: functions that run as their owner must own the tables that they write."""
    user, foreign, made_by_us = _one(
        connection,
        """
        select current_user,
          min(r.rolname) filter (where r.rolname <> current_user),
          pg_catalog.count(*) filter (where n.nspname = 'office_migrations') > 0
        from pg_catalog.pg_namespace n join pg_catalog.pg_roles r on r.oid = n.nspowner
        where n.nspname = any(%s)
        """,
        [list(SCHEMAS)],
    )
    if foreign is not None:
        return Check(
            "owner",
            f"{foreign}, and you are {user}",
            Forbidden(
                f"the schemas of the office belong to {foreign}, and you are {user}",
                f"Deploy as {foreign}.",
                code="other_owner",
            ),
        )
    return Check("owner", f"{user}" if made_by_us else f"{user} will be")


def may_create(connection: Connection) -> Check:
    """The right to make schemas in this database."""
    user, database, allowed = _one(
        connection,
        """
        select current_user, current_database(),
          pg_catalog.has_database_privilege(current_user, current_database(), 'create')
        """,
    )
    if allowed:
        return Check("may create schemas", "yes")
    statement = sql.SQL("grant create on database {} to {};").format(
        sql.Identifier(database), sql.Identifier(user)
    )
    return Check(
        "may create schemas",
        "no",
        Forbidden(
            f"{user} may not create schemas in the database {database}",
            f"Have its administrator run: {statement.as_string(connection)}",
            code="may_not_create",
        ),
    )


def roles(connection: Connection, *, prefix: str, single_role: bool) -> Check:
    """The four roles are there, or can be made, or are not wanted (``--single-role``)."""
    if single_role:
        return Check("roles", "the owner stands for all of them")
    missing = missing_roles(connection, prefix)
    if not missing:
        return Check("roles", f"{prefix}_* are there")
    (may_make,) = _one(
        connection, "select rolcreaterole or rolsuper from pg_catalog.pg_roles where rolname = current_user"
    )
    if may_make:
        return Check("roles", f"{', '.join(missing)} will be made")
    return Check(
        "roles",
        f"{', '.join(missing)} missing",
        Forbidden(
            f"the roles {', '.join(missing)} are missing, and {connection.info.user} may not create roles",
            "Have an administrator run the statements below, or deploy with --single-role.\n"
            + create_roles(missing),
            code="roles_missing",
        ),
    )


def missing_roles(connection: Connection, prefix: str) -> list[str]:
    """Which of the four roles the server does not have."""
    wanted = [f"{prefix}_{role}" for role in ROLES]
    found = connection.execute("select rolname from pg_catalog.pg_roles where rolname = any(%s)", [wanted])
    there = {name for (name,) in found}
    return [name for name in wanted if name not in there]


def create_roles(names: list[str]) -> str:
    """The statements that make them; the names have been checked to be plain identifiers."""
    return "\n".join(f"create role {name} nologin;" for name in names)


def check_prefix(prefix: str) -> str:
    """A prefix that is a plain identifier, so that the roles' names need no quotes anywhere."""
    plain = (
        prefix.isascii()
        and prefix.replace("_", "a").isalnum()
        and prefix.islower()
        and not prefix[0].isdigit()
    )
    if not plain or len(prefix) > 50:
        raise UsageProblem(
            f"{prefix!r} cannot be the prefix of the roles",
            "Use up to 50 lower-case letters, digits and underscores, beginning with a letter.",
        )
    return prefix


def _one(connection: Connection, query: str, parameters: list[Any] | None = None) -> tuple[Any, ...]:
    """The one row of a query that always has one."""
    row = connection.execute(query.encode(), parameters).fetchone()
    assert row is not None
    return tuple(row)
