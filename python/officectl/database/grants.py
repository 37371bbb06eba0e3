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
    """Give a login a role, make it a gateway, tie it to an account.

    ``role`` is reader, client, worker or operator; ``gateway`` is act_as, claims or token. An account that is
    not there is made; the login must be there.

    Membership in a role is the server's, and its administrators' to give. Where we may not, all the rest is
    kept, and `Forbidden` has the statement for them; a membership that is there already is enough.
    """
    withheld: Forbidden | None = None
    with connect(dsn) as connection:
        try:
            _refuse_unknown(connection, login)
            if role:
                withheld = _grant_role(connection, login, role, rest=bool(gateway or account))
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
    if withheld:
        raise withheld


def _refuse_unknown(connection: Connection, login: str) -> None:
    found = connection.execute("select 1 from pg_catalog.pg_roles where rolname = %s", [login]).fetchone()
    if found is None:
        statement = sql.SQL("create role {} login;").format(sql.Identifier(login)).as_string(connection)
        raise Refused(
            f"the server has no login {login}", f"Make it first: {statement}", code="no_login", status=404
        )


def _grant_role(connection: Connection, login: str, role: str, *, rest: bool) -> Forbidden | None:
    """The error to end with when the membership is not there and not ours to give."""
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
    group = f"{deployed.role_prefix}_{role}"
    statement = sql.SQL("grant {} to {}").format(sql.Identifier(group), sql.Identifier(login))
    try:
        with connection.transaction():  # a savepoint: what follows is kept without it
            connection.execute(statement)
    except psycopg.errors.InsufficientPrivilege:
        member = connection.execute("select pg_catalog.pg_has_role(%s, %s, 'member')", [login, group])
        if member.fetchone() == (True,):
            return None
        return Forbidden(
            f"{connection.info.user} may not grant roles on this server"
            + ("; the rest is done" if rest else ""),
            f"Have an administrator run: {statement.as_string(connection)};",
            code="may_not_grant",
        )
    return None


def _tie(connection: Connection, login: str, account: str) -> None:
    tied = connection.execute(
        "update office.accounts set db_role = %s where lower(name) = lower(%s) and deleted_at is null",
        [login, account],
    )
    if tied.rowcount == 0:
        connection.execute("select * from office.create_account(name => %s, db_role => %s)", [account, login])
