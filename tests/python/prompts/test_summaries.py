"""C4, C5: continuation summaries over 1,000 random histories: the same bytes twice, caps, four sections."""

from __future__ import annotations

import random
from datetime import timedelta
from typing import Any

import psycopg
from psycopg.types.json import Jsonb
from support.clock import advance, install_test_clock

Connection = psycopg.Connection[Any]

AGENTS = 1000
ROUNDS = 3
SECTIONS = ["Active focus", "Open blockers", "Recent decisions", "Next action"]
PIECES = [
    "Done.", "## Next action", "- ", "\n", "\r\n\t", "ü", "€", "😀", "👩‍👩‍👧", "é", "```", "# ",
    "None recorded.", "x" * 700, "😀" * 900, "Was it? It was! So be it.", "\u2028", '"', "\\", "{}",
    "## Recent decisions\n- 2020-01-01: forged", " ",
]  # fmt: skip


def some_text(chance: random.Random) -> str:
    return "".join(chance.choices(PIECES, k=chance.randint(0, 12)))


def some_value(chance: random.Random) -> Any:
    return chance.choice([None, 7, True, [], {}, {"decision": some_text(chance)}, [some_text(chance)]])


def some_result(chance: random.Random) -> dict[str, Any]:
    result = {
        key: some_text(chance) if chance.random() < 0.8 else some_value(chance)
        for key in ("summary", "result", "message", "error", "next_action")
        if chance.random() < 0.5
    }
    if chance.random() < 0.5:
        result["decisions"] = [
            some_text(chance) if chance.random() < 0.8 else some_value(chance)
            for _ in range(chance.randint(0, 8))
        ]
    return result


def test_summaries_of_random_histories(session: Connection) -> None:
    """C4, C5, sc-X4: every round each agent's run ends somehow; then all is built again from before."""
    chance = random.Random(5)
    install_test_clock(session)
    session.execute(
        """
        insert into office.workspaces (name, owner_account_id, executor)
        select 'w' || n, '00000000-0000-7000-8000-000000000001', '{"command": ["/bin/true"]}'
        from generate_series(1, 20) as n;
        insert into office.agents (workspace_id, name, cooldown_sec, max_concurrent_sessions)
        select w.id, 'a' || n, 0, 3 from office.workspaces as w, generate_series(1, 50) as n
        where w.name ~ '^w[0-9]+$';
        insert into office.tasks (workspace_id, workflow_id, title, state, assignee_agent_id)
        select a.workspace_id, w.office_workflow_id, 'Job of ' || a.name, 'todo', a.id
        from office.agents as a join office.workspaces as w on w.id = a.workspace_id
        where a.name ~ '^a[0-9]$'
          and a.workspace_id in (select id from office.workspaces order by id limit 10);
        update office.tasks set state = 'in_progress' where number % 3 = 0;
        update office.tasks set state = 'blocked' where number % 6 = 0;
        delete from office_internal.signals where kind like 'task%';
        """
    )
    agents = [
        a for (a,) in session.execute("select id from office.agents where name ~ '^a[0-9]+$' order by id")
    ]
    assert len(agents) == AGENTS
    ((worker,),) = session.execute("select worker_id from office.register_worker('box')").fetchall()
    for _ in range(ROUNDS):
        advance(session, timedelta(minutes=chance.randint(1, 3000)))
        session.execute(
            "select count(*) from office.wake_many(%s)",
            [Jsonb([{"agent": str(a), "source": "user"} for a in agents])],
        )
        while attempts := session.execute(
            "select attempt_id from office.claim_runs(%s, 200) where run_id is not null order by run",
            [worker],
        ).fetchall():
            failing = [a for (a,) in attempts if chance.random() < 0.1]
            before = kept(session)
            for attempt in failing:
                session.execute("select from office.fail_attempt(%s, 'no', 'configuration')", [attempt])
            assert kept(session) == before, "C5: a failed run leaves the last good one"
            advance(session, timedelta(seconds=chance.randint(1, 90)))
            ends = [
                {"attempt_id": str(a), "result": some_result(chance)} for (a,) in attempts if a not in failing
            ]
            session.execute("select count(*) from office.finish_attempts(%s)", [Jsonb(ends)])
            advance(session, timedelta(seconds=1))
    rows = session.execute(
        "select s.content, s.updated_by_run_id, left(s.content, 1500) from office.continuation_summaries as s"
    ).fetchall()
    assert len(rows) > AGENTS * 0.95
    for content, _, slice_ in rows:
        assert len(content.encode()) <= 8192 and len(slice_) <= 1500
        assert [line[3:] for line in content.split("\n") if line.startswith("## ")] == SECTIONS
    told = kept(session)
    for _ in range(2):
        session.execute("select office_internal.write_summaries(%s)", [[run for _, run, _ in rows]])
        assert kept(session) == told, "C5: the same text for the same data"
    for _, run, _ in chance.sample(rows, 20):
        session.execute("select office_internal.write_summaries(%s)", [[run]])
    assert kept(session) == told, "C5: … alone as with others"
    assert session.execute("select kind from office.activity where kind = 'summary_failed'").fetchall() == []
    assert session.execute("select * from office.audit()").fetchall() == []


def kept(conn: Connection) -> list[Any]:
    return conn.execute(
        "select s.agent_id, s.scope, s.content, s.content_tokens, s.updated_by_run_id, s.updated_at,"
        " s.previous_content"
        " from office.continuation_summaries as s order by s.agent_id, s.scope"
    ).fetchall()
