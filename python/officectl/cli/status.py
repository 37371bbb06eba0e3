"""`officectl status`: which office this is, and how it fares."""

import click

from officectl import __version__
from officectl.cli.session import Session, database, session_options, watchable
from officectl.database.deploy import status as deployed_status
from officectl.database.embedded import cluster_at
from officectl.render import show_record

COUNTS = """
select
  (
    select count(*) from office.workers k where k.ended_at is null and k.lease_until > office.now()
  ) as workers,
  (
    select count(*) from office.runs r join office.run_states s on s.status = r.status where s.live
  ) as runs_live,
  (select count(*) from office.runs r where r.status = 'queued') as runs_queued,
  (select count(*) from office.agents a where a.deleted_at is null) as agents,
  (
    select count(*) from office.tasks t join office.task_states s on s.state = t.state
    where not s.closed and t.archived_at is null and t.deleted_at is null
  ) as tasks_open,
  (select count(*) from office.needs_me) + (select count(*) from office.inbox) as needs_a_person,
  (select count(*) from office.stuck) as stuck
"""


@click.command("status")
@session_options
@watchable
def command(session: Session) -> None:
    """Which host, database and version this is, who works, and what waits.

    The database is, in this order: --dsn, OFFICE_DSN, libpq's variables (PGHOST, PGSERVICE, …), and the
    embedded one of `officectl up` where it runs.
    """
    dsn = database(session.dsn)
    found = deployed_status(dsn)
    row = {
        "place": found.place,
        "database": found.database,
        "user": found.user,
        "server": f"PostgreSQL {found.server_version}",
        "embedded": cluster_at(dsn) is not None,
        "officectl": __version__,
        "schema": found.deployment.version if found.deployment else "not deployed",
        "pending_migrations": list(found.pending),
    }
    if found.deployment:
        with session.office() as desk:
            row |= desk.execute(COUNTS)[0]
    show_record(row, layout=session.layout)
    if not found.deployment:
        click.echo("Deploy the schema with: officectl db migrate", err=True)
