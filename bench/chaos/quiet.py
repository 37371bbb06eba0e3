"""When the faults are over: pauses and holds are lifted, what is asked is answered, all comes to its end."""

from __future__ import annotations

import time
from typing import Any

import psycopg

from .crew import Crew
from .furnish import CHANGED_PROVIDER, FIXED_SLOTS
from .sessions import AGAIN

Connection = psycopg.Connection[dict[str, Any]]

# There is room for all that waits, and what fails does not fail four times more.
WIDEN = (
    "select office.set_setting('max_concurrent_runs', '8', name) from office.workspaces"
    f" where name not in ({', '.join(repr(name) for name in FIXED_SLOTS)})",
    f"select office.set_provider_limit('{CHANGED_PROVIDER[0]}', 8)",
    "select office.set_setting('max_retry_count', '0', 'office')",
)

# Each lets something go on that a person, a time or another task holds up; times are not waited out.
LIFT = (
    "select office.resume('everything')",
    "select office.resume('workspace:' || name) from office.workspaces",
    "select office.resume(w.name || '/' || a.name) from office.agents as a"
    " join office.workspaces as w on w.id = a.workspace_id where a.status <> 'active'",
    "select office.end_hold(h.provider) from"
    " (select distinct provider from office.provider_holds where ended_at is null) as h",
    "select office.answer('d' || number, choices -> 0 ->> 'id') from office.decisions"
    " where status = 'pending'",
    "update office.tasks set snoozed_until = null where snoozed_until is not null",
    "delete from office.task_blockers",
    "update office.runs set scheduled_retry_at = null"
    " where status = 'queued' and scheduled_retry_at is not null",
)

UNDER_WAY = """
select 'wakeup' as what, w.id::text as subject, w.status as detail
from office.wakeups as w
left join office.runs as r on r.id = w.run_id
where w.status = 'queued' or w.status = 'claimed' and r.status is distinct from 'interrupted'
union all
select 'run', 'r' || r.number, concat_ws(', ', r.status, r.parked, r.scheduled_retry_at::text, (
  select string_agg(f.reason, '; ') from office.waiting_for(r.id) as f
), (
  select string_agg(concat_ws(' ', d.kind, d.status, d.choice), '; ')
  from office.decisions as d
  where d.run_id = r.id
))
from office.runs as r
where r.ended_at is null or r.status = 'interrupted'
union all
select 'signal', s.id::text, s.kind from office_internal.signals as s
union all
select 'change', c.id::text, c.kind from office_internal.changes as c
union all
select 'resource', 'r' || r.number, concat_ws(', ', h.key, k.host, k.end_reason, a.outcome)
from office.resources as h
join office.runs as r on r.id = h.run_id
join office.attempts as a on a.id = h.attempt_id
join office.workers as k on k.id = a.worker_id
union all
select 'decision', 'd' || d.number, d.kind from office.decisions as d where d.status = 'pending'
union all
select 'task lock', 't' || t.number, 'r' || r.number
from office.checkouts as c
join office.tasks as t on t.id = c.task_id
join office.runs as r on r.id = c.checkout_run_id
"""


def settle(conn: Connection, crew: Crew, patience: float) -> list[str]:
    """Wait until nothing is under way; what still is when the patience ends, and what would not be lifted."""
    end = time.monotonic() + patience
    for statement in WIDEN:
        conn.execute(statement.encode())
    while True:
        refused = [str(error) for error in (lift(conn, statement) for statement in LIFT) if error]
        crew.replace_the_dead()
        rows = conn.execute(UNDER_WAY).fetchall()
        if not rows or time.monotonic() > end:
            left = [f"still under way: {row['what']} {row['subject']}: {row['detail']}" for row in rows]
            return left + (refused if left else [])
        time.sleep(0.3)


def lift(conn: Connection, statement: str) -> psycopg.Error | None:
    """A refusal, when somebody else was first; it is tried again."""
    try:
        conn.execute(statement.encode())
    except psycopg.Error as error:
        if error.sqlstate not in AGAIN and not (error.sqlstate or "").startswith("PT"):
            raise
        return error
    return None
