"""K5: one tick over many schedules, a thousand of them due; and one that finds nothing due."""

from __future__ import annotations

import statistics
import time
from dataclasses import dataclass

import psycopg
from server import Connection

TRIGGERS, DUE = 100_000, 1_000
WORKSPACES = 100
ROUNDS = 5
IDLE = 500  # ticks that find nothing due

FURNISH = """
set session_replication_role = replica;
create temporary table agents as
select a.id, a.workspace_id, row_number() over (order by a.id) - 1 as nth from office.agents as a;
insert into office.routines (workspace_id, name, description, assignee_agent_id, task_template)
select a.workspace_id, 'routine ' || n, 'Look around.', a.id,
  case when %(tasks)s then '{"title": "Report of {{date}}"}'::jsonb else '{}' end
from generate_series(1, %(triggers)s) as n
join agents as a on a.nth = n %% %(workspaces)s;
insert into office.routine_triggers (workspace_id, routine_id, kind, expression, timezone, cron, next_run_at)
select r.workspace_id, r.id, 'schedule', e.expression, e.zone, e.cron, now() + interval '1 day'
from office.routines as r
join (
  select e.*, office_internal.parse_cron(e.expression) as cron, row_number() over () as nth
  from (values ('*/5 * * * *', 'UTC'), ('30 9 * * mon-fri', 'Europe/Berlin'), ('0 * * * *', 'Asia/Kathmandu'))
    as e (expression, zone)
) as e on e.nth = 1 + substr(r.name, 9)::integer %% 3;
set session_replication_role = origin;
"""

MAKE_DUE = """
update office.routine_triggers as t
set next_run_at = date_trunc('minute', now())
where t.id = any(array(
  select c.id
  from office.routine_triggers as c
  where c.next_run_at > now() and c.last_fired_at is null
  limit %(due)s
))
"""


@dataclass
class Ticks:
    """Milliseconds of one tick."""

    fires: float
    idle: float
    wrote: bool


def tick(dsn: str, *, tasks: bool) -> Ticks:
    """Medians: ticks that fire `DUE` routines, with a task each or not, and ticks with nothing due."""
    with psycopg.connect(dsn, autocommit=True) as conn:
        for n in range(WORKSPACES):
            conn.execute("select office.create_workspace(%s)", [f"w{n}"])
            conn.execute(
                "select office.create_agent('a', '{\"command\": [\"true\"]}', workspace => %s)", [f"w{n}"]
            )
        furnish = psycopg.ClientCursor(conn)
        numbers = {"triggers": TRIGGERS, "workspaces": WORKSPACES, "tasks": tasks}
        furnish.execute(FURNISH.encode(), numbers)
        conn.execute("vacuum analyze")
        fires = [fire(conn) for _ in range(ROUNDS)]
        idle = []
        for _ in range(IDLE):
            start = time.perf_counter()
            conn.execute("select * from office.tick()").fetchone()
            idle.append(1e3 * (time.perf_counter() - start))
        with conn.transaction():
            conn.execute("select * from office.tick()")
            (wrote,) = conn.execute("select pg_current_xact_id_if_assigned() is not null").fetchone() or (
                True,
            )
    return Ticks(statistics.median(fires), statistics.median(idle), wrote)


def fire(conn: Connection) -> float:
    conn.execute(MAKE_DUE.encode(), {"due": DUE})
    start = time.perf_counter()
    row = conn.execute("select fired, failed from office.tick()").fetchone()
    taken = 1e3 * (time.perf_counter() - start)
    assert row == (DUE, 0), row
    return taken
