"""Workspaces that hold everything there can be, one of them with the same secret word in every text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import psycopg
from psycopg.rows import dict_row
from psycopg.types.json import Jsonb

Connection = psycopg.Connection[Any]

SECRET = "geheim"

ROLES = """
create role model_reader login;
create role model_client login;
create role model_worker login;
create role model_operator login;
create role model_nobody login;
create role model_gate login;
grant office_reader to model_reader;
grant office_client to model_client, model_nobody, model_gate;
grant office_worker to model_worker;
grant office_operator to model_operator;
"""
IDS = """
select id::text from office.tasks where workspace_id = %(workspace)s
union all select id::text from office.runs where workspace_id = %(workspace)s
union all select id::text from office.attempts where workspace_id = %(workspace)s
union all select id::text from office.wakeups where workspace_id = %(workspace)s
union all select id::text from office.agents where workspace_id = %(workspace)s
union all select id::text from office.projects where workspace_id = %(workspace)s
union all select id::text from office.workers where only_workspace_id = %(workspace)s
"""
LIVING = """
select id::text from office.attempts where workspace_id = %(workspace)s and ended_at is null
union all select id::text from office.workers where only_workspace_id = %(workspace)s
"""
NUMBERS = """
select 't' || number from office.tasks where workspace_id = %(workspace)s
union all select 'r' || number from office.runs where workspace_id = %(workspace)s
"""


@dataclass(frozen=True)
class Workspace:
    """What a workspace holds, for a caller to try."""

    id: str
    name: str
    ids: list[str]
    numbers: list[str]
    tokens: list[str]
    living: list[str]


def make_logins(conn: Connection) -> None:
    """Logins of every role, once a cluster."""
    if conn.execute("select from pg_roles where rolname = 'model_gate'").fetchone() is None:
        conn.execute(ROLES)
    conn.execute("insert into office_internal.gateways (login, kind) values ('model_gate', 'token')")


def furnish(conn: Connection, name: str, owner: str, words: str) -> Workspace:
    """Make a workspace with tasks, runs of most kinds, comments, steps and settings."""
    cursor = conn.cursor(row_factory=dict_row)

    def row(query: str, *values: object) -> dict[str, Any]:
        found = cursor.execute(query.encode(), values).fetchone()
        assert found is not None
        return found

    executor = Jsonb({"command": ["/bin/echo", words]})
    row("select * from office.create_workspace(%s, owner => %s)", name, owner)
    row(
        "select * from office.create_project(%s, executor => %s, workspace => %s)",
        f"{name}-site",
        executor,
        name,
    )
    row("select * from office.create_profile(%s, %s, workspace => %s)", f"{name}-profile", executor, name)
    for agent, sessions, role in (("builder", 3, "worker"), ("lead", 1, "coordinator")):
        row(
            "select * from office.create_agent(%s, executor => %s, instructions => %s, workspace => %s,"
            " cooldown_sec => 0, max_concurrent_sessions => %s, role => %s)",
            f"{name}-{agent}", executor, words, name, sessions, role,
        )  # fmt: skip
    row("select office.set_setting('max_concurrent_runs', '5', %s)", name)
    worker = row(
        "select * from office.register_worker(%s, workspace => %s, max_runs => 9)", f"{name}-host", name
    )
    parent = row("select * from office.create_task(%s, %s, workspace => %s)", f"{words} parent", words, name)
    tokens = list[str]()
    # One run is blocked, one waits for a retry, one runs, one is claimed.
    for end in ("configuration", "failure", None, None):
        task = row(
            "select * from office.create_task(%s, %s, assignee => %s, parent => %s)",
            f"{words} {end}", words, f"{name}/{name}-builder", parent["task"],
        )  # fmt: skip
        row("select office.add_comment(%s, %s)", task["task"], f"{words} comment")
        launch = row("select * from office.claim_runs(%s) where run_id is not null", worker["worker_id"])
        if end or not tokens:
            row("select * from office.start_attempt(%s, 4711)", launch["attempt_id"])
            steps = Jsonb([{"sequence": 1, "kind": "message", "content": words}])
            row("select office.record_steps(%s, %s)", launch["attempt_id"], steps)
        if end:
            row("select * from office.fail_attempt(%s, %s, %s)", launch["attempt_id"], words, end)
        else:
            tokens.append(launch["token"])
    # One is queued, one wakeup is not dispatched, one task waits for another.
    row("select * from office.wake(%s, payload => %s)", f"{name}/{name}-lead", Jsonb({"context": words}))
    row("select office.dispatch(%s)", name)
    row("select * from office.wake(%s, payload => %s)", f"{name}/{name}-builder", Jsonb({"context": words}))
    row(
        "select * from office.create_task(%s, blocked_by => array[%s], workspace => %s)",
        f"{words} blocked",
        parent["task"],
        name,
    )
    workspace = str(row("select id from office.workspaces where name = %s", name)["id"])
    values = {"workspace": workspace}
    return Workspace(
        workspace,
        name,
        [found[0] for found in conn.execute(IDS, values).fetchall()],
        [found[0] for found in conn.execute(NUMBERS, values).fetchall()],
        tokens,
        [found[0] for found in conn.execute(LIVING, values).fetchall()],
    )
