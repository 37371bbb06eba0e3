"""Q14, K2: a claim costs the same whatever waits behind it, by the plans that its own statements run with.

Nothing is analysed: the statistics are those of a table that nobody has looked at.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from .conftest import Office, Row

FEW, MANY = 100, 20_000
AGENTS = 100
MOST = 1500  # pages; a look behind 20,000 that reads them all takes 20,000 and more
HOT = {"runs", "wakeups", "attempts", "lanes", "signals", "checkouts", "tasks", "resources", "resource_waits"}

# The runs, and their wakeups, are given a task each, and all tasks wait for one. No trigger fires: they are
# copies of what the dispatch makes of a task that is blocked after it was woken for.
BLOCKED = """
set session_replication_role = replica;
create temporary table given as
select r.id as run_id, office.uuid7() as task_id, r.workspace_id, r.agent_id
from office.runs as r where r.status = 'queued' and r.task_id is null;
insert into office.tasks (id, workspace_id, workflow_id, title, owner, assignee_agent_id)
select g.task_id, g.workspace_id, w.office_workflow_id, 'Wait', 'agent', g.agent_id
from given as g join office.workspaces as w on w.id = g.workspace_id;
insert into office.tasks (id, workspace_id, workflow_id, title)
select office.uuid7(), w.id, w.office_workflow_id, 'In the way'
from office.workspaces as w where w.name = 'acme';
insert into office.task_blockers (workspace_id, task_id, blocker_task_id)
select g.workspace_id, g.task_id, b.id
from given as g cross join (select t.id from office.tasks as t where t.title = 'In the way' limit 1) as b;
update office.wakeups as w
set task_id = g.task_id, routine_id = null, source = 'task_assigned', addresses = 'assignee'
from given as g where w.run_id = g.run_id;
update office.runs as r set task_id = g.task_id, routine_id = null, parked = 'blocker'
from given as g where r.id = g.run_id;
update office_internal.lanes as l set head_at = null, head_run_id = null
where l.agent_id in (select agent_id from given);
drop table given;
set session_replication_role = origin
"""

# Why a run waits, and the statement that makes the agents' runs wait for that.
WAITS = {
    "busy agents": None,
    "cooling agents": "update office_internal.lanes as l set cooling_until = now() + interval '1 day'"
    " from office.agents as a where a.id = l.agent_id and a.name like 'busy%%'",
    "paused agents": "update office.agents set status = 'paused' where name like 'busy%%'",
    "retries in the future": "update office.runs set parked = 'retry', due_at = now() + interval '1 day',"
    " scheduled_retry_at = now() + interval '1 day' where status = 'queued'",
    "a full workspace": None,
    "a blocker": BLOCKED,
}


class Backlog:
    """A free agent in one workspace, and runs that cannot start behind it and in another."""

    def __init__(self, office: Office, why: str) -> None:
        self.office = office
        self.why = why
        office.agent("free")
        self.workspace = "full" if why == "a full workspace" else "acme"
        if self.workspace == "full":
            office.rows("select office.create_workspace('full')")
        office.rows("select office.set_setting('max_concurrent_runs', '8', 'acme')")
        office.rows("select office.set_setting('max_runs_per_hour', '1000', 'acme')")
        office.rows(
            """
            select office.create_agent(
              'busy' || n, executor => '{"command": ["true"]}', workspace => %s, cooldown_sec => 0
            )
            from generate_series(1, %s) as n
            """,
            self.workspace,
            AGENTS,
        )
        self.worker = office.worker()
        # Their lanes are made.
        office.rows("select office.dispatch()")
        if why in ("busy agents", "a full workspace"):
            self._occupy()

    def _occupy(self) -> None:
        """Every busy agent has a run; where that fills the slots nobody else's of the workspace can start."""
        slots = 3 if self.workspace == "full" else None
        for n in range(1, AGENTS + 1):
            if slots is not None and n > slots:
                break
            self.office.rows("select office.wake(%s, workspace => %s)", f"busy{n}", self.workspace)
        if slots is None:
            # More at once than a workspace has slots: they are put there as the claim would have found them.
            self.office.rows("select office.dispatch()")
            self.office.rows(
                "insert into office.activity (workspace_id, kind, detail) "
                "select workspace_id, 'limit_changed', "
                "jsonb_build_object('limit', 'max_concurrent_runs', 'from', slots, 'to', 1000) "
                "from office_internal.gates"
            )
            self.office.rows("update office_internal.gates set slots = 1000")
        assert len(self.worker.claim(AGENTS)) == (slots or AGENTS)

    def queue(self, waiting: int) -> None:
        """So many runs more, of taskless scopes of their own, one wakeup each; none of them can start."""
        before = self.office.value("select count(*) from office.runs where status = 'queued'")
        self.office.rows(
            """
            with agent as (
              select a.id, a.workspace_id, a.executor_id, row_number() over () - 1 as nth
              from office.agents as a where a.name like 'busy%%'
            ),
            made as (
              insert into office.runs (
                workspace_id, agent_id, routine_id, executor_id, reason, class, requested_at
              )
              select
                agent.workspace_id, agent.id, office.uuid7(), agent.executor_id, 'user', 'event',
                now() - n * interval '1 second'
              from generate_series(1, %s) as n join agent on agent.nth = n %% %s
              returning *
            )
            insert into office.wakeups (
              workspace_id, agent_id, source, class, addresses, routine_id, payload, status, run_id, position,
              requested_at
            )
            select
              workspace_id, agent_id, 'user', 'event', 'nobody', routine_id, '{}', 'claimed', id, 1,
              requested_at
            from made
            """,
            waiting,
            AGENTS,
        )
        if statement := WAITS[self.why]:
            self.office.rows(statement)
        self.office.rows("select office.dispatch()")
        while self.office.rows("select 1 from office_internal.signals"):
            assert self.worker.claim(10) == [], "nothing of it can start"
        assert (
            self.office.value("select count(*) from office.runs where status = 'queued'") == before + waiting
        )

    def pages(self) -> dict[str, int]:
        """Pages that each step of a run's life touches, once the plans are made: the least of five."""
        for _ in range(8):
            self.life()
        lives = [self.life() for _ in range(5)]
        return {step: min(life[step] for life in lives) for step in lives[0]}

    def life(self) -> dict[str, int]:
        """A task made, worked on and done; a run blocked, tried again and stopped; pages of each step."""
        seen: dict[str, int] = {}

        def step(name: str, statement: str, *values: object) -> None:
            (plan,) = self.office.value(f"explain (analyze, buffers, format json) {statement}", *values)
            seen[name] = plan["Plan"]["Shared Hit Blocks"] + plan["Plan"]["Shared Read Blocks"]

        def claim(name: str) -> Row:
            step(name, "select * from office.claim_runs(%s, 1)", self.worker.id)
            (launch,) = self.office.rows(
                "select r.number, r.attempt_id from office.runs as r"
                " join office.agents as a on a.id = r.agent_id where a.name = 'free' and r.status = 'claimed'"
            )
            return launch

        task = self.office.task("Work", "free")
        launch = claim("claim of a task")
        step("start", "select * from office.start_attempt(%s)", launch["attempt_id"])
        step("carry out", "select office.carry_out()")
        step("finish", "select * from office.finish_attempt(%s)", launch["attempt_id"])
        self.office.rows("select office.move_task(%s, 'done')", task)
        step("dispatch of a move", "select office.dispatch('acme')")
        step("wake", "select * from office.wake('free', workspace => 'acme')")
        step("dispatch of a wake", "select office.dispatch('acme')")
        launch = claim("claim")
        step(
            "block", "select * from office.fail_attempt(%s, 'broken', 'configuration')", launch["attempt_id"]
        )
        step("retry", "select * from office.retry_run(%s)", f"r{launch['number']}")
        launch = claim("claim of a retry")
        step("stop", "select * from office.stop(%s)", f"r{launch['number']}")
        step("heartbeat", "select * from office.heartbeat(%s)", self.worker.id)
        step("finish of a stopped run", "select * from office.finish_attempt(%s)", launch["attempt_id"])
        step("claim of nothing", "select * from office.claim_runs(%s, 1)", self.worker.id)
        return seen


@pytest.mark.slow
@pytest.mark.parametrize("why", WAITS)
def test_nothing_costs_more_behind_many_than_behind_few(office: Office, why: str) -> None:
    """Q14, K2: pages, unlike milliseconds, are the same everywhere. The plans are made while few wait."""
    backlog = Backlog(office, why)
    backlog.queue(FEW)
    few = backlog.pages()
    backlog.queue(MANY - FEW)
    many = backlog.pages()
    print(why, {step: (pages, many[step]) for step, pages in few.items()})
    # Indexes of more levels: some pages more at every look.
    assert {step: (pages, many[step]) for step, pages in few.items() if many[step] > 1.5 * pages + 100} == {}


@pytest.mark.slow
@pytest.mark.parametrize("why", WAITS)
def test_nothing_costs_more_when_the_plans_are_made_behind_many(office: Office, why: str) -> None:
    """Q14, A13: the same with new sessions, whose generic plans meet tables that were never analysed."""
    backlog = Backlog(office, why)
    backlog.queue(MANY)
    office.owner = office.session()
    many = backlog.pages()
    print(why, many)
    assert {step: pages for step, pages in many.items() if pages > MOST} == {}


WORKSPACES, OF_EACH, WAVES = 20, 5, 8
ASKED = {
    "of no task": "select office.wake(a.name, workspace => w.name)"
    " from office.agents as a join office.workspaces as w on w.id = a.workspace_id"
    " where a.name like 'worker%%'",
    "of tasks": "select office.create_task('Work', assignee => a.name, workspace => w.name)"
    " from office.agents as a join office.workspaces as w on w.id = a.workspace_id"
    " where a.name like 'worker%%'",
}


@pytest.mark.slow
@pytest.mark.parametrize("what", ASKED)
def test_plans_made_on_empty_tables_serve_full_ones(office: Office, what: str) -> None:
    """Q14, A13: to a vacuumed table without a row every plan looks alike; a session keeps what it chose."""
    office.rows("select office.create_workspace('w' || n) from generate_series(1, %s) as n", WORKSPACES)
    office.rows("select office.set_setting('max_concurrent_runs', '8', 'office')")
    office.rows(
        """
        select office.create_agent(
          'worker' || m, executor => '{"command": ["true"]}', workspace => 'w' || n, cooldown_sec => 0
        )
        from generate_series(1, %s) as n, generate_series(1, %s) as m
        """,
        WORKSPACES,
        OF_EACH,
    )
    office.rows("select office.dispatch()")
    office.rows("vacuum analyze")
    office.owner = office.session()
    worker = office.worker()
    sets = WORKSPACES * OF_EACH
    touched: list[dict[str, int]] = []

    def step(statement: str, *values: object) -> int:
        (plan,) = office.value(f"explain (analyze, buffers, format json) {statement}", *values)
        pages: int = plan["Plan"]["Shared Hit Blocks"] + plan["Plan"]["Shared Read Blocks"]
        return pages

    for _ in range(WAVES):
        office.rows(ASKED[what])
        office.rows("select office.dispatch()")
        seen = {"claim": step("select * from office.claim_runs(%s, %s)", worker.id, sets)}
        live = "select attempt_id from office.runs where status = 'claimed'"
        attempts = json.dumps([{"attempt_id": str(row["attempt_id"])} for row in office.rows(live)])
        assert len(json.loads(attempts)) == sets
        seen["start"] = step("select * from office.start_attempts(%s)", attempts)
        seen["finish"] = step("select * from office.finish_attempts(%s)", attempts)
        office.rows("select office.carry_out()")
        office.rows("update office.tasks set state = 'done' where state = 'in_progress'")
        touched.append(seen)
    print(what, touched)
    first, last = touched[1], touched[-1]
    assert {name: (pages, last[name]) for name, pages in first.items() if last[name] > 1.6 * pages} == {}


def sequential_scans(plan: dict[str, Any]) -> Iterator[str]:
    if plan["Node Type"] == "Seq Scan":
        yield plan["Relation Name"]
    for child in plan.get("Plans", []):
        yield from sequential_scans(child)


@pytest.mark.slow
def test_no_statement_reads_a_whole_table(office: Office) -> None:
    """A13, A15, Q14: the plans that the functions really ran with, told by auto_explain."""
    backlog = Backlog(office, "busy agents")
    backlog.queue(MANY)
    told: list[str] = []
    office.owner.add_notice_handler(lambda notice: told.append(notice.message_primary or ""))
    office.rows("load 'auto_explain'")
    for name, value in {
        "auto_explain.log_min_duration": "0",
        "auto_explain.log_nested_statements": "on",
        "auto_explain.log_format": "json",
        "client_min_messages": "log",
    }.items():
        office.rows(f"set {name} = '{value}'")
    for _ in range(8):
        backlog.life()
    office.rows("set client_min_messages = 'notice'")
    plans = [json.loads(message[message.index("{") :]) for message in told if "plan:" in message]
    assert any("insert into office.attempts" in plan["Query Text"] for plan in plans), (
        "the claim's inside is seen"
    )
    scanned = {
        (table, " ".join(plan["Query Text"].split())[:200])
        for plan in plans
        for table in sequential_scans(plan["Plan"])
        # What this test itself asks for is not the functions'.
        if table in HOT and "a.name = 'free'" not in plan["Query Text"]
    }
    assert scanned == set()
