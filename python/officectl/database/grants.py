"""`officectl db grant`: what a login may do here, and for whom it speaks (I5, I6)."""

from __future__ import annotations

from typing import Any

import psycopg
from psycopg import sql

from officectl.database.connect import connect
from officectl.database.deploy import deployment
from officectl.errors import Forbidden, Refused, VersionMismatch, translate

Connection = psycopg.Connection[Any]


def grant(
    dsn: str, login: str, *, role: str | None = None, gateway: str | None = None, account: str | None = None
) -> None:
    """Give a login a role, make it a gateway, tie it to an account: all of what is given, or nothing.

    ``role`` is reader, client, worker or operator; ``gateway`` is act_as, claims or token. An account that is
    not there is made; the login must be there.
    """
    with connect(dsn) as connection:
        try:
            _refuse_unknown(connection, login)
            if role:
                _grant_role(connection, login, role)
            if gateway:
                connection.execute(
                    "insert into office_internal.gateways (login, kind) values (%s, %s)"
                    " on conflict (login) do update set kind = excluded.kind",
                    [login, gateway],
                )
            if account:
                _tie(connection, login, account)
            connection.commit()
        except psycopg.Error as error:
            raise translate(error) from error


def _refuse_unknown(connection: Connection, login: str) -> None:
    found = connection.execute("select 1 from pg_catalog.pg_roles where rolname = %s", [login]).fetchone()
    if found is None:
        statement = sql.SQL("create role {} login;").format(sql.Identifier(login)).as_string(connection)
        raise Refused(
            f"the server has no login {login}", f"Make it first: {statement}", code="no_login", status=404
        )


def _grant_role(connection: Connection, login: str, role: str) -> None:
    deployed = deployment(connection)
    if deployed is None:
        raise VersionMismatch(
            "there is no office in this database yet", "Deploy it first: officectl db migrate"
        )
    if deployed.single_role:
        raise Refused(
            "this database was deployed with a single role: its owner stands for all of them",
            "Deploy with roles first: officectl db migrate --no-single-role",
            code="single_role",
        )
    statement = sql.SQL("grant {} to {}").format(
        sql.Identifier(f"{deployed.role_prefix}_{role}"), sql.Identifier(login)
    )
    try:
        connection.execute(statement)
    except psycopg.errors.InsufficientPrivilege as error:
        raise Forbidden(
            f"{connection.info.user} may not grant roles on this server",
            f"Have an administrator run: {statement.as_string(connection)};",
            code="may_not_grant",
        ) from error


def _tie(connection: Connection, login: str, account: str) -> None:
    tied = connection.execute(
        "update office.accounts set db_role = %s where lower(name) = lower(%s) and deleted_at is null",
        [login, account],
    )
    if tied.rowcount == 0:
        connection.execute("select * from office.create_account(name => %s, db_role => %s)", [account, login])
