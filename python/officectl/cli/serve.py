"""`officectl serve`: scheduler and worker on a database that is ready."""

import asyncio
import importlib.util
import socket

import click

from officectl.cli.session import not_empty
from officectl.database.connect import find_dsn
from officectl.database.deploy import status
from officectl.errors import UsageProblem, VersionMismatch
from officectl.service.journal import log_to_stderr
from officectl.service.serve import GRACE_SECONDS, serve_until_signalled

HTTP_ADDRESS = "127.0.0.1:8484"

UNFIT = {
    "absent": "There is no office in {place} yet.",
    "behind": "The office in {place} is older than this officectl, {version}.",
    "other": "The office in {place} is newer than this officectl, {version}, or was changed by hand.",
}
"""By state of the deployment. One under way is waited for; of a hidden one the first claim tells."""


@click.command("serve")
@click.option("--dsn", metavar="DSN", help="The database; else OFFICE_DSN, else libpq's variables.")
@click.option(
    "--max-runs", type=click.IntRange(1, 1000), default=4, show_default=True, help="Runs at once here."
)
@click.option(
    "--grace",
    type=click.FloatRange(0),
    default=GRACE_SECONDS,
    show_default=True,
    metavar="SECONDS",
    help="How long runs may go on after INT or TERM; a second signal ends the grace.",
)
@click.option("--workspace", metavar="NAME", callback=not_empty, help="Claim for this workspace only.")
@click.option("--no-ticker", is_flag=True, help="Only a worker; another process schedules.")
@click.option("--no-worker", is_flag=True, help="Only the scheduler; other processes launch.")
@click.option(
    "--http",
    is_flag=False,
    flag_value=HTTP_ADDRESS,
    metavar="[HOST:]PORT",
    help=f"Serve webhooks, health and metrics over HTTP as well; alone: on {HTTP_ADDRESS}.",
)
def command(
    dsn: str | None,
    max_runs: int,
    grace: float,
    workspace: str | None,
    no_ticker: bool,
    no_worker: bool,
    http: str | None,
) -> None:
    """Run the office on a database that is deployed; never changes its schema.

    Any number of these may run, on any number of hosts. INT or TERM ends one in good order.
    """
    if no_ticker and no_worker and http is None:
        raise click.UsageError(
            "With --no-ticker and --no-worker, and without --http, there is nothing to do."
        )
    chosen = find_dsn(dsn)
    deployed = status(chosen)
    if deployed.state in UNFIT:
        told = UNFIT[deployed.state].format(place=deployed.place, version=deployed.package_version)
        raise VersionMismatch(told, "Look at officectl db status, then: officectl db migrate")
    listening = listen_at(http) if http is not None else None
    log_to_stderr()
    asyncio.run(
        serve_until_signalled(
            chosen,
            max_runs=max_runs,
            grace=grace,
            workspace=workspace,
            ticker=not no_ticker,
            worker=not no_worker,
            http=listening,
        )
    )


def listen_at(address: str) -> socket.socket:
    """A socket that listens at [HOST:]PORT, on loopback unless told otherwise (I10); UsageProblem."""
    if not all(map(importlib.util.find_spec, ("starlette", "uvicorn"))):
        raise UsageProblem("HTTP needs more libraries.", "pip install 'officectl[http]'")
    host, _, port = address.rpartition(":")
    if not port.isdecimal() or int(port) > 65535:
        raise UsageProblem(
            f'"{address}" is no address.', f"Give a port, or a host and a port: {HTTP_ADDRESS}"
        )
    host = host.strip("[]") or "127.0.0.1"
    try:
        family = socket.getaddrinfo(host, int(port), type=socket.SOCK_STREAM)[0][0]
        return socket.create_server((host, int(port)), family=family)
    except OSError as error:
        raise UsageProblem(f"Nothing can listen at {host}:{port}: {error.strerror}.") from error
