"""The demo with a real agent program: its agent, its work, its model, and the person who answers it."""

import shlex
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

import click

from officectl.agent.loopback import Endpoint, Mind, settings_for
from officectl.cli.demo_office import WORKSPACE, make_agent, make_workspace
from officectl.errors import OfficeError
from officectl.executors.engines import ENGINES
from officectl.office import Json, Office

ROUTINE = "greet"
FILE = "greeting.txt"
FIRST = "Ask first whether you may, by this command; then write the file."
ASK = "Shall I leave a greeting?"
OFFICECTL = shlex.join((sys.executable, "-m", "officectl"))
COMMAND = (
    f"{OFFICECTL} agent ask {shlex.quote(ASK)} --wait && echo Hello > {FILE} && {OFFICECTL} agent complete"
)


@dataclass
class Program:
    """One agent program: `command` starts it; `preset`, where its manners are known, else it speaks ACP."""

    name: str
    command: tuple[str, ...]
    preset: str | None
    own_account: bool
    _mind: Mind = field(default_factory=lambda: Mind(command=COMMAND, when=FIRST))
    _endpoint: Endpoint = field(init=False)

    def __post_init__(self) -> None:
        self._endpoint = Endpoint(self._mind)

    @classmethod
    def named(cls, given: str, *, own_account: bool) -> Self:
        """By the word of --agent; OfficeError: there is no such program, or it is not installed."""
        if given.startswith("acp:"):
            words = tuple(shlex.split(given.removeprefix("acp:")))
            preset = None
        else:
            words = (ENGINES[given].program,) if given in ENGINES else ()
            preset = given
        if not words:
            raise OfficeError(
                f'There is no agent program "{given}".', f"One of {', '.join(ENGINES)}, or acp:'COMMAND'."
            )
        if shutil.which(words[0]) is None:
            raise OfficeError(f"{words[0]} is not installed.", f"Install it, so that `{words[0]}` starts it.")
        return cls(Path(words[0]).name, words, preset, own_account)

    def furnish(self, desk: Office, folder: Path, place: Path) -> None:
        """Its agent, a routine that is fired, and a task; `place`: where a home of its own may be."""
        make_workspace(desk)
        executor: Json = {"folder": str(folder), "environment": self._settings(place)}
        if self.preset:
            executor |= {"preset": self.preset, "permissions": "all"}
        else:
            executor |= {"kind": "acp", "command": list(self.command), "permissions": "ask"}
        make_agent(desk, self.name, {"executor": executor, "cooldown_sec": 0})
        routine = f"{ROUTINE}-{self.name}"
        if not desk.execute("select from office.routines where name = %s and deleted_at is null", (routine,)):
            desk.create_routine(
                routine, self.name, description="Say hello, and what day it is.", workspace=WORKSPACE
            )
        desk.fire_routine(f"{WORKSPACE}/{routine}")
        desk.create_task(
            f"Leave a greeting in {FILE}",
            f"{FIRST}\n\n{COMMAND}",
            assignee=self.name,
            workspace=WORKSPACE,
        )
        click.echo(f"Workspace {WORKSPACE}: agent {self.name}, a routine, a task; folder {folder}")

    def _settings(self, place: Path) -> dict[str, str]:
        if self.own_account:
            return {}
        home = place / "home"
        home.mkdir(exist_ok=True)
        return settings_for(self.name, home, self._endpoint.url)

    @contextmanager
    def model(self) -> Iterator[None]:
        """The model on loopback, as long as the office works."""
        with self._endpoint:
            yield

    def answer(self, desk: Office) -> None:
        """Answer what it asks by the first choice, as a person would who has nothing against it."""
        for asked in desk.execute(
            "select decision, prompt, choices from office.needs_me where workspace = %s", (WORKSPACE,)
        ):
            choice = asked["choices"][0]["id"]
            click.echo(f"        {asked['decision']} asks: {asked['prompt']}  You answer: {choice}")
            desk.answer(asked["decision"], choice, through="cli")
