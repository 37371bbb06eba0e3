"""Program: clients that do every operation at random, and keep what was acknowledged.

python -m chaos.people DSN LEDGER SLOT THREADS SEED
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from pathlib import Path

from psycopg.types.json import Jsonb

from .crew import Orders, in_threads
from .furnish import AGENTS, CHANGED_PROVIDER, FIXED_PROVIDER, FIXED_SLOTS, WORKSPACES, workspace_of
from .ledger import Ledger
from .sessions import Lost, Refused, Session

PAUSE = 0.15  # seconds at most between two acts of one client
KEYS = 100_000
TIMEOUTS = {"statement_timeout": "15s", "idle_in_transaction_session_timeout": "10s"}

STATES = ("todo", "in_progress", "done", "cancelled")
BY_HAND = ("queued", "cancelled", "interrupted", "finished")
A_TASK = """from (
  select t.number from office.tasks as t
  where t.number > (select max(m.number) - 60 from office.tasks as m) and t.deleted_at is null
  order by random() limit 1
) as task"""
A_RUN = """from (
  select r.number from office.runs as r
  where {} and r.number > (select max(m.number) - 300 from office.runs as m)
  order by random() limit 1
) as run"""
ANY_RUN = A_RUN.format("true")
LIVE_RUN = A_RUN.format("r.status in ('claimed', 'running', 'waiting', 'stopping')")
ENDED_BADLY = A_RUN.format("r.status in ('interrupted', 'failed', 'blocked')")
WAITING = A_RUN.format("r.status = 'queued'")


class Client:
    """One thread's: an act after the other, a pause between."""

    def __init__(self, dsn: str, ledger: Ledger, orders: Orders, dice: random.Random) -> None:
        self.session = Session(dsn, f"chaos {ledger.writer}", ledger, **TIMEOUTS)
        self.ledger = ledger
        self.orders = orders
        self.dice = dice

    def live(self) -> None:
        acts, weights = zip(*ACTS, strict=True)
        while not self.orders.over.is_set():
            act = self.dice.choices(acts, weights=weights)[0]
            name = act.__name__
            try:
                act(self)
                self.ledger.note("did", kind=name)
            except Refused as error:
                self.ledger.note("refused", kind=name, code=error.state)
            except Lost:
                self.ledger.note("lost", kind=name)
            self.orders.pause(self.dice.uniform(0, PAUSE))
        self.session.close()

    def agent(self) -> str:
        number = self.dice.randrange(AGENTS)
        return f"{workspace_of(number)}/a{number}"

    def changing_agent(self) -> str:
        """One of a workspace whose limits may change."""
        return next(agent for agent in iter(self.agent, "") if agent.split("/")[0] not in FIXED_SLOTS)

    def workspace(self) -> str:
        return f"w{self.dice.randrange(WORKSPACES)}"

    def do(self, statement: str, *values: object) -> None:
        self.session.rows(statement, *values)


def wake(client: Client) -> None:
    """With a key and without, for a task and for none; now and then beside other data, or rolled back."""
    agent = client.agent()
    key = f"k{client.dice.randrange(KEYS)}" if client.dice.random() < 0.5 else None
    kept = client.dice.random() > 0.1
    statement = "select * from office.wake(%s, idempotency_key => %s)"
    if client.dice.random() < 0.4:
        statement = f"""
            select woken.* {A_TASK} cross join lateral office.wake(
              %s, idempotency_key => %s, payload => jsonb_build_object('task_id', 't' || task.number)
            ) as woken"""
    steps: list[tuple[str, list[object]]] = [(statement, [agent, key])]
    if not kept or client.dice.random() < 0.1:
        steps.insert(0, ("select pg_sleep(0.05)", []))
    for row in client.session.together(steps, keep=kept):
        client.ledger.note(
            "woken" if kept else "rolled back",
            wakeup=row["wakeup_id"],
            key=key and f"{agent.split('/')[0]} {key}",
            duplicate=row["duplicate"],
        )


def wake_many(client: Client) -> None:
    requests = [
        {"agent": client.agent(), "idempotency_key": f"k{client.dice.randrange(KEYS)}"}
        for _ in range(client.dice.randint(1, 8))
    ]
    rows = client.session.rows("select * from office.wake_many(%s)", Jsonb(requests))
    for row in rows:
        request = requests[row["ordinal"] - 1]
        client.ledger.note(
            "woken",
            wakeup=row["wakeup_id"],
            key=f"{request['agent'].split('/')[0]} {request['idempotency_key']}",
            duplicate=row["duplicate"],
        )


def create_task(client: Client) -> None:
    agent = client.agent()
    project = "p" if client.dice.random() < 0.3 else None
    rows = client.session.rows(
        "select task_id from office.create_task('Chaos', assignee => %s, workspace => %s, project => %s)",
        agent,
        agent.split("/")[0],
        project,
    )
    client.ledger.note("created", task=rows[0]["task_id"])


def create_blocked(client: Client) -> None:
    """A task that waits for another of its workspace."""
    client.do(
        f"""
        with task as (
          select b.number, w.name from office.tasks as b join office.workspaces as w on w.id = b.workspace_id
          where b.number = (select task.number {A_TASK}) and b.state in ('todo', 'in_progress')
        )
        select office.create_task(
          'Blocked', workspace => name, blocked_by => array['t' || number], assignee => (
            select a.name from office.agents as a join office.workspaces as w on w.id = a.workspace_id
            where w.name = task.name order by random() limit 1
          )
        )
        from task
        """
    )


def block_by_hand(client: Client) -> None:
    client.do(
        f"""
        insert into office.task_blockers (workspace_id, task_id, blocker_task_id)
        select a.workspace_id, a.id, b.id
        from office.tasks as a
        join office.tasks as b on b.workspace_id = a.workspace_id and b.number < a.number
        where a.number = (select task.number {A_TASK}) and b.state = 'todo' and a.deleted_at is null
        order by random() limit 1
        on conflict do nothing
        """
    )


def unblock_by_hand(client: Client) -> None:
    client.do(
        "delete from office.task_blockers where (task_id, blocker_task_id) in"
        " (select task_id, blocker_task_id from office.task_blockers order by random() limit 2)"
    )


def comment(client: Client) -> None:
    rows = client.session.rows(
        f"select office.add_comment('t' || number, %s) as comment {A_TASK}",
        client.dice.choice(["Well?", f"What do you say, @{client.agent().split('/')[1]}?"]),
    )
    for row in rows:
        client.ledger.note("commented", comment=row["comment"])


def assign(client: Client) -> None:
    client.do(f"select office.assign_task('t' || number, %s) {A_TASK}", client.agent())


def unassign(client: Client) -> None:
    client.do(f"select office.assign_task('t' || number, null) {A_TASK}")


def move(client: Client) -> None:
    client.do(f"select office.move_task('t' || number, %s) {A_TASK}", client.dice.choice(STATES))


def complete(client: Client) -> None:
    client.do(f"select office.complete_task('t' || number) {A_TASK}")


def archive(client: Client) -> None:
    client.do(f"select office.archive_task('t' || number) {A_TASK}")


def delete(client: Client) -> None:
    client.do(f"select office.delete_task('t' || number) {A_TASK}")


def snooze(client: Client) -> None:
    until = client.dice.choice(["null", "clock_timestamp() + interval '3 s'", "now() + interval '1 h'"])
    client.do(f"update office.tasks set snoozed_until = {until} where number = (select number {A_TASK})")


def pause_and_resume(client: Client) -> None:
    luck = client.dice.random()
    agent, workspace = client.agent(), f"workspace:{client.workspace()}"
    ref = agent if luck < 0.6 else workspace if luck < 0.9 else "everything"
    client.do("select office.pause(%s, 'chaos')", ref)
    client.orders.pause(client.dice.uniform(0, 1.5))
    client.do("select office.resume(%s)", ref)


def resume(client: Client) -> None:
    ref = client.dice.choice([client.agent(), f"workspace:{client.workspace()}", "everything"])
    client.do("select office.resume(%s)", ref)


def stop_run(client: Client) -> None:
    for row in client.session.rows(
        f"select s.* {LIVE_RUN} cross join lateral office.stop('r' || number) as s"
    ):
        client.ledger.note("stopped", run=row["run"], status=row["status"])


def stop_task(client: Client) -> None:
    client.do(f"select s.* {A_TASK} cross join lateral office.stop('t' || number) as s")


def stop_agent(client: Client) -> None:
    agent = client.agent()
    client.do("select * from office.stop(%s, 'chaos')", agent)
    client.orders.pause(client.dice.uniform(0, 1))
    client.do("select * from office.resume(%s)", agent)


def stop_workspace(client: Client) -> None:
    client.do("select * from office.stop(%s, 'chaos')", f"workspace:{client.workspace()}")


def stop_everything(client: Client) -> None:
    client.do("select * from office.stop('everything', 'chaos')")


def stop_runs(client: Client) -> None:
    client.do("select * from office.stop_runs(agent => %s, dry_run => false)", client.agent())


def retry_run(client: Client) -> None:
    client.do(
        f"select t.* {ENDED_BADLY} cross join lateral office.retry_run('r' || number, %s) as t",
        client.dice.random() < 0.3,
    )


def retry_runs(client: Client) -> None:
    client.do("select * from office.retry_runs(workspace => %s, dry_run => false)", client.workspace())


def answer(client: Client) -> None:
    """What one that is open asks; half of the time with a choice that another client may not have made."""
    rows = client.session.rows(
        "select 'd' || number as decision, choices from office.decisions where status = 'pending'"
        " order by random() limit 1"
    )
    for row in rows:
        choice = client.dice.choice(row["choices"])["id"]
        client.do("select * from office.answer(%s, %s)", row["decision"], choice)
        client.ledger.note("answered", decision=row["decision"], choice=choice)


def set_slots(client: Client) -> None:
    workspace = client.changing_agent().split("/")[0]
    client.do(
        "select office.set_setting('max_concurrent_runs', %s, %s)", str(client.dice.randint(1, 8)), workspace
    )


def set_capacity(client: Client) -> None:
    changes = {
        "max_concurrent_sessions": client.dice.randint(1, 3),
        "cooldown_sec": client.dice.randint(0, 1),
    }
    client.do("select office.update_agent(%s, %s)", client.changing_agent(), Jsonb(changes))


def set_provider_limit(client: Client) -> None:
    client.do("select office.set_provider_limit(%s, %s)", CHANGED_PROVIDER[0], client.dice.randint(1, 4))


def end_hold(client: Client) -> None:
    provider = client.dice.choice([CHANGED_PROVIDER[0], FIXED_PROVIDER[0]])
    client.do("select * from office.end_hold(%s)", provider)


def expire_worker(client: Client) -> None:
    client.do(
        "select office.expire_worker(id) from (select id from office.workers where ended_at is null"
        " order by random() limit 1) as w"
    )


def run_by_hand(client: Client) -> None:
    """An operator's UPDATE in psql: an end, a fresh start, whatever the state machine lets through."""
    status = client.dice.choice(BY_HAND)
    client.do(
        f"update office.runs set status = %s where number = (select number {LIVE_RUN})"
        " and status <> 'waiting'",
        status,
    )


def retry_by_hand(client: Client) -> None:
    client.do(
        f"update office.runs set scheduled_retry_at = null where number = (select number {WAITING})"
        " and scheduled_retry_at is not null"
    )


def agent_by_hand(client: Client) -> None:
    client.do(
        "update office.agents set status = case status when 'active' then 'paused' else 'active' end"
        " where name = %s",
        client.agent().split("/")[1],
    )


def release_task(client: Client) -> None:
    client.do(f"select office.release_task('t' || number) {A_TASK}")


def look(client: Client) -> None:
    """What people read meanwhile."""
    question = client.dice.choice(
        [
            "select count(*) from office.up_next",
            "select * from office.held_up()",
            f"select w.* {ANY_RUN} cross join lateral office.why('r' || number) as w",
        ]
    )
    client.do(question)


def dispatch(client: Client) -> None:
    client.do("select office.dispatch(%s)", client.workspace())


ACTS: list[tuple[Callable[[Client], None], float]] = [
    (wake, 60),
    (wake_many, 12),
    (create_task, 25),
    (create_blocked, 5),
    (block_by_hand, 2),
    (unblock_by_hand, 2),
    (comment, 15),
    (assign, 12),
    (unassign, 2),
    (move, 20),
    (complete, 3),
    (archive, 1),
    (delete, 2),
    (snooze, 3),
    (pause_and_resume, 5),
    (resume, 2),
    (stop_run, 4),
    (stop_task, 3),
    (stop_agent, 2),
    (stop_workspace, 1),
    (stop_everything, 0.3),
    (stop_runs, 1),
    (retry_run, 12),
    (retry_runs, 2),
    (answer, 40),
    (set_slots, 3),
    (set_capacity, 3),
    (set_provider_limit, 2),
    (end_hold, 4),
    (expire_worker, 0.5),
    (run_by_hand, 4),
    (retry_by_hand, 6),
    (agent_by_hand, 2),
    (release_task, 1),
    (look, 4),
    (dispatch, 3),
]
"""Everything that people do, and how often."""


def main() -> None:
    dsn, path, _, threads, seed = sys.argv[1:]
    orders, ledger = Orders(), Ledger(Path(path))
    in_threads(
        int(threads),
        lambda nth: Client(dsn, ledger, orders, random.Random(f"{seed} {nth}")).live(),
    )


if __name__ == "__main__":
    main()
