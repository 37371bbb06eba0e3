"""`officectl wait REF`: for scripts that go on when an agent has done its work."""

import time

import click

from officectl.cli.session import Session, session_options
from officectl.render import show_record

POLL_SECONDS = 0.5
SUCCEEDED, DID_NOT, NEEDS_PERSON = 0, 1, 6


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
            end = desk.settled(ref)
            desk.connection.commit()
            if end["settled"] or end["needs_person"]:
                break
            if give_up_at is not None and time.monotonic() >= give_up_at:
                click.echo(f"{ref} has not ended within {timeout:g} s; it is {end['result']}.", err=True)
                raise SystemExit(DID_NOT)
            time.sleep(POLL_SECONDS)
        row = desk.result(ref)
    show_record(row, layout=session.layout)
    raise SystemExit(NEEDS_PERSON if end["needs_person"] else SUCCEEDED if end["succeeded"] else DID_NOT)
