"""Agent sessions for messages that are about nothing else."""

from __future__ import annotations

from typing import Any

import psycopg

TALK = "talk"
"""The title of the tasks that they are of."""

OPEN = """
insert into office.agent_sessions (workspace_id, agent_id, task_id, created_at)
select a.workspace_id, a.id, t.task_id, office.now()
from office.agents as a
join office.workspaces as w on w.id = a.workspace_id
cross join lateral office.create_task(%s, workspace => w.name) as t
where a.name = %s
returning id::text as session_id
"""


def open_session(conn: psycopg.Connection[Any], agent: str) -> str:
    """A fresh session of the agent, with a task of its own: a message into it waits for no other."""
    row = conn.execute(OPEN, [TALK, agent]).fetchone()
    assert row is not None
    return str(row["session_id"] if isinstance(row, dict) else row[0])
