"""`officectl psql`: Postgres's own shell on the office's database."""

import os
import shutil
from typing import Any

import click
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from officectl.cli.session import database
from officectl.database.binaries import find_binaries
from officectl.errors import OfficeError


@click.command("psql", context_settings={"ignore_unknown_options": True})
@click.option("--dsn", metavar="DSN", help="The database; see `officectl status`.")
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def command(dsn: str | None, arguments: tuple[str, ...]) -> None:
    """Open psql on the office's database; further arguments are psql's own."""
    parts: dict[str, Any] = conninfo_to_dict(database(dsn))
    password = parts.pop("password", None)
    environment = dict(os.environ)
    if password is not None:
        # Every user of the machine can read a program's arguments, but not its environment.
        environment["PGPASSWORD"] = str(password)
    program = _program()
    os.execve(program, [program, "--dbname", make_conninfo(**parts), *arguments], environment)


def _program() -> str:
    try:
        return str(find_binaries().program("psql"))
    except OfficeError:
        found = shutil.which("psql")
        if found is None:
            raise
        return found
