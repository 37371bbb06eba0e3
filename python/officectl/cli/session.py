"""What the commands share: where the database is, how to show, and the transaction that each command is."""

import difflib
import functools
import json
import math
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

JSON_DEPTH = 200
"""Lists and objects within each other in a JSON option; far less than what Python can write again."""


def not_empty(_context: click.Context, _option: click.Parameter, value: str | None) -> str | None:
    """Callback of an option that names something: what is given empty is given, and names nothing."""
    if value is not None and not value.strip():
        raise click.BadParameter("the name is empty.")
    return value


workspace_option = click.option(
    "-w",
    "--workspace",
    metavar="NAME",
    callback=not_empty,
    help="The workspace; your only one unless said.",
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


def known_name(desk: Office, what: str, name: str | None, query: str) -> None:
    """UsageProblem, with the names that there are, unless it is None or in the only column of `query`."""
    if name is None:
        return
    known = [str(value) for row in desk.execute(query) for value in row.values()]
    if name not in known:
        raise UsageProblem(f'No {what} "{name}".', f"There are {', '.join(known)}.")


def json_object(_context: click.Context, _option: click.Parameter, value: str | None) -> Any:
    """Callback of an option or argument whose value is a JSON object that the database can hold."""
    if value is None:
        return None
    try:
        parsed = json.loads(value, parse_constant=_no_number)
        _refuse_unstorable(parsed)
    except ValueError as error:
        raise click.BadParameter(f"not JSON: {error}.") from None
    except RecursionError:
        raise click.BadParameter("nested too deeply.") from None
    if not isinstance(parsed, dict):
        raise click.BadParameter('not a JSON object, such as {"command": ["/bin/true"]}.')
    return parsed


def _no_number(name: str) -> None:
    """Called for NaN and the infinities, which Python reads and JSON does not know."""
    raise ValueError(f"{name} is no number there")


def _refuse_unstorable(parsed: Any) -> None:
    """What Python's JSON can hold and the database's cannot. Level by level, so that no depth is too much."""
    level = [parsed]
    for _depth in range(JSON_DEPTH):
        inner: list[Any] = []
        for value in level:
            if isinstance(value, dict):
                inner += [*value.keys(), *value.values()]
            elif isinstance(value, list):
                inner += value
            elif isinstance(value, str) and "\0" in value:
                raise click.BadParameter("NUL (\\u0000) is not possible in a text of the database.")
            elif isinstance(value, float) and not math.isfinite(value):
                raise ValueError("a number in it is too large")
        if not inner:
            return
        level = inner
    raise click.BadParameter(f"nested more than {JSON_DEPTH} deep.")


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
