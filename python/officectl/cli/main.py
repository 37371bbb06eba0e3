"""The program `officectl`: finds the command; an error becomes one line, a hint and an exit code (I8)."""

from __future__ import annotations

import importlib
import logging
import os
import sys
from typing import NoReturn

import click

from officectl import __version__

# What each command is for. Its module, officectl.cli.<name>, is imported only when it is called,
# so that help is there at once.
EVERY_DAY = {
    "demo": "See it work: a database, real agent processes, in one command.",
    "up": "Start everything here: database, schema, scheduler, worker.",
    "serve": "Run the scheduler and a worker on a database that is ready.",
    "status": "Which database, which versions, what runs and what waits.",
    "wake": "Wake an agent.",
    "why": "Tell the story of a run, an agent or a task.",
    "inbox": "What waits for a person.",
    "answer": "Answer what an agent asks.",
    "stop": "Stop runs of anything that can be named.",
    "pause": "Hold an agent, a workspace, or everything.",
    "resume": "Let it work again.",
    "retry": "Run what failed again.",
    "wait": "Wait until something has ended.",
    "logs": "What a run printed and did.",
    "psql": "Open psql on the office's database.",
    "doctor": "Say yes or no to everything that officectl needs of a database.",
}
NOUNS = {
    "account": "People and programs that use the office.",
    "agent": "Agents: who does the work.",
    "budget": "Budgets: what may be spent, and what is.",
    "db": "The database: make, migrate, back up, grant.",
    "decision": "Decisions: what people are asked, and what they answered.",
    "demo-agent": "A small agent program that works without any model.",
    "executor": "How agents' programs are launched.",
    "maintenance": "The office's own scheduled work.",
    "profile": "Profiles: executors that several agents share.",
    "project": "Projects: where the work lies.",
    "provider": "Provider accounts: holds and limits.",
    "routine": "Routines: what agents do again and again.",
    "run": "Runs: one piece of work each.",
    "session": "Agent sessions: what an agent and a task have with each other.",
    "setting": "Settings: of the office, and of each workspace.",
    "task": "Tasks: what there is to do.",
    "worker": "Workers: the processes that launch agents' programs.",
    "workspace": "Workspaces: offices within the office.",
    "worktree": "Worktrees: where agents work side by side on one repository.",
}

_MODULES = {"session": "agent_session"}
"""Commands whose module is not named after them: `officectl.cli.session` is what all commands share."""

_INTERRUPTED = 130
_BUG = 70  # sysexits.h: internal software error


class _Commands(click.Group):
    """The commands by name, each imported when it is called."""

    def list_commands(self, _context: click.Context) -> list[str]:
        return [*EVERY_DAY, *NOUNS]

    def get_command(self, _context: click.Context, name: str) -> click.Command | None:
        if name not in EVERY_DAY and name not in NOUNS:
            return None
        module = importlib.import_module(f"officectl.cli.{_MODULES.get(name, name.replace('-', '_'))}")
        command = module.command
        assert isinstance(command, click.Command)
        return command

    def resolve_command(
        self, context: click.Context, arguments: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            return super().resolve_command(context, arguments)
        except click.NoSuchCommand as error:
            known = self.list_commands(context)
            raise click.NoSuchCommand(error.command_name, possibilities=known, ctx=context) from None

    def format_commands(self, _context: click.Context, formatter: click.HelpFormatter) -> None:
        for title, commands in (("Every day", EVERY_DAY), ("Nouns", NOUNS)):
            with formatter.section(title):
                formatter.write_dl(list(commands.items()))

    def parse_args(self, context: click.Context, arguments: list[str]) -> list[str]:
        """What is said before the command counts for the command: `officectl -o json task list`."""
        super().parse_args(context, arguments)
        for option, name in (("--output", "output"), ("--json", "fields")):
            if context.params.get(name):
                context.args += [option, context.params[name]]
        return context.args


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="officectl", message="%(prog)s %(version)s")
@click.option("--dsn", metavar="DSN", help="The database; else OFFICE_DSN, else libpq's variables.")
@click.option(
    "-o", "--output", type=click.Choice(["table", "wide", "json"]), help="How to show it; table unless said."
)
@click.option("--json", "fields", metavar="FIELDS", help="As JSON, and only these fields: a,b,c.")
def command(dsn: str | None, output: str | None, fields: str | None) -> None:
    """An office of autonomous agents whose scheduler is PostgreSQL itself."""
    del output, fields  # handed on to the command by parse_args
    if dsn:
        os.environ["OFFICE_DSN"] = dsn


def main() -> NoReturn:
    """The console script. Ends the process with an exit code of I8; OFFICE_DEBUG=1 shows tracebacks."""
    # What psycopg logs of broken connections our own errors tell, unless somebody sets up logging.
    logging.getLogger("psycopg").addHandler(logging.NullHandler())
    try:
        _refuse_undecodable(sys.argv[1:])
        code = command.main(prog_name="officectl", standalone_mode=False)
        sys.stdout.flush()
    except BrokenPipeError:
        # Whoever read the output has seen enough. Python must not try to flush it again at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except Exception as error:
        if os.environ.get("OFFICE_DEBUG"):
            raise
        sys.exit(_tell(error))
    sys.exit(code if isinstance(code, int) else 0)


def _refuse_undecodable(arguments: list[str]) -> None:
    """Bytes that are no text reach us as lone surrogates, which no database and no terminal takes."""
    for argument in arguments:
        try:
            argument.encode()
        except UnicodeEncodeError:
            shown = argument.encode(errors="backslashreplace").decode()
            raise click.UsageError(f"An argument is not UTF-8: {shown}") from None


def _tell(error: Exception) -> int:
    """Say on stderr what went wrong; returns the exit code."""
    if isinstance(error, click.Abort):
        if isinstance(error.__cause__, KeyboardInterrupt):
            return _INTERRUPTED
        return _say("nothing was done", None, 1)
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        error.show()
        return error.exit_code
    if isinstance(error, click.ClickException):
        context = error.ctx if isinstance(error, click.UsageError) else None
        hint = f"{context.command_path} --help" if context else None
        return _say(error.format_message(), hint, error.exit_code)

    import psycopg

    from officectl.errors import OfficeError, translate

    if isinstance(error, psycopg.Error):
        error = translate(error)
    if isinstance(error, OfficeError):
        return _say(error.message, error.hint, error.exit_code)
    if isinstance(error, OSError) and error.strerror:
        return _say(f"{error.filename}: {error.strerror}" if error.filename else error.strerror, None, 1)
    return _say(
        f"{type(error).__name__}: {error}",
        "This is a fault of officectl's. OFFICE_DEBUG=1 shows where.",
        _BUG,
    )


def _say(message: str, hint: str | None, code: int) -> int:
    click.echo(f"officectl: {message}", err=True)
    if hint:
        click.echo(f"hint: {hint}", err=True)
    return code


if __name__ == "__main__":
    main()
