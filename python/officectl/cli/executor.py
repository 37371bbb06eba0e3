"""`officectl executor`: what an agent launches, tried without launching it (X4).

Its shape is the database's to judge, by `office.check_executor`; here only this host's files are looked at.
"""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from officectl.cli.session import Session, json_object, session_options
from officectl.errors import Refused, Unreachable
from officectl.executors import environment


@click.group("executor")
def command() -> None:
    """Executors: what an agent launches."""


@command.command()
@click.argument("executor", callback=json_object, metavar="JSON")
@session_options
def check(session: Session, executor: dict[str, Any]) -> None:
    """Say whether an executor could be launched here: '{"command": ["/usr/bin/env", "true"]}'."""
    try:
        with session.office() as desk:
            desk.check_executor(executor)
    except Unreachable:
        click.echo("No database was asked: only what is on this host was looked at.", err=True)
    found = list(faults(executor))
    if found:
        raise Refused("; ".join(found), "Nothing was launched. Workers on other hosts may see other files.")
    click.echo("It can be launched here.")


def faults(executor: dict[str, Any]) -> Iterator[str]:
    """Why a launch on this host would only fail, a sentence each."""
    folder = Path(str(executor.get("folder") or Path.home()))
    if not folder.is_dir():
        yield f"the folder {folder} does not exist"
        return
    if not os.access(folder, os.R_OK | os.X_OK):
        yield f"the folder {folder} cannot be entered"
    match executor.get("command"):
        case [str(name), *_]:
            yield from _program_faults(name, folder, executor)
        case _:
            yield "it names no program"


def _program_faults(name: str, folder: Path, executor: dict[str, Any]) -> Iterator[str]:
    own = executor.get("environment")
    path = environment.for_program(own if isinstance(own, dict) else {})["PATH"]
    program = folder / name if "/" in name else Path(shutil.which(name, path=path) or "")
    if program == Path():
        yield f"the program {name} is not in {path}"
    elif not program.is_file():
        yield f"the program {program} does not exist"
    elif not os.access(program, os.X_OK):
        yield f"the program {program} is not executable"
