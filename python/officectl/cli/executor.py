"""`officectl executor`: what an agent launches, tried without a run (X4).

Its shape is the database's to judge, by `office.check_executor`; here only this host's files are looked at.
"""

import contextlib
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from officectl.cli.session import Session, json_object, session_options
from officectl.errors import Refused, Unreachable
from officectl.executors import environment
from officectl.executors.engine import engine_of
from officectl.executors.engines import Engine

ANSWER_SECONDS = 30.0
"""How long an engine may take to say something about itself."""


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
    engine = engine_of(executor)
    if engine and not found:
        found = list(_engine_faults(engine, executor))
    if found:
        raise Refused("; ".join(found), "No run was made. Workers on other hosts may see other files.")
    click.echo("It can be launched here.")


def faults(executor: dict[str, Any]) -> Iterator[str]:
    """Why a launch on this host would only fail, a sentence each."""
    folder = Path(str(executor.get("folder") or Path.home()))
    if not folder.is_dir():
        yield f"the folder {folder} does not exist"
        return
    if not os.access(folder, os.R_OK | os.X_OK):
        yield f"the folder {folder} cannot be entered"
    engine = engine_of(executor)
    match executor.get("command", [engine.program] if engine else None):
        case [str(name), *_]:
            yield from _program_faults(name, folder, executor)
        case _:
            yield "it names no program"


def _engine_faults(engine: Engine, executor: dict[str, Any]) -> Iterator[str]:
    """What an engine says of itself."""
    command = list(executor.get("command", [engine.program]))
    version = _ask(engine, executor, [*command, "--version"])
    if version is None or version.returncode != 0:
        yield f"{engine.name} does not tell its version"
        return
    click.echo(f"{engine.name}: {version.stdout.strip().splitlines()[0] if version.stdout.strip() else '?'}")
    login = engine.login and _ask(engine, executor, [*command, *engine.login])
    if login and login.returncode != 0:
        if engine.own_providers:
            click.echo(f"Note: {engine.name} is not logged in; with a provider of its own it need not be.")
        else:
            yield f"{engine.name} is not logged in"


def _ask(
    engine: Engine, executor: dict[str, Any], command: list[str]
) -> subprocess.CompletedProcess[str] | None:
    known = environment.for_program(
        executor.get("environment", {}), pass_on=(*executor.get("pass_environment", ()), *engine.passed)
    )
    # The program is looked for in its own PATH, not in ours.
    command[0] = shutil.which(command[0], path=known["PATH"]) or command[0]
    with contextlib.suppress(OSError, subprocess.TimeoutExpired):
        return subprocess.run(
            command,
            cwd=executor.get("folder"),
            env=known,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=ANSWER_SECONDS,
            check=False,
        )
    return None


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
