"""`officectl up`: the whole office in one process, for one machine."""

import asyncio
import signal
from pathlib import Path

import click

from officectl.cli.startup import bring_up_to_date, expire_dead_workers, start_embedded
from officectl.database.connect import place, resolve_dsn
from officectl.database.embedded import Cluster, default_folder
from officectl.service.journal import log_to_stderr
from officectl.service.serve import serve_until_signalled


@click.command("up")
@click.option("--dsn", metavar="DSN", help="Your database; without one an embedded one is made.")
@click.option(
    "--folder",
    type=click.Path(file_okay=False, path_type=Path),
    help="Where the embedded database lives.",
)
@click.option("--max-runs", type=click.IntRange(1), default=4, show_default=True, help="Runs at once here.")
@click.option("--leave-database", is_flag=True, help="Let the embedded database run on at the end.")
def command(dsn: str | None, folder: Path | None, max_runs: int, leave_database: bool) -> None:
    """Start the office: database, schema, scheduler and worker, until Ctrl-C."""
    named = resolve_dsn(dsn)
    if folder is not None and named is not None:
        raise click.UsageError("--folder is for an embedded database, and another one is named.")
    # Until the service takes the signals over, TERM ends this as Ctrl-C does: no database is left behind.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    if named is not None:
        bring_up_to_date(named)
        _serve(named, max_runs)
        return
    chosen = folder or default_folder()
    with Cluster(chosen).held():
        cluster = start_embedded(chosen)
        try:
            bring_up_to_date(cluster.dsn)
            expire_dead_workers(cluster.dsn)
            _serve(cluster.dsn, max_runs, f"In another terminal: officectl status, or psql '{cluster.dsn}'")
        finally:
            if not leave_database:
                cluster.stop()
                click.echo("PostgreSQL is stopped")


def _serve(dsn: str, max_runs: int, *notes: str) -> None:
    click.echo(f"The office is open on {place(dsn)}; Ctrl-C closes it")
    for note in notes:
        click.echo(note)
    log_to_stderr()
    asyncio.run(serve_until_signalled(dsn, max_runs=max_runs))
