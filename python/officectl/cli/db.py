"""`officectl db`: the database itself."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from officectl.cli import psql
from officectl.cli.session import Session, database, session_options
from officectl.database import backup as dumps
from officectl.database import deploy, grants
from officectl.database.connect import place, resolve_dsn
from officectl.database.embedded import Cluster, default_folder
from officectl.database.sqlfiles import ROLES
from officectl.errors import UsageProblem
from officectl.render import show_record

dsn_option = click.option("--dsn", metavar="DSN", help="The database; see `officectl status`.")
single_role_option = click.option(
    "--single-role/--no-single-role",
    default=None,
    help="Make no roles: the owner stands for all four. As deployed unless said.",
)
prefix_option = click.option(
    "--role-prefix", metavar="PREFIX", help="First word of the four roles' names; as deployed, else office."
)
yes_option = click.option("--yes", is_flag=True, help="Do not ask.")


@click.group("db")
def command() -> None:
    """The database: make, migrate, look, back up, grant."""


@command.command()
@dsn_option
@click.option(
    "--folder",
    type=click.Path(path_type=Path, file_okay=False),
    help="Where the embedded database lives; its usual folder unless said.",
)
@single_role_option
@prefix_option
def init(dsn: str | None, folder: Path | None, single_role: bool | None, role_prefix: str | None) -> None:
    """Make an office: in the database that is named, else in an embedded one that is made and started."""
    named = resolve_dsn(dsn)
    if folder is not None and named is not None:
        raise click.UsageError("--folder is for an embedded database, and another one is named.")
    if named is None:
        click.echo("Starting the embedded database.", err=True)
        named = Cluster(folder or default_folder()).ensure()
    _migrate(named, single_role, role_prefix)
    click.echo(f"The database is at: {place(named)}")


@command.command()
@dsn_option
@single_role_option
@prefix_option
def migrate(dsn: str | None, single_role: bool | None, role_prefix: str | None) -> None:
    """Bring the schema to this version of officectl. Safe at any time, and again."""
    _migrate(database(dsn), single_role, role_prefix)


@command.command()
@session_options
def status(session: Session) -> None:
    """What is deployed, and what a migrate would do."""
    found = deploy.status(database(session.dsn))
    deployed = found.deployment
    show_record(
        {
            "place": found.place,
            "database": found.database,
            "user": found.user,
            "server": f"PostgreSQL {found.server_version}",
            "officectl": found.package_version,
            "deployed": deployed.version if deployed else None,
            "state": found.state,
            "pending": list(found.pending),
            "edited": list(found.edited),
            "unknown": list(found.unknown),
            "role_prefix": deployed.role_prefix if deployed else None,
            "single_role": deployed.single_role if deployed else None,
        },
        layout=session.layout,
    )


@command.command("sql")
@dsn_option
@click.option("--empty", is_flag=True, help="For an empty database, without looking at any.")
@single_role_option
@prefix_option
def sql_(dsn: str | None, empty: bool, single_role: bool | None, role_prefix: str | None) -> None:
    """Print what a migrate would run, as a script for psql."""
    named = None if empty else database(dsn)
    click.echo(deploy.script(named, single_role=single_role, role_prefix=role_prefix), nl=False)


@command.command()
@dsn_option
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
def backup(dsn: str | None, file: Path) -> None:
    """Write the whole office into FILE, by pg_dump."""
    dumps.backup(database(dsn), file)
    click.echo(f"Written: {file} ({file.stat().st_size:,} bytes)")


@command.command()
@dsn_option
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@single_role_option
@prefix_option
@yes_option
def restore(
    dsn: str | None, file: Path, single_role: bool | None, role_prefix: str | None, yes: bool
) -> None:
    """Put the office in FILE into the database. An office that is there is replaced, after asking."""
    named = database(dsn)
    replace = dumps.holds_office(named)
    if replace and not yes:
        _confirm(f"Drop the office at {place(named)} and put {file} in its place")
    dumps.restore(named, file, replace=replace, single_role=single_role, role_prefix=role_prefix)
    click.echo(f"Restored: {file}")


@command.command()
@dsn_option
@click.argument("login")
@click.option("--role", type=click.Choice(ROLES), help="What the login may do.")
@click.option(
    "--gateway",
    type=click.Choice(["act_as", "claims", "token"]),
    help="It speaks for others: by account, by JWT claims, by token.",
)
@click.option("--account", metavar="NAME", help="It speaks for this account, made if need be.")
def grant(dsn: str | None, login: str, role: str | None, gateway: str | None, account: str | None) -> None:
    """Let a LOGIN of the server use the office."""
    if not (role or gateway or account):
        raise click.UsageError("Say what to grant: --role, --gateway, --account.")
    grants.grant(database(dsn), login, role=role, gateway=gateway, account=account)
    click.echo(f"Granted to {login}: {', '.join(filter(None, (role, gateway, account)))}")


command.add_command(psql.command, "psql")


def _confirm(question: str) -> None:
    """Ask; where nobody can answer, only --yes does."""
    if not sys.stdin.isatty():
        raise UsageProblem(f"{question}? Nobody is there to ask.", "Answer with --yes.")
    click.confirm(question, abort=True, err=True)


def _migrate(dsn: str, single_role: bool | None, role_prefix: str | None) -> None:
    report = deploy.migrate(
        dsn,
        single_role=single_role,
        role_prefix=role_prefix,
        progress=lambda line: click.echo(line, err=True),
    )
    for dropped in report.dropped:
        click.echo(f"No file defines it any more: {dropped}", err=True)
    before = f" (was {report.previous})" if report.previous not in (None, report.version) else ""
    click.echo(f"Deployed: officectl {report.version}{before}, {len(report.migrations)} new migrations")
