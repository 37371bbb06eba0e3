"""From every version (A4): a database that came here step by step is as a fresh one, with what it held.

Nothing has been released yet: each migration stands for a version.
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from support import trees
from support.catalogs import catalog

from officectl.database import deploy, sqlfiles

# What was stored while a migration was the newest; $word is an id.
WRITTEN = {
    "0002-directory": """
insert into office.accounts (id, name) values ($ann, 'ann');
insert into office.workspaces (id, name, owner_account_id) values ($acme, 'acme', $ann);
insert into office.members (workspace_id, account_id, role) values ($acme, $ann, 'owner');
insert into office.workflows (id, workspace_id, name, kind) values ($board, $acme, 'office', 'office');
insert into office.stages (workflow_id, name, position, state, auto_start_agent)
select $board, state, position, state, true from office.task_states;
update office.workspaces set office_workflow_id = $board;
insert into office.executors (id, body) values ($program, '{"command": ["/bin/true"]}');
insert into office.agents (id, workspace_id, name, skip_idle_wakeups, executor, executor_id)
values ($triage, $acme, 'triage', false, '{"command": ["/bin/true"]}', $program);
""",
    "0003-tasks": """
insert into office.tasks (id, workspace_id, workflow_id, stage_id, title, owner, assignee_agent_id)
select $task, $acme, s.workflow_id, s.id, 'Look at order 7', 'agent', $triage
from office.stages as s where s.state = 'todo';
""",
    "0004-queue": """
insert into office_internal.gates (workspace_id) values ($acme);
insert into office_internal.lanes (agent_id, workspace_id, capacity, cooldown_sec)
values ($triage, $acme, 1, 10);
insert into office.workers (id, host, max_runs, registered_at, beat_at, lease_until, ended_at, end_reason)
values ($worker, 'box', 1, now(), now(), now(), now(), 'drained');
insert into office.runs (id, workspace_id, agent_id, task_id, executor_id, reason, class, status, outcome,
  attempt_id, worker_id, requested_at, claimed_at, ended_at)
values ($run, $acme, $triage, $task, $program, 'user', 'event', 'finished', 'succeeded',
  $attempt, $worker, now(), now(), now());
insert into office.attempts (id, run_id, workspace_id, number, worker_id, shown_wakeups, claimed_at,
  started_at, ended_at, outcome, result, cleaned_at)
values ($attempt, $run, $acme, 1, $worker, 1, now(), now(), now(), 'succeeded', '{"summary": "done"}', now());
insert into office.wakeups (id, workspace_id, agent_id, source, class, addresses, task_id, payload, status,
  run_id, position, requested_at)
values ($wakeup, $acme, $triage, 'user', 'event', 'nobody', $task, '{}', 'finished', $run, 1, now());
""",
    "0005-records": "insert into office.activity (workspace_id, kind) values ($acme, 'run_ended');",
    "0007-rate-limits": "update office.attempts set retry_source = 'backoff';",
}

ID = re.compile(r"\$(\w+)")

# What each table held: its columns then, row by row.
TABLES = """
select format('office.%I', c.relname), array_agg(format('%I', a.attname) order by a.attnum)
from pg_class as c
join pg_attribute as a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
where c.relnamespace = 'office'::regnamespace and c.relkind = 'r'
group by c.relname
"""


@pytest.fixture
def fresh_catalog(fresh_database: str) -> list[str]:
    """What a fresh deploy in the same database makes; the database is empty again."""
    deploy.migrate(fresh_database)
    fresh = catalog(fresh_database)
    with psycopg.connect(fresh_database) as connection:
        connection.execute("drop schema office, office_internal, office_migrations cascade")
    return fresh


def versions(folder: Path) -> Iterator[tuple[str, Path]]:
    """Each migration's id, and a tree that ends with it, with the functions that column defaults need."""
    packaged = sqlfiles.packaged()
    files = {
        "functions/core/install.sql": "create or replace function office_internal.install(owner_name text,"
        " workspace_name text) returns void language sql as 'select';",
        **{file.path: file.text for file in packaged.functions if file.name in ("now", "uuid7")},
    }
    for migration in packaged.migrations:
        files[migration.path] = migration.text
        yield migration.name, trees.write(folder / migration.name, files)


def as_id(word: re.Match[str]) -> str:
    """The same id for the same word, in every statement."""
    return f"'{uuid.uuid5(uuid.NAMESPACE_OID, word[1])}'"


def held(connection: psycopg.Connection[Any]) -> dict[str, list[str]]:
    """Every row of the public tables as text, by a query that reads the same columns later."""
    found = connection.execute(TABLES.encode()).fetchall()
    queries = [f"select ({', '.join(columns)})::text from {table} order by 1" for table, columns in found]
    return {query: rows(connection, query) for query in queries}


def rows(connection: psycopg.Connection[Any], query: str) -> list[str]:
    return [row for (row,) in connection.execute(query.encode())]


def test_every_step_leads_to_the_fresh_catalog_and_keeps_what_was_there(
    fresh_catalog: list[str], fresh_database: str, tmp_path: Path
) -> None:
    """A4: migration after migration, each deployed on its own, with rows of its time in between."""
    unused = dict(WRITTEN)
    for name, root in versions(tmp_path):
        deploy.migrate(fresh_database, root=root)
        with psycopg.connect(fresh_database) as connection:
            connection.execute(ID.sub(as_id, unused.pop(name, "select")).encode())
    assert not unused, "data of no version"
    with psycopg.connect(fresh_database) as connection:
        before = held(connection)

    deploy.migrate(fresh_database)
    assert catalog(fresh_database) == fresh_catalog
    with psycopg.connect(fresh_database, autocommit=True) as connection:
        assert {query: rows(connection, query) for query in before} == before
        assert rows(connection, "select status from office.result('r1')") == ["finished"]
        connection.execute("select office.wake('triage', workspace => 'acme')")
        connection.execute("select office.dispatch()")
        assert rows(connection, "select agent from office.up_next") == ["triage"]
        assert rows(connection, "select invariant from office.audit()") == []
