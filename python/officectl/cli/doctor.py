"""`officectl doctor`: yes or no for everything that officectl needs, before anything is touched (I13)."""

from __future__ import annotations

import shlex
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import click
import psycopg

from officectl.cli.session import Session, session_options
from officectl.database import checks, deploy
from officectl.database.binaries import find_binaries
from officectl.database.checks import Check
from officectl.database.connect import connect, find_dsn, place, resolve_direct_dsn
from officectl.database.embedded import default_folder
from officectl.database.unprivileged import runner_for
from officectl.errors import Forbidden, OfficeError, Refused, VersionMismatch
from officectl.render import show_rows

_NOTIFY_SECONDS = 2.0
_SKEW_SECONDS = 5.0
_DEPLOY, _SERVE = "can deploy", "can serve"

# The checks that are about the login's own rights in the database.
_DEPLOY_RIGHTS = {"owner", "may create schemas", "roles"}

# Without these a worker cannot work; which other functions it calls, the same grants say.
_SERVING = ["register_worker", "dispatch", "claim_runs", "finish_attempt"]


@click.command("doctor")
@session_options
def command(session: Session) -> None:
    """Say yes or no to everything that officectl needs of a database.

    Deploying and serving want different rights, and a login needs only those of what it is for: a worker's
    is none that deploys. Nothing is written. Exit code 1: something is missing for both.
    """
    found = list(_examine(session.dsn))
    rows = [
        {
            "ok": "yes" if check.holds else "no",
            "check": check.name,
            "found": check.found,
            "hint": (check.error.hint or "") if check.error else "",
        }
        for check in found
    ]
    show_rows(rows, ["ok", "check", "found", "hint"], layout=session.layout, empty="Nothing was looked at.")
    if not _enough(found):
        raise click.exceptions.Exit(1)


def _enough(found: list[Check]) -> bool:
    """Whether the login can deploy or serve, and nothing is missing that both need."""
    failing = {check.name for check in found if not check.holds}
    serves = any(check.name == _SERVE and check.holds for check in found)
    return failing <= {*_DEPLOY_RIGHTS, _DEPLOY} if serves else not failing


def _examine(option: str | None) -> Iterator[Check]:
    """The embedded database where none is named and none runs, else the database."""
    try:
        dsn = find_dsn(option)
    except OfficeError:
        yield from _embedded()
        return
    try:
        connection = connect(resolve_direct_dsn(dsn), autocommit=True)
    except OfficeError as error:
        yield Check("reachable", error.message, error)
        return
    with connection:
        yield Check("reachable", place(dsn))
        deployed = deploy.deployment(connection)
        prefix = deployed.role_prefix if deployed else "office"
        single_role = deployed is not None and deployed.single_role
        required = list(checks.required(connection, prefix=prefix, single_role=single_role))
        yield from required
        yield from _powers(connection, [check for check in required if check.name in _DEPLOY_RIGHTS])
        if checks.not_pooled(connection).holds:
            yield _listen(connection)
        yield _clock(connection)
    yield _schema(dsn)


def _powers(connection: psycopg.Connection[Any], rights: list[Check]) -> Iterator[Check]:
    """What the login is good for: to deploy, and, where something is deployed, to serve."""
    user = connection.info.user
    lacking = [check.name for check in rights if not check.holds]
    if lacking:
        error = Forbidden(f"{user} may not deploy", "Only `officectl db migrate` needs it.")
        yield Check(_DEPLOY, f"{user} may not: {', '.join(lacking)}", error)
    else:
        yield Check(_DEPLOY, f"{user} may")
    row = connection.execute(
        """
        select pg_catalog.count(*) > 0,
          pg_catalog.bool_and(
            pg_catalog.has_schema_privilege(n.oid, 'usage')
            and pg_catalog.has_function_privilege(p.oid, 'execute')
          )
        from pg_catalog.pg_proc p join pg_catalog.pg_namespace n on n.oid = p.pronamespace
        where n.nspname = 'office' and p.proname = any(%s)
        """,
        [_SERVING],
    ).fetchone()
    assert row is not None
    deployed, granted = row
    if not deployed:
        return
    if granted:
        yield Check(_SERVE, f"{user} may")
    else:
        hint = f"Have its owner run: officectl db grant {shlex.quote(user)} --role worker --gateway token"
        yield Check(_SERVE, f"{user} may not", Forbidden(f"{user} may not serve", hint))


def _embedded() -> Iterator[Check]:
    """Whether `officectl up` could make a database here."""
    yield Check("database", "none is named and none runs: `officectl up` makes one")
    try:
        yield Check("PostgreSQL's programs", str(find_binaries().folder))
    except OfficeError as error:
        yield Check("PostgreSQL's programs", error.message, error)
    try:
        yield Check("runs as", runner_for(default_folder() / "data").name)
    except OfficeError as error:
        yield Check("runs as", error.message, error)


def _listen(connection: psycopg.Connection[Any]) -> Check:
    """A notification from ourselves comes back. Without it the workers poll, and all works, later."""
    connection.execute("listen office_doctor")
    connection.execute("notify office_doctor")
    heard = next(iter(connection.notifies(timeout=_NOTIFY_SECONDS, stop_after=1)), None)
    connection.execute("unlisten office_doctor")
    if heard:
        return Check("LISTEN", "notifications arrive")
    return Check(
        "LISTEN",
        "nothing arrives",
        Refused(
            "notifications do not arrive",
            "Name the server itself with OFFICE_DIRECT_DSN; until then workers poll.",
        ),
    )


def _clock(connection: psycopg.Connection[Any]) -> Check:
    """The office goes by the server's clock; a host whose own differs much shows confusing times."""
    sent = time.monotonic()
    row = connection.execute("select pg_catalog.clock_timestamp()").fetchone()
    assert row is not None
    skew = abs((datetime.now(UTC) - row[0]).total_seconds()) - (time.monotonic() - sent)
    if skew <= _SKEW_SECONDS:
        return Check("clocks", "agree")
    return Check(
        "clocks",
        f"differ by {skew:.0f} s",
        Refused("the clocks differ", "Set this host's clock, or the server's, by NTP."),
    )


def _schema(dsn: str) -> Check:
    status = deploy.status(resolve_direct_dsn(dsn))
    deployed = status.deployment.version if status.deployment else "nothing"
    pending = f", pending: {', '.join(status.pending)}" if status.pending else ""
    found = f"{deployed} deployed, {status.state}{pending}"
    if status.state in ("absent", "current", "hidden"):
        return Check("schema", found)
    other = VersionMismatch("the schema is not this officectl's", "officectl db migrate")
    return Check("schema", found, other)
