"""K12: two sessions at what tasks wait for (T8, T5), and at what nobody started (T11)."""

from __future__ import annotations

from collections.abc import Sequence

import psycopg
import pytest
from support.races import Background, wait_until_blocked

from .conftest import Office, together

ADD = "select office.add_blocker(%s, %s) as task"


def add(task: str, blocker: str) -> str:
    return ADD.replace("%s", "'{}'").format(task, blocker)


def test_two_halves_of_a_cycle_at_once(office: Office) -> None:
    """sc-T6, T8, K12 blocker/blocker: one is refused, with the path."""
    a, b = office.task("A"), office.task("B")
    first, second = office.session(), office.session(patient=True)
    first.execute("begin")
    first.execute(ADD, [a, b])
    with Background(second, add(b, a)) as other:
        wait_until_blocked(office.watcher, other.pid, by=first.info.backend_pid)
        first.execute("commit")
        with pytest.raises(
            psycopg.Error, match=f"{b} would wait for itself: {b} waits for {a} waits for {b}"
        ):
            other.rows()
    assert office.value("select count(*) from office.task_blockers") == 1


def test_the_second_half_goes_through_when_the_first_rolls_back(office: Office) -> None:
    """T8: what is not committed is no blocker."""
    a, b = office.task("A"), office.task("B")
    first, second = office.session(), office.session(patient=True)
    first.execute("begin")
    first.execute(ADD, [a, b])
    with Background(second, add(b, a)) as other:
        wait_until_blocked(office.watcher, other.pid, by=first.info.backend_pid)
        first.execute("rollback")
        assert len(other.rows()) == 1


def test_above_read_committed_the_second_half_is_to_be_tried_again(office: Office) -> None:
    """T8: its snapshot is older than the first half: 40001."""
    a, b, c = office.task("A"), office.task("B"), office.task("C")
    office.rows(ADD, a, c)
    first, second = office.session(), office.session(patient=True)
    second.execute("begin isolation level repeatable read")
    second.execute("select count(*) from office.task_blockers")
    first.execute(ADD, [a, b])
    with pytest.raises(psycopg.errors.SerializationFailure):
        second.execute(ADD, [b, a])
    second.execute("rollback")


def test_a_look_without_the_guard_would_let_both_halves_in(office: Office) -> None:
    """K13, T8: the naive check sees no cycle in either of two open transactions."""
    a, b = office.task("A"), office.task("B")
    office.rows("alter table office.task_blockers disable trigger user")
    insert = (
        "insert into office.task_blockers (workspace_id, task_id, blocker_task_id)"
        " select x.workspace_id, x.id, y.id from office.tasks as x, office.tasks as y"
        " where 't' || x.number = %s and 't' || y.number = %s"
        " and not exists (select from office.task_blockers as k"
        " where k.task_id = y.id and k.blocker_task_id = x.id)"
    )
    first, second = office.session(), office.session()
    first.execute("begin")
    second.execute("begin")
    first.execute(insert, [a, b])
    second.execute(insert, [b, a])
    first.execute("commit")
    second.execute("commit")
    assert office.value("select count(*) from office.task_blockers") == 2
    assert office.value(
        "select office_internal.blocker_cycle(array_agg(task_id), array_agg(blocker_task_id)) is not null"
        " from office.task_blockers"
    )


def test_two_last_blockers_done_at_once_wake_once(office: Office) -> None:
    """sc-T3, T5: two signals, one wake."""
    office.agent("ada")
    a, b = office.task("A"), office.task("B")
    work = office.task("Work", "ada", blocked_by=[a, b])
    office.settle()
    first, second = office.session(), office.session()
    first.execute("begin")
    second.execute("begin")
    first.execute("select office.move_task(%s, 'done')", [a])
    second.execute("select office.move_task(%s, 'done')", [b])
    first.execute("commit")
    second.execute("commit")

    def dispatch() -> None:
        office.session(patient=True).execute("select office.dispatch('acme')")

    together(dispatch, dispatch)
    assert office.rows(
        "select w.source from office.wakeups as w join office.tasks as t on t.id = w.task_id"
        " where 't' || t.number = %s",
        work,
    ) == [{"source": "task_blockers_resolved"}]
    office.settle()


def test_two_sweeps_of_recovery_wake_once(office: Office) -> None:
    """sc-T10, T11: the second leaves it to the first, and after that finds nothing left."""
    office.agent("ada")
    office.settle()
    office.task("Forgotten", "ada")
    office.rows("delete from office_internal.signals")
    first, second = office.session(), office.session()
    first.execute("begin")
    sweep = "select office_internal.recover_tasks() as woken"
    assert first.execute(sweep).fetchall() == [{"woken": 1}]
    assert second.execute(sweep).fetchall() == [{"woken": 0}]
    first.execute("commit")
    assert second.execute(sweep).fetchall() == [{"woken": 0}]
    assert office.value("select count(*) from office.wakeups") == 1
    office.settle()


def test_a_task_is_given_away_while_its_run_is_claimed(office: Office) -> None:
    """K12 reassign/claim, T6: claimed or cancelled, and never both; the new assignee is woken once."""
    office.agent("ada")
    office.agent("ben")
    work = office.task("Work", "ada")
    office.rows("select office.dispatch('acme')")
    worker = office.worker(office.session(patient=True))
    giver = office.session()
    giver.execute("begin")
    giver.execute("select office.assign_task(%s, 'ben')", [work])
    (launch,) = worker.claim(1)
    assert launch["agent"] == "ada", "what is not committed is not so"
    giver.execute("commit")
    office.rows("select office.dispatch('acme')")
    assert office.run(launch)["status"] == "stopping"
    worker.finish(launch)
    assert office.run(launch)["result"] == "assignee_changed"
    assert [each["agent"] for each in worker.claim(5)] == ["ben"]
    office.settle()


def test_two_halves_of_a_circle_of_parts_at_once(office: Office) -> None:
    """T14, T8: one is refused: no task is a part of itself."""
    a, b = office.task("A"), office.task("B")
    put = "select office.update_task('{}', '{{\"parent\": \"{}\"}}') as task"
    first, second = office.session(), office.session(patient=True)
    first.execute("begin")
    first.execute(put.format(a, b))
    with Background(second, put.format(b, a)) as other:
        wait_until_blocked(office.watcher, other.pid, by=first.info.backend_pid)
        first.execute("commit")
        with pytest.raises(psycopg.Error, match=f"{b} would be a part of itself"):
            other.rows()


def test_a_part_is_added_while_its_parent_is_archived(office: Office) -> None:
    """T14: whoever comes second waits, and sees: refused, or archived with it."""
    a, b = office.task("A"), office.task("B")
    archive = "select office.archive_task('{}') as task"
    create = "select office.create_task('Part', parent => '{}', workspace => 'acme') as task"
    first, second = office.session(), office.session(patient=True)
    first.execute("begin")
    first.execute(archive.format(a))
    with Background(second, create.format(a)) as other:
        wait_until_blocked(office.watcher, other.pid, by=first.info.backend_pid)
        first.execute("commit")
        with pytest.raises(psycopg.Error, match=f"{a} is archived"):
            other.rows()
    first.execute("begin")
    first.execute(create.format(b))
    with Background(second, archive.format(b)) as other:
        wait_until_blocked(office.watcher, other.pid, by=first.info.backend_pid)
        first.execute("commit")
        other.rows()
    assert office.value("select count(*) from office.tasks where title = 'Part' and archived_at is null") == 0


def test_one_request_is_delivered_twice_at_once(office: Office) -> None:
    """T12: one task, whoever is first."""
    office.rows("select office.create_account('ben')")
    office.rows("select office.add_member('acme', 'ben')")
    ask = "select (office.request_task('ben', 'Help', peer_request_id => '7', workspace => 'acme')).task"
    first, second = office.session(), office.session(patient=True)
    first.execute("begin")
    (row,) = first.execute(ask).fetchall()
    with Background(second, ask) as other:
        wait_until_blocked(office.watcher, other.pid, by=first.info.backend_pid)
        first.execute("commit")
        assert other.rows() == [row]
    assert office.value("select count(*) from office.tasks") == 1
    assert office.value("select count(*) from office.inbox_items") == 1


def test_two_begin_a_document_at_once(office: Office) -> None:
    """X2: the second finds it; unless it was to be new."""
    a = office.task("A")
    write = "select version from office.write_document('plan', '{}', '{}'{})"
    first, second = office.session(), office.session(patient=True)
    first.execute("begin")
    first.execute(write.format("One.", a, ", 0"))
    with Background(second, write.format("Two.", a, "")) as other:
        wait_until_blocked(office.watcher, other.pid, by=first.info.backend_pid)
        first.execute("commit")
        assert other.rows() == [{"version": 2}]
    first.execute("begin")
    first.execute(write.format("Three.", a, ", 2"))
    with Background(second, write.format("Four.", a, ", 2")) as other:
        wait_until_blocked(office.watcher, other.pid, by=first.info.backend_pid)
        first.execute("commit")
        with pytest.raises(psycopg.Error, match="has been written since"):
            other.rows()
    assert office.value("select body from office.task_documents") == "Three."


STATES = ("proposed", "todo", "in_progress", "in_review", "blocked", "done", "cancelled")


@pytest.mark.parametrize("state", STATES)
def test_a_copy_begins_where_tasks_begin(office: Office, state: str) -> None:
    """T2, sc-T1: what COPY brings is proposed or to do; else nothing of it comes."""
    if state in STATES[:2]:
        copy(office, ["todo", state])
        assert office.value("select count(*) from office.tasks where state = %s", state) >= 1
    else:
        with pytest.raises(psycopg.Error, match=f"A new task cannot be {state}") as refused:
            copy(office, ["todo", state])
        assert refused.value.sqlstate == "PT422"
        assert office.value("select count(*) from office.tasks") == 0
    office.settle()


def test_what_is_copied_wakes_once(office: Office) -> None:
    """T5, A6: a task that comes by COPY wakes its assignee as any other does; a proposed one nobody."""
    office.agent("ada")
    copy(office, ["todo", "todo", "proposed"], assignee="ada")
    office.rows("select office.dispatch('acme')")
    assert office.rows("select source, count(*) as n from office.wakeups group by 1") == [
        {"source": "task_assigned", "n": 2}
    ]
    office.settle()


def test_a_copied_cycle_is_refused_whole(office: Office) -> None:
    """T8: blockers that come by COPY are looked at together."""
    names = [office.task(title) for title in "abc"]
    one, two, three = (office.value("select id from office.tasks where 't' || number = %s", n) for n in names)
    workspace = office.value("select distinct workspace_id from office.tasks")
    conn = office.session()
    with (
        pytest.raises(psycopg.Error) as refused,
        conn.cursor().copy(
            "copy office.task_blockers (workspace_id, task_id, blocker_task_id) from stdin"
        ) as rows,
    ):
        for task, blocker in ((one, two), (two, three), (three, one)):
            rows.write_row([workspace, task, blocker])
    assert refused.value.sqlstate == "PT409"
    assert office.value("select count(*) from office.task_blockers") == 0
    office.settle()


def copy(office: Office, states: Sequence[str], *, assignee: str | None = None) -> None:
    """A task a state, in one COPY."""
    (place,) = office.rows(
        "select w.id, w.office_workflow_id as flow,"
        " (select a.id from office.agents as a where a.name = %s) as agent"
        " from office.workspaces as w where w.name = 'acme'",
        assignee,
    )
    with (
        office.session()
        .cursor()
        .copy(
            "copy office.tasks (workspace_id, workflow_id, title, state, assignee_agent_id) from stdin"
        ) as rows
    ):
        for state in states:
            rows.write_row([place["id"], place["flow"], f"A task {state}", state, place["agent"]])
