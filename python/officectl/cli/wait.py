"""`officectl wait REF`: for scripts that go on when an agent has done its work."""

import time

import click

from officectl.cli.session import Session, session_options
from officectl.office import ResultRow
from officectl.render import show_record

POLL_SECONDS = 0.5
TIMED_OUT = 1
EXIT_CODES = {"succeeded": 0, "waiting": 6, "interrupted": 6, "blocked": 6}
"""By the result of a run; 6 needs a person. Every other end is 1."""


@click.command("wait")
@click.argument("ref")
@click.option(
    "--for", type=click.Choice(["finished"]), default="finished", show_default=True, expose_value=False
)
@click.option("--timeout", type=click.FloatRange(0), metavar="SECONDS", help="Give up after so long.")
@session_options
def command(session: Session, ref: str, timeout: float | None) -> None:
    """Wait for the end of a wakeup, a run, or a task's latest run.

    Exit code 0: it succeeded; 1: it did not, or the time is over; 6: it needs a person.
    """
    give_up_at = None if timeout is None else time.monotonic() + timeout
    with session.office() as desk:
        while True:
            row = desk.result(ref)
            desk.connection.commit()
            if _settled(row):
                break
            if give_up_at is not None and time.monotonic() >= give_up_at:
                click.echo(f"{ref} has not ended within {timeout:g} s; it is {row['status']}.", err=True)
                raise SystemExit(TIMED_OUT)
            time.sleep(POLL_SECONDS)
    show_record(row, layout=session.layout)
    raise SystemExit(EXIT_CODES.get(row["result"] or "", 1))


def _settled(row: ResultRow) -> bool:
    return row["ended_at"] is not None or row["result"] in EXIT_CODES
