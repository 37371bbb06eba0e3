"""What the commands share: where the database is, how to show, and the transaction that each command is."""

import difflib
import functools
import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import psycopg

from officectl.database.connect import connect, find_dsn
from officectl.database.embedded import Cluster, default_folder
from officectl.errors import (
    RETRYABLE,
    OfficeError,
    Refused,
    Unreachable,
    UsageProblem,
    translate,
)
from officectl.office import Office
from officectl.render import Layout

Function = Callable[..., None]

PAUSES = (0.1, 0.5, 2.0)
"""Seconds before each further try of a command that Postgres wants tried again."""

WATCH_SECONDS = 2

workspace_option = click.option(
    "-w", "--workspace", metavar="NAME", help="The workspace; your only one unless said."
)
dry_run_option = click.option(
    "--dry-run", is_flag=True, help="Do it, dispatch, say what would run, and undo everything."
)


@dataclass(frozen=True)
class Session:
    """One command's database and layout. A command takes it as `session`, by `session_options`."""

    dsn: str | None
    layout: Layout

    @contextmanager
    def office(self, *, dry_run: bool = False) -> Iterator[Office]:
        """One transaction, kept at the end and undone by an error.

        With `dry_run` the runs that it would make are named, and everything is undone.
        """
        with connect(database(self.dsn)) as connection:
            try:
                desk = Office(connection)
                if dry_run:
                    with _rehearsal(desk):
                        yield desk
                else:
                    yield desk
                    connection.commit()
            except psycopg.Error as error:
                raise translate(error) from error


def session_options(function: Function) -> Function:
    """Adds --dsn, -o and --json, and gives them to the command as its `session`.

    A command is one transaction, so it is run again when Postgres says "try again".
    """

    @click.option("--dsn", metavar="DSN", help="The database; see `officectl status`.")
    @click.option(
        "-o",
        "--output",
        type=click.Choice(["table", "wide", "json"]),
        default="table",
        show_default=True,
        help="How to show it.",
    )
    @click.option("--json", "fields", metavar="FIELDS", help="As JSON, and only these fields: a,b,c.")
    @functools.wraps(function)
    def command(dsn: str | None, output: str, fields: str | None, **arguments: Any) -> None:
        session = Session(dsn, _layout(output, fields))
        for pause in PAUSES:
            try:
                return function(session=session, **arguments)
            except OfficeError as error:
                if error.code not in RETRYABLE:
                    raise
            time.sleep(pause)
        return function(session=session, **arguments)

    return command


def watchable(function: Function) -> Function:
    """Adds --watch to a command that only looks; it stands below `session_options`."""

    @click.option("--watch", is_flag=True, help=f"Look again every {WATCH_SECONDS} s, until Ctrl-C.")
    @functools.wraps(function)
    def command(watch: bool, **arguments: Any) -> None:
        function(**arguments)
        while watch:
            time.sleep(WATCH_SECONDS)
            click.clear()  # nothing in a pipe
            function(**arguments)

    return command


def database(dsn: str | None) -> str:
    """The DSN that is meant: --dsn, OFFICE_DSN, libpq's variables, else an embedded database that runs.

    The demo's own database comes last. Nothing is made or started; Unreachable when there is none.
    """
    try:
        return find_dsn(dsn)
    except Unreachable:
        demo = Cluster(demo_folder())
        if demo.running:
            return demo.dsn
        raise


def demo_folder() -> Path:
    """Where the demo's database lives, beside the usual one."""
    usual = default_folder()
    return usual.with_name(f"{usual.name}-demo")


def look_up(desk: Office, noun: str, query: str, chosen: str, ref: str) -> dict[str, Any]:
    """The only row of `query` that `chosen` picks by %(ref)s; each row has its name in the column `noun`.

    Refused when there is none, with the name that is meant perhaps; UsageProblem when there are several.
    """
    rows = desk.execute(query + chosen, {"ref": ref})
    if not rows:
        known = [row[noun] for row in desk.execute(query)]
        near = difflib.get_close_matches(ref.rpartition("/")[2], known, n=1)
        hint = f'Did you mean "{near[0]}"?' if near else f"See: officectl {noun} list"
        raise Refused(f'No {noun} "{ref}".', hint, code="not_found", status=404)
    if len(rows) > 1:
        raise UsageProblem(f'There are {len(rows)} called "{ref}".', f"Say workspace/{ref}, or its id.")
    return rows[0]


def json_object(_context: click.Context, _option: click.Parameter, value: str | None) -> Any:
    """Callback of an option or argument whose value is a JSON object."""
    if value is None:
        return None
    try:
        parsed = json.loads(value)
    except ValueError as error:
        raise click.BadParameter(f"not JSON: {error}.") from None
    if not isinstance(parsed, dict):
        raise click.BadParameter('not a JSON object, such as {"command": ["/bin/true"]}.')
    return parsed


def _layout(output: str, fields: str | None) -> Layout:
    if fields is None:
        return Layout(output)
    names = tuple(name.strip() for name in fields.split(",") if name.strip())
    if not names:
        raise UsageProblem("--json wants names of fields.", "All of them come with: -o json")
    return Layout("json", names)


@contextmanager
def _rehearsal(desk: Office) -> Iterator[None]:
    desk.dispatch()
    before = {row["run"] for row in desk.execute("select run from office.up_next")}
    yield
    desk.dispatch()
    after = desk.execute("select run, agent, task from office.up_next")
    desk.connection.rollback()
    for row in after:
        if row["run"] not in before:
            about = f" for {row['task']}" if row["task"] else ""
            click.echo(f"Would run: {row['run']}, {row['agent']}{about}", err=True)
    click.echo("A dry run: nothing was kept.", err=True)
