"""`officectl logs RUN`: what its program reported."""

import time

import click

from officectl.cli.run import find_run
from officectl.cli.session import Session, session_options
from officectl.errors import UsageProblem
from officectl.office import Json, Office
from officectl.render import show_json, text

POLL_SECONDS = 0.5

FIELDS = ("attempt", "sequence", "at", "kind", "content")

STEPS = """
select at.number as attempt, s.sequence, s.at, s.kind, office.preview(s.content) as content
from office.attempt_steps s
join office.attempts at on at.id = s.attempt_id
where at.run_id = %(run_id)s and (at.number, s.sequence) > (%(attempt)s, %(sequence)s)
order by at.number, s.sequence
"""


@click.command("logs")
@click.argument("run")
@click.option("-f", "--follow", is_flag=True, help="Go on until the run has ended.")
@session_options
def command(session: Session, run: str, follow: bool) -> None:
    """What a run's program reported, in order, without what looks like a secret."""
    for name in session.layout.fields or ():
        if name not in FIELDS:  # said also where no row is there to show it
            raise UsageProblem(f"No field {name} here.", f"The fields are {', '.join(FIELDS)}.")
    with session.office() as desk:
        found = find_run(desk, run)
        if session.layout.json:
            show_json(_steps(desk, found, (0, -1)), session.layout)
            return
        shown = (0, -1)
        while True:
            ended = find_run(desk, found["run"])["ended_at"] is not None
            for step in _steps(desk, found, shown):
                if step["attempt"] != shown[0] and step["attempt"] > 1:
                    click.secho(f"attempt {step['attempt']}", bold=True)
                _print(step)
                shown = (step["attempt"], step["sequence"])
            desk.connection.commit()
            if ended or not follow:
                return
            time.sleep(POLL_SECONDS)


def _steps(desk: Office, run: Json, after: tuple[int, int]) -> list[Json]:
    """The steps of all attempts that come after (attempt, sequence)."""
    return desk.execute(STEPS, {"run_id": run["run_id"], "attempt": after[0], "sequence": after[1]})


def _print(step: Json) -> None:
    """Output as it came; what an engine reported with its kind before it."""
    label = "" if step["kind"] == "output" else click.style(f"[{step['kind']}] ", dim=True)
    click.echo(label + text(step["content"]).rstrip("\n"))
