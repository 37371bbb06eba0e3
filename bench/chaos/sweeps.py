"""Instants at which more was going on than is allowed, by times that were read under the gates (K9)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import psycopg

from .furnish import FIXED_PROVIDER, FIXED_SLOTS


@dataclass(frozen=True)
class Sweep:
    """Attempts `where` something holds, together by `each`: from claim to end, at most so many at once."""

    name: str
    each: str
    where: str
    most: int | str
    until: str = "coalesce(a.ended_at, 'infinity')"

    def query(self) -> bytes:
        return f"""
            select '{self.name}: ' || live || ' at ' || at || coalesce(', ' || each, '') as found
            from (
              select
                each, at,
                sum(change) over (partition by each order by at, change rows unbounded preceding) as live
              from (
                select {self.each} as each, t.at, t.change
                from office.attempts as a
                join office.runs as r on r.id = a.run_id
                join office.workspaces as w on w.id = r.workspace_id
                left join office.executors as x on x.id = r.executor_id
                left join office.tasks as k on k.id = r.task_id
                left join office.projects as j on j.id = k.project_id
                cross join lateral (values (a.claimed_at, 1), ({self.until}, -1)) as t (at, change)
                where {self.where}
              ) as changes
            ) as swept
            where live > {self.most}
            order by at
            limit 5
        """.encode()


FOLDER = "coalesce(x.body ->> 'folder', j.folder)"
SWEEPS = [
    *(
        Sweep(f"slots of {name}", "w.name", f"w.name = '{name}'", slots)
        for name, slots in FIXED_SLOTS.items()
    ),
    Sweep(
        "capacity",
        "r.agent_id::text",
        "w.name in ({})".format(", ".join(f"'{name}'" for name in FIXED_SLOTS)),
        "(select g.max_concurrent_sessions from office.agents as g where g.id::text = each)",
    ),
    Sweep("requests", "x.provider", f"x.provider = '{FIXED_PROVIDER[0]}'", FIXED_PROVIDER[1]),
    # One folder and one inside it, of agents and of projects: until nothing that was started is left.
    Sweep(
        "folder",
        f"case when {FOLDER} ~ '/shared(/|$)' then 'shared' else 'project' end",
        f"x.body -> 'folder_shared' is distinct from 'true' and {FOLDER} is not null",
        1,
        """
        coalesce(greatest(a.ended_at, case when a.started_at is not null then a.cleaned_at end), 'infinity')
        """,
    ),
]


def swept(conn: psycopg.Connection[dict[str, Any]]) -> list[str]:
    """What any of the sweeps finds."""
    return [row["found"] for sweep in SWEEPS for row in conn.execute(sweep.query()).fetchall()]
