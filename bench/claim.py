"""K2: the time of one claim while many runs are queued that cannot start. The statistics stay old."""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import psycopg
from furnish import Worker, wake
from server import Connection
from waiting import FREE, HOME, Waiting, queue

PLAIN_QUERIES = 5
AUDITED = 2_000  # more rows than this are not audited: it reads everything

# One query over a join, as queues are often written: it reads, and sorts, all that waits in front.
PLAIN_QUERY = """
select r.id
from office.runs as r
join office.agents as a on a.id = r.agent_id
join office_internal.lanes as l on l.agent_id = a.id
join office_internal.gates as g on g.workspace_id = r.workspace_id
left join office.tasks as t on t.id = r.task_id
where r.status = 'queued'
  and (r.scheduled_retry_at is null or r.scheduled_retry_at <= now())
  and r.parked is null
  and a.status = 'active' and a.deleted_at is null and not g.paused
  and (
    l.last_wakeup_finished_at is null
    or l.last_wakeup_finished_at + make_interval(secs => a.cooldown_sec) <= now()
  )
  and (
    select count(*) from office.runs as b
    where b.agent_id = a.id and b.status in ('claimed', 'running', 'waiting', 'stopping')
  ) < a.max_concurrent_sessions
  and (
    select count(*) from office.runs as b
    where b.workspace_id = r.workspace_id and b.status in ('claimed', 'running', 'waiting', 'stopping')
  ) < g.slots
order by r.requested_at, r.id
limit 1
for update of r skip locked
"""


@dataclass
class Claims:
    """Milliseconds of a claim that finds one run, and of the plain query that does."""

    why: str
    queued: int
    median: float
    p99: float
    without_prompt: float
    plain: float


def measure(dsn: str, waiting: Waiting, queued: int, claims: int) -> Claims:
    with psycopg.connect(dsn, autocommit=True) as conn:
        # As if autovacuum had not come by yet.
        for table in ("runs", "wakeups", "tasks"):
            conn.execute(f"alter table office.{table} set (autovacuum_enabled = off)".encode())
        conn.execute("alter table office_internal.signals set (autovacuum_enabled = off)")
        queue(conn, waiting, queued)
        with waiting.hold(dsn):
            worker = Worker(conn, 1)
            with_prompt = time_claims(conn, worker, claims)
            plain = time_plain_query(conn)
            with no_prompt(conn):
                without = time_claims(conn, worker, claims)
        if queued <= AUDITED:
            wrong = conn.execute("select * from office.audit()").fetchall()
            assert not wrong, wrong
    return Claims(
        waiting.why,
        queued,
        statistics.median(with_prompt),
        statistics.quantiles(with_prompt, n=100)[98],
        statistics.median(without),
        plain,
    )


def time_claims(conn: Connection, worker: Worker, claims: int) -> list[float]:
    """Each finds the free agent's fresh run, and no other."""
    times = []
    warm_up = claims // 10
    for _ in range(warm_up + claims):
        wake(conn, [(HOME, FREE)])
        start = time.perf_counter()
        while not (attempts := worker.claim()):
            assert worker.more, "the free agent's run is claimed"
        times.append(1000 * (time.perf_counter() - start))
        assert len(attempts) == 1, f"{len(attempts)} runs were claimed"
        worker.start(attempts)
        worker.finish(attempts)
    return times[warm_up:]


def time_plain_query(conn: Connection) -> float:
    """The median for the free agent's run, which was asked for last."""
    wake(conn, [(HOME, FREE)])
    conn.execute("select office.dispatch(%s)", [HOME])
    times = []
    for _ in range(PLAIN_QUERIES):
        start = time.perf_counter()
        found = conn.execute(PLAIN_QUERY).fetchall()
        times.append(1000 * (time.perf_counter() - start))
        assert len(found) == 1, "the plain query finds the run, too"
    worker = Worker(conn, 1)
    worker.drain(1)
    return statistics.median(times)


@contextmanager
def no_prompt(conn: Connection) -> Iterator[None]:
    """The office with a prompt that costs nothing."""
    row = conn.execute(
        "select pg_get_functiondef("
        "'office_internal.build_prompts(uuid[], integer[], text[], text[], boolean)'::regprocedure)"
    ).fetchone()
    assert row is not None
    conn.execute(
        """
        create or replace function office_internal.build_prompts(
          run_ids uuid[], attempt_numbers integer[], summaries text[], engine_sessions text[],
          live boolean default false
        )
        returns text[] language sql stable parallel safe
        return array_fill(''::text, array[cardinality(run_ids)])
        """
    )
    yield
    conn.execute(row[0].encode())
