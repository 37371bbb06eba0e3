"""`officectl executor`: what an agent launches, tried without launching it (X4)."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from officectl.cli.session import json_object
from officectl.errors import Refused
from officectl.executors import environment


@click.group("executor")
def command() -> None:
    """Executors: what an agent launches."""


@command.command()
@click.argument("executor", callback=json_object, metavar="JSON")
def check(executor: dict[str, Any]) -> None:
    """Say whether an executor could be launched here: '{"command": ["/usr/bin/env", "true"]}'."""
    found = list(faults(executor))
    if found:
        raise Refused("; ".join(found), "Nothing was launched. Workers on other hosts may see other files.")
    click.echo("It can be launched here.")


def faults(executor: dict[str, Any]) -> Iterator[str]:
    """Why a launch on this host would only fail, a sentence each."""
    words = executor.get("command")
    if not isinstance(words, list) or not words or not all(isinstance(word, str) for word in words):
        yield '"command" must be a list of words, such as ["/bin/ls", "-l"]'
        return
    folder = executor.get("folder")
    where = Path(str(folder)) if folder else Path.home()
    if not where.is_absolute():
        yield f"the folder {where} is not an absolute path"
        return
    if not where.is_dir():
        yield f"the folder {where} does not exist"
        return
    if not os.access(where, os.R_OK | os.X_OK):
        yield f"the folder {where} cannot be entered"
    yield from _program_faults(words[0], where, executor)


def _program_faults(name: str, folder: Path, executor: dict[str, Any]) -> Iterator[str]:
    own = executor.get("environment") or {}
    path = environment.for_program(own)["PATH"]
    program = folder / name if "/" in name else Path(shutil.which(name, path=path) or "")
    if program == Path():
        yield f"the program {name} is not in {path}"
    elif not program.is_file():
        yield f"the program {program} does not exist"
    elif not os.access(program, os.X_OK):
        yield f"the program {program} is not executable"
