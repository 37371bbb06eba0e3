"""A6: two worlds, one gate. Nothing under a gate waits for people, and people never wait for a gate."""

from __future__ import annotations

import psycopg
import pytest

from .conftest import Office, Row, Worker

A_TASK = "workspace_id, workflow_id, title, assignee_agent_id"
OF_ACME = "from office.workspaces as w where w.name = 'acme'"
ADA = "(select id from office.agents where name = 'ada')"
SHOP = "(select id from office.projects where name = 'shop')"

# What people do, by hand and by function, to the workspace, agent, task and project of the work under way.
PEOPLE = {
    "insert a task": f"insert into office.tasks ({A_TASK})"
    f" select w.id, w.office_workflow_id, 'By hand', {ADA} {OF_ACME}",
    "update a task": "update office.tasks set title = 'Other', project_id = null where number = 1",
    "close a task": "update office.tasks set state = 'cancelled' where number = 1",
    "take a task away": "update office.tasks set assignee_agent_id = null where number = 1",
    "delete a task": "delete from office.tasks where number = 1",
    "delete every task": "delete from office.tasks",
    "lock a task": "select from office.tasks where number = 1 for update",
    "share a task": "select from office.tasks where number = 1 for share",
    "block a task": "insert into office.task_blockers (workspace_id, task_id, blocker_task_id)"
    " select t.workspace_id, t.id, b.id from office.tasks as t, office.tasks as b"
    " where t.number = 1 and b.number = 2",
    "free a task": "delete from office.task_blockers",
    "name a reviewer": "insert into office.task_participants (workspace_id, task_id, agent_id, role)"
    f" select workspace_id, id, {ADA}, 'reviewer' from office.tasks where number = 1",
    "insert an agent": "insert into office.agents (workspace_id, name, executor)"
    f""" select w.id, 'zoe', '{{"command": ["new"]}}' {OF_ACME}""",
    "update an agent": "update office.agents set instructions = 'Other', cooldown_sec = 5 where name = 'ada'",
    "pause an agent": "update office.agents set status = 'paused' where name = 'ada'",
    "stop every agent": "update office.agents set status = 'stopped'",
    "rename an agent": "update office.agents set name = 'eva' where name = 'ada'",
    "delete an agent": "delete from office.agents where name = 'ada'",
    "lock an agent": "select from office.agents where name = 'ada' for update",
    "lock every agent": "select from office.agents for update",
    "insert a project": f"insert into office.projects (workspace_id, name) select w.id, 'other' {OF_ACME}",
    "update a project": "update office.projects set folder = '/other' where name = 'shop'",
    "delete a project": "delete from office.projects where name = 'shop'",
    "lock a project": f"select from office.projects where id = {SHOP} for update",
    "insert a comment": "insert into office.comments (workspace_id, task_id, author_agent_id, body)"
    f" select workspace_id, id, {ADA}, 'By hand' from office.tasks where number = 1",
    "update a comment": "update office.comments set body = 'Other'",
    "delete a comment": "delete from office.comments",
    "update a profile": """update office.profiles set executor = '{"command": ["other"]}'""",
    "lock the workspace": "select from office.workspaces for update",
    "update the workspace": "update office.workspaces set timezone = 'Asia/Tokyo',"
    """ executor = '{"command": ["new"]}'""",
    "lock the executors": "select from office.executors for no key update",
    "change a setting": "insert into office.settings (scope, key, value)"
    " values ('office', 'max_retry_count', '2')",
    "create_task": "select office.create_task('Another', assignee => 'ada', project => 'shop',"
    " parent => 't1', workspace => 'acme')",
    "create_task with an executor": "select office.create_task('Another', assignee => 'ada',"
    " workspace => 'acme',"
    """ executor => '{"command": ["new"]}')""",
    "move_task": "select office.move_task('t1', 'in_progress')",
    "assign_task": "select office.assign_task('t1', 'bob')",
    "complete_task": "select office.complete_task('t1', 'Done.')",
    "archive_task": "select office.archive_task('t1')",
    "delete_task": "select office.delete_task('t1')",
    "add_comment": "select office.add_comment('t1', 'Look.')",
    "update_agent": "select office.update_agent('ada',"
    """ '{"max_concurrent_sessions": 2, "executor": {"command": ["new"]}}')""",
    "create_agent": """select office.create_agent('zoe', executor => '{"command": ["new"]}',"""
    " reports_to => 'ada', workspace => 'acme')",
    "create_project": "select office.create_project('other', workspace => 'acme')",
    "create_profile": """select office.create_profile('other', '{"command": ["new"]}',"""
    " workspace => 'acme')",
    "create_workspace": "select office.create_workspace('other')",
    "create_account": "select office.create_account('carol')",
    "set_setting": "select office.set_setting('max_concurrent_runs', '5', 'acme')",
    "set_setting of the office": "select office.set_setting('max_concurrent_runs', '5', 'office')",
    "wake": "select office.wake('ada', workspace => 'acme')",
    "wake with a key": "select office.wake('ada', idempotency_key => 'mine', workspace => 'acme')",
    "wake about the task": """select office.wake('ada', 'user', '{"task_id": "t1"}',"""
    " workspace => 'acme')",
    "wake_many": "select office.wake_many("
    """'[{"agent": "acme/ada", "idempotency_key": "a"}, {"agent": "acme/bob"}]')""",
}


@pytest.fixture
def acme(office: Office) -> Office:
    """t1 in project shop is ada's, t2 blocks t3, bob was woken, lea leads; nothing is dispatched yet."""
    for name in ("ada", "bob"):
        office.agent(name)
    office.agent("lea", role="ceo")
    office.slots(8)
    office.rows("select office.create_project('shop', folder => '/shop', workspace => 'acme')")
    office.rows("""select office.create_profile('usual', '{"command": ["true"]}', workspace => 'acme')""")
    office.rows("""select office.update_agent('ada', '{"profile": "usual"}')""")
    office.rows(
        "select office.create_task('Work', assignee => 'ada', project => 'shop', workspace => 'acme')"
    )
    office.task("First", "bob")
    office.task("Then", "bob", blocked_by=["t2"])
    office.rows("select office.add_comment('t1', 'Please.')")
    office.wake("bob", "key")
    return office


def work(office: Office) -> None:
    """Everything that a worker, and who looks after one, does in a day: none of it may wait."""
    worker = office.worker()
    assert office.value("select office.dispatch('acme')") > 0
    assert office.audit() == []
    launches = {(launch["agent"], launch["task"]): launch for launch in worker.claim(10)}
    assert ("ada", "t1") in launches
    for launch in launches.values():
        assert worker.start(launch) == "running"
        step = """[{"sequence": 1, "kind": "note", "content": "on it"}]"""
        worker.conn.execute("select office.record_steps(%s, %s)", [launch["attempt_id"], step])
    assert worker.heartbeat() == []
    worker.conn.execute("select office.carry_out()")
    ada = launches.pop(("ada", "t1"))
    (bob,) = launches.values()
    assert bob["agent"] == "bob"
    assert worker.finish(ada)["outcome"] == "succeeded"
    worker.conn.execute("select office.confirm_cleanup(%s)", [ada["attempt_id"]])
    assert worker.fail(bob, "configuration")["status"] == "blocked"
    office.rows("select office.retry_run(%s)", bob["run"])
    # lea hears of bob's trouble; bob's run comes again, or the other of his that waited behind it.
    again = {launch["agent"]: launch for launch in worker.claim(10)}
    assert {"lea", "bob"} <= again.keys()
    assert worker.start(again["lea"]) == "running"
    assert worker.fail(again["lea"])["status"] == "queued"
    office.rows("select office.stop(%s)", again["bob"]["run"])
    assert [row["instruction"] for row in worker.heartbeat()] == ["stop"]
    assert worker.finish(again["bob"])["status"] == "cancelled"
    office.wake("ada")
    (last,) = (launch for launch in worker.claim(10) if launch["agent"] == "ada")
    worker.start(last)
    worker.conn.execute("select office.maintain()")
    assert worker.drain() >= 1
    assert office.run(last)["status"] == "interrupted"


@pytest.mark.parametrize("doing", PEOPLE)
def test_the_office_never_waits_for_people(acme: Office, doing: str) -> None:
    """A6, A9: with any person's transaction left open, work goes on; and both commit in the end."""
    person = acme.session()
    person.execute("begin")
    person.execute(PEOPLE[doing].encode())
    work(acme)
    person.execute("commit")
    acme.settle()


def claiming(worker: Worker, launches: list[Row]) -> None:
    assert worker.claim(10)


def dispatching(worker: Worker, launches: list[Row]) -> None:
    assert worker._one("select office.dispatch('acme') as n")["n"] > 0


def starting(worker: Worker, launches: list[Row]) -> None:
    assert worker.start(launches[0]) == "running"


def finishing(worker: Worker, launches: list[Row]) -> None:
    for launch in launches:
        worker.finish(launch)


def failing(worker: Worker, launches: list[Row]) -> None:
    for launch in launches:
        worker.fail(launch, "configuration")


def stopping(worker: Worker, launches: list[Row]) -> None:
    worker.conn.execute("select office.stop('workspace:acme')")


def draining(worker: Worker, launches: list[Row]) -> None:
    assert worker.drain() == len(launches)


OFFICE = (claiming, dispatching, starting, finishing, failing, stopping, draining)


@pytest.mark.parametrize("act", OFFICE, ids=lambda act: act.__name__)
def test_people_never_wait_for_the_office(acme: Office, act: object) -> None:
    """A6: with a gate held by an open transaction, every person's transaction goes through, and commits."""
    worker = acme.worker(acme.session())
    launches = [] if act in (claiming, dispatching) else worker.claim(10)
    # Something to dispatch and to claim, so that the open transaction has changed what it can.
    acme.wake("bob")
    acme.wake("lea")
    worker.conn.execute("begin")
    act(worker, launches)  # type: ignore[operator]
    assert acme.rows("select from office_internal.gates for no key update skip locked") != acme.rows(
        "select from office_internal.gates"
    ), "a gate is held"
    person = acme.session()
    for statement in PEOPLE.values():
        # Each on its own: one that closes or deletes the task would refuse the next.
        with person.transaction(force_rollback=True):
            person.execute(statement.encode())
    for doing in A_DAY:
        person.execute(PEOPLE[doing].encode())
    assert_a_day_was_kept(acme)
    worker.conn.execute("commit")
    acme.settle()
    assert_a_day_was_kept(acme)
    assert_nothing_is_lost(acme)


A_DAY = (
    "create_task",
    "move_task",
    "assign_task",
    "add_comment",
    "wake",
    "update_agent",
    "create_agent",
    "delete_task",
)
"""What a person does, one thing after the other."""


def assert_a_day_was_kept(office: Office) -> None:
    """What A_DAY leaves in people's tables, as anybody sees it."""
    tasks = office.rows(
        "select t.title, t.state, a.name as assignee, t.deleted_at is not null as deleted"
        " from office.tasks as t join office.agents as a on a.id = t.assignee_agent_id"
        " where t.number not in (2, 3) order by t.number"
    )
    assert tasks[0] == {"title": "Work", "state": "in_progress", "assignee": "bob", "deleted": True}
    assert [(task["title"], task["assignee"], task["deleted"]) for task in tasks[1:]] == [
        ("Another", "ada", True)  # a part of t1, which was deleted (T14)
    ]
    assert {"body": "Look."} in office.rows("select body from office.comments")
    agents = office.rows(
        "select name, max_concurrent_sessions from office.agents where name in ('ada', 'zoe') order by name"
    )
    assert agents == [
        {"name": "ada", "max_concurrent_sessions": 2},
        {"name": "zoe", "max_concurrent_sessions": 1},
    ]


def assert_nothing_is_lost(office: Office) -> None:
    """Every wakeup has an end, or a run that is under way, waits, or was interrupted."""
    assert office.rows("select from office_internal.signals") == []
    lost = office.rows(
        "select w.source, w.status, r.status as run from office.wakeups as w"
        " join office.wakeup_states as s on s.status = w.status"
        " left join office.runs as r on r.id = w.run_id"
        " where not s.ended and (r.id is null or r.ended_at is not null and r.status <> 'interrupted')"
    )
    assert lost == []


@pytest.mark.parametrize("isolation", ["repeatable read", "serializable"])
def test_people_may_use_any_isolation(acme: Office, isolation: str) -> None:
    """A6: without a gate, at every level; a gate function refuses them (isolation)."""
    worker = acme.worker()
    person = acme.session()
    person.execute(f"begin isolation level {isolation}".encode())
    for doing in A_DAY:
        person.execute(PEOPLE[doing].encode())
        worker.claim(1)
    person.execute("commit")
    assert_a_day_was_kept(acme)
    person.execute(f"begin isolation level {isolation}".encode())
    with pytest.raises(psycopg.Error) as refused:
        person.execute("select office.dispatch('acme')")
    assert '"isolation"' in (refused.value.diag.message_detail or "")
    person.execute("rollback")
    acme.settle()
    assert_nothing_is_lost(acme)
