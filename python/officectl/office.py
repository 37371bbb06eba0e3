"""The office from Python: one method a public function of schema `office`, with its names and defaults.

    with connect(dsn) as connection:
        office = Office(connection)
        office.create_agent("triage", executor={"command": ["/usr/local/bin/triage"]})
        office.create_task("Look at order 7", assignee="triage")

Every call runs in the transaction of the connection that it was given, so it commits and rolls back with the
caller's own data. References are names, numbers ('t97', 'r4812') or uuids as text. Rows come back as dicts; a
refusal is the `psycopg.Error` that Postgres raised (SQLSTATE `PT` + an HTTP status), which
`officectl.errors.translate` makes readable. None for an optional argument means the function's own default.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any, TypedDict, TypeVar, cast
from uuid import UUID

import psycopg
from psycopg.rows import dict_row

from officectl.statements import given, statement

Json = dict[str, Any]
R = TypeVar("R")
V = TypeVar("V")


class WorkspaceRow(TypedDict):
    workspace_id: UUID
    workspace: str


class AccountRow(TypedDict):
    account_id: UUID
    account: str


class AgentRow(TypedDict):
    agent_id: UUID
    agent: str
    workspace: str
    note: str | None


class ProjectRow(TypedDict):
    project_id: UUID
    project: str
    workspace: str


class ProfileRow(TypedDict):
    profile_id: UUID
    profile: str
    workspace: str


class RequestAnswerRow(TypedDict):
    """A requested task as it was answered."""

    task_id: UUID
    request: str
    state: str
    answered: str
    said: str | None
    requested_by: str


class MessageRow(TypedDict):
    """The comment that an outside message became; `duplicate`: it had come before."""

    comment_id: UUID
    duplicate: bool


class WrittenDocumentRow(TypedDict):
    document_id: UUID
    of_task: str
    document: str
    version: int


class DocumentRow(WrittenDocumentRow):
    body: str
    written_by: str
    written_at: datetime


class TaskRow(TypedDict):
    task_id: UUID
    task: str
    state: str
    assignee: str | None
    workspace: str


class RoutineRow(TypedDict):
    routine_id: UUID
    routine: str
    status: str
    workspace: str


class TriggerRow(TypedDict):
    trigger_id: UUID
    routine: str
    kind: str
    enabled: bool
    next_run_at: datetime | None
    public_id: str | None
    secret: str | None


class WorktreeRow(TypedDict):
    name: str
    branch: str
    repository: str
    folder: str


class CheckRow(TypedDict):
    check_id: UUID
    task: str
    command: list[str]
    folder: str | None
    worktree: Json | None
    tree: str | None
    minutes: int


class FireRow(TypedDict):
    routine_run_id: UUID
    status: str
    task: str | None


class TickRow(TypedDict):
    fired: int
    failed: int
    passed_over: int
    next_due_at: datetime | None
    call_in: float


class WebhookRow(TypedDict):
    status: int
    answer: Json


class MetricRow(TypedDict):
    metric: str
    labels: Json
    value: float
    meaning: str


class WakeupRow(TypedDict):
    wakeup_id: UUID
    duplicate: bool


class NumberedWakeupRow(WakeupRow):
    ordinal: int


class ResultRow(TypedDict):
    reference: str
    kind: str
    status: str
    outcome: str | None
    result: str | None
    run: str | None
    summary: str | None
    error: str | None
    ended_at: datetime | None


class SettledRow(TypedDict):
    settled: bool
    succeeded: bool
    needs_person: bool
    result: str | None


class RunRow(TypedDict):
    run_id: UUID
    run: str
    status: str
    result: str


class DecisionRow(TypedDict):
    decision_id: UUID
    decision: str
    kind: str
    status: str
    open: bool
    choice: str | None
    note: str | None
    reason: str | None
    run: str | None
    run_status: str | None
    operation: Json | None


class CheckpointRow(TypedDict):
    checkpoint_id: UUID
    attempt: int
    saved_state: Json
    pending_operation: Json | None
    saved_tree: str | None
    saved_at: datetime


class ReceiptRow(TypedDict):
    receipt: str
    outcome: Json
    written_at: datetime
    attempt: int
    fresh: bool


class ChosenRunRow(TypedDict):
    run_id: UUID
    run: str
    agent_name: str
    task_number: str | None
    was: str
    becomes: str


class SessionRow(TypedDict):
    session_id: UUID
    session: str
    run_id: UUID | None
    run: str | None
    queue_position: int | None


class AbandonedRow(TypedDict):
    attempt_id: UUID
    launch: int


class DeletionRow(TypedDict):
    deletion_id: UUID
    engine_session: str
    executor: Json


class ReleaseRow(TypedDict):
    released: str
    held_by: str


class StuckRow(TypedDict):
    kind: str
    subject: str
    workspace: str | None
    since: datetime | None
    reason: str
    mend: str


class PauseRow(TypedDict):
    paused: str
    stopping: int


class ResumeRow(TypedDict):
    resumed: str
    queued: int


class StoryRow(TypedDict):
    at: datetime | None
    event: str
    detail: str | None
    lasted: timedelta | None
    lift: str | None


TopicRow = TypedDict("TopicRow", {"topic": str, "try": str})


class WaitRow(TypedDict):
    reason: str
    until: datetime | None
    lift: str | None


class RateLimitRow(TypedDict):
    is_limit: bool
    reset_at: datetime | None
    pattern: str | None


class EndedHoldRow(TypedDict):
    ended_provider: str
    ended_model: str | None
    was_until: datetime


class ProviderLimitRow(TypedDict):
    limited_provider: str
    most: int | None
    requests: int


class BudgetRow(TypedDict):
    budget_id: UUID
    budget: str
    budget_period: str
    most_cents: Decimal | None
    action: str


class CostRow(TypedDict):
    usage_event_id: str
    duplicate: bool
    cost_cents: Decimal | None
    cost_source: str


class ViolationRow(TypedDict):
    invariant: str
    subject: str
    detail: str | None


class PieceRow(TypedDict):
    piece: str
    done: int


class WorkerRow(TypedDict):
    worker_id: UUID
    lease_seconds: int
    heartbeat_seconds: int
    poll_seconds: int


class InstructionRow(TypedDict):
    attempt_id: UUID
    instruction: str
    detail: Json | None


class LaunchRow(TypedDict):
    run_id: UUID | None
    run: str | None
    attempt_id: UUID | None
    attempt_number: int | None
    workspace_id: UUID | None
    workspace: str | None
    agent_id: UUID | None
    agent: str | None
    task_id: UUID | None
    task: str | None
    reason: str | None
    prompt: str | None
    executor: Json | None
    engine_session: str | None
    environment: Json | None
    folder: str | None
    limits: Json | None
    resume: bool | None
    answer: Json | None
    token: str | None
    next_due_at: datetime | None
    launch: int | None
    steps: int | None
    worktree: Json | None


class StartRow(TypedDict):
    run_id: UUID
    status: str


class BulkStartRow(StartRow):
    attempt_id: UUID
    refused: str | None


class EndRow(TypedDict):
    run_id: UUID
    status: str
    outcome: str | None


class PromptRow(TypedDict):
    run_id: UUID
    prompt: str
    wakeups: int


class FeedbackRow(TypedDict):
    feedback_id: UUID
    number: int
    wakeup_id: UUID | None


class BulkEndRow(EndRow):
    attempt_id: UUID
    refused: str | None


class FailureRow(TypedDict):
    run_id: UUID
    status: str
    result: str | None
    scheduled_retry_at: datetime | None


class Office:
    """Calls on one connection; `execute` runs any other query on it."""

    def __init__(self, connection: psycopg.Connection[Any]) -> None:
        self.connection = connection

    def execute(self, query: Any, arguments: Any = None) -> list[Json]:
        """The rows of a query, as dicts."""
        with self.connection.cursor(row_factory=dict_row) as cursor:
            cursor.execute(query, arguments)
            return cursor.fetchall() if cursor.description else []

    def call(self, function: str, /, **arguments: Any) -> list[Json]:
        """The rows of `select * from office.<function>(…)`, all arguments passed as they are."""
        return self.execute(*statement(function, **arguments))

    def _rows(self, _kind: type[R], function: str, /, **arguments: Any) -> list[R]:
        return cast("list[R]", self.call(function, **given(arguments)))

    def _row(self, _kind: type[R], function: str, /, **arguments: Any) -> R:
        return self._rows(_kind, function, **arguments)[0]

    def _value(self, _kind: type[V], function: str, /, **arguments: Any) -> V:
        return cast("V", self.call(function, **given(arguments))[0][function])

    # Directory

    def create_workspace(
        self, name: str, owner: str | None = None, timezone: str | None = None
    ) -> WorkspaceRow:
        return self._row(WorkspaceRow, "create_workspace", name=name, owner=owner, timezone=timezone)

    def create_account(
        self, name: str, email: str | None = None, db_role: str | None = None, operator: bool | None = None
    ) -> AccountRow:
        return self._row(
            AccountRow, "create_account", name=name, email=email, db_role=db_role, operator=operator
        )

    def add_member(self, workspace: str, account: str, role: str | None = None) -> None:
        self.call("add_member", workspace=workspace, account=account, **given({"role": role}))

    def create_agent(
        self,
        name: str,
        executor: Json | None = None,
        role: str | None = None,
        instructions: str | None = None,
        workspace: str | None = None,
        reports_to: str | None = None,
        max_concurrent_sessions: int | None = None,
        cooldown_sec: int | None = None,
        skip_idle_wakeups: bool | None = None,
        profile: str | None = None,
    ) -> AgentRow:
        return self._row(
            AgentRow,
            "create_agent",
            name=name,
            executor=executor,
            role=role,
            instructions=instructions,
            workspace=workspace,
            reports_to=reports_to,
            max_concurrent_sessions=max_concurrent_sessions,
            cooldown_sec=cooldown_sec,
            skip_idle_wakeups=skip_idle_wakeups,
            profile=profile,
        )

    def update_agent(self, agent: str, changes: Json) -> AgentRow:
        return self._row(AgentRow, "update_agent", agent=agent, changes=changes)

    def create_project(
        self,
        name: str,
        folder: str | None = None,
        repo: str | None = None,
        executor: Json | None = None,
        workspace: str | None = None,
        isolation: str = "shared",
        check_command: Sequence[str] | None = None,
    ) -> ProjectRow:
        return self._row(
            ProjectRow,
            "create_project",
            name=name,
            folder=folder,
            repo=repo,
            executor=executor,
            workspace=workspace,
            isolation=isolation,
            check_command=None if check_command is None else list(check_command),
        )

    def update_project(self, project: str, changes: Json, workspace: str | None = None) -> ProjectRow:
        return self._row(
            ProjectRow, "update_project", project=project, changes=changes, **given({"workspace": workspace})
        )

    def collect_worktree(self, worktree: str, dropped: bool = False) -> WorktreeRow:
        return self._row(WorktreeRow, "collect_worktree", worktree=worktree, dropped=dropped)

    def claim_checks(self, worker_id: UUID, max_checks: int = 1) -> list[CheckRow]:
        return self._rows(CheckRow, "claim_checks", worker_id=worker_id, max_checks=max_checks)

    def finish_check(
        self,
        check_id: UUID,
        worker_id: UUID,
        exit_code: int | None = None,
        output: str | None = None,
        tree: str | None = None,
    ) -> str:
        """What it came to: passed or failed."""
        return str(
            self.call(
                "finish_check",
                check_id=check_id,
                worker_id=worker_id,
                exit_code=exit_code,
                output=output,
                tree=tree,
            )[0]["finish_check"]
        )

    def create_profile(
        self,
        name: str,
        executor: Json | None = None,
        model: str | None = None,
        workspace: str | None = None,
        thinking_level: str | None = None,
        context_window: int | None = None,
        tiers: Sequence[str] | None = None,
        choices: Sequence[str] | None = None,
    ) -> ProfileRow:
        return self._row(
            ProfileRow,
            "create_profile",
            name=name,
            executor=executor,
            model=model,
            workspace=workspace,
            thinking_level=thinking_level,
            context_window=context_window,
            tiers=None if tiers is None else tuple(tiers),
            choices=None if choices is None else tuple(choices),
        )

    def update_profile(self, profile: str, changes: Json, workspace: str | None = None) -> ProfileRow:
        return self._row(
            ProfileRow, "update_profile", profile=profile, changes=changes, **given({"workspace": workspace})
        )

    def check_executor(self, executor: Json) -> None:
        """Refuses one that nothing could launch."""
        self.call("check_executor", executor=executor)

    def set_setting(self, key: str, value: str, workspace: str | None = None) -> None:
        self.call("set_setting", key=key, value=value, **given({"workspace": workspace}))

    def get_setting(self, key: str, workspace: str | None = None) -> str | None:
        return self._value(str, "get_setting", key=key, workspace=workspace)

    def act_as(self, account: str) -> None:
        """For this transaction only."""
        self.call("act_as", account=account)

    def act_with(self, secret: str) -> None:
        """For this transaction only."""
        self.call("act_with", secret=secret)

    # Tasks

    def create_task(
        self,
        title: str,
        description: str | None = None,
        assignee: str | None = None,
        project: str | None = None,
        parent: str | None = None,
        blocked_by: Sequence[str] = (),
        priority: str | None = None,
        state: str | None = None,
        requires_approval: bool | None = None,
        executor: Json | None = None,
        workspace: str | None = None,
        complexity: str | None = None,
    ) -> TaskRow:
        return self._row(
            TaskRow,
            "create_task",
            title=title,
            description=description,
            assignee=assignee,
            project=project,
            parent=parent,
            blocked_by=tuple(blocked_by),
            priority=priority,
            state=state,
            requires_approval=requires_approval,
            executor=executor,
            workspace=workspace,
            complexity=complexity,
        )

    def assign_task(self, task: str, assignee: str | None) -> TaskRow:
        """None leaves the task without an assignee."""
        return cast("TaskRow", self.call("assign_task", task=task, assignee=assignee)[0])

    def move_task(self, task: str, target: str) -> TaskRow:
        return self._row(TaskRow, "move_task", task=task, target=target)

    def complete_task(
        self, task: str, summary: str | None = None, wake_after_approval: bool | None = None
    ) -> TaskRow:
        return self._row(
            TaskRow, "complete_task", task=task, summary=summary, wake_after_approval=wake_after_approval
        )

    def review_task(self, task: str, verdict: str, note: str | None = None) -> TaskRow:
        """`verdict`: approved or rejected."""
        return self._row(TaskRow, "review_task", task=task, verdict=verdict, note=note)

    def update_task(self, task: str, changes: Json) -> TaskRow:
        return self._row(TaskRow, "update_task", task=task, changes=changes)

    def snooze_task(self, task: str, until: datetime | None) -> TaskRow:
        """None takes a snooze back."""
        return cast("TaskRow", self.call("snooze_task", task=task, until=until)[0])

    def add_blocker(self, task: str, blocker: str) -> TaskRow:
        return self._row(TaskRow, "add_blocker", task=task, blocker=blocker)

    def remove_blocker(self, task: str, blocker: str) -> TaskRow:
        return self._row(TaskRow, "remove_blocker", task=task, blocker=blocker)

    def add_participant(self, task: str, agent: str, role: str | None = None) -> TaskRow:
        """`role`: reviewer (advises) or approver (decides)."""
        return self._row(TaskRow, "add_participant", task=task, agent=agent, role=role)

    def remove_participant(self, task: str, agent: str, role: str | None = None) -> TaskRow:
        return self._row(TaskRow, "remove_participant", task=task, agent=agent, role=role)

    def request_task(
        self,
        asked: str,
        title: str,
        description: str | None = None,
        project: str | None = None,
        source_ref: str | None = None,
        peer_request_id: str | None = None,
        requested_by_node_id: str | None = None,
        workspace: str | None = None,
    ) -> TaskRow:
        """Ask another person; the task waits for the answer."""
        return self._row(
            TaskRow,
            "request_task",
            asked=asked,
            title=title,
            description=description,
            project=project,
            source_ref=source_ref,
            peer_request_id=peer_request_id,
            requested_by_node_id=requested_by_node_id,
            workspace=workspace,
        )

    def answer_request(self, task: str, answer: str, note: str | None = None) -> RequestAnswerRow:
        """`answer`: accepted_private, accepted_shared or declined."""
        return self._row(RequestAnswerRow, "answer_request", task=task, answer=answer, note=note)

    def create_channel(self, name: str, task: str) -> UUID:
        """The channel's id."""
        return self._value(UUID, "create_channel", name=name, task=task)

    def receive_message(self, channel: str, external_id: str, author: str, body: str) -> MessageRow:
        return self._row(
            MessageRow, "receive_message", channel=channel, external_id=external_id, author=author, body=body
        )

    def create_workflow(self, name: str, stages: Sequence[Json], workspace: str | None = None) -> UUID:
        """The workflow's id. A stage: name, state, auto_start_agent, queue_run."""
        return self._value(UUID, "create_workflow", name=name, stages=list(stages), workspace=workspace)

    def archive_task(self, task: str) -> TaskRow:
        return self._row(TaskRow, "archive_task", task=task)

    def delete_task(self, task: str) -> TaskRow:
        return self._row(TaskRow, "delete_task", task=task)

    def add_comment(self, task: str, body: str) -> UUID:
        """The comment's id."""
        return self._value(UUID, "add_comment", task=task, body=body)

    def read_task(self, task: str | None = None) -> Json:
        """The task with its comments, blockers and parts; None, from inside a run: its own."""
        return self._value(dict, "read_task", task=task)

    def read_document(self, name: str, task: str | None = None) -> DocumentRow:
        """By its name; without a task, from inside a run: of the one that its own is a part of."""
        return self._row(DocumentRow, "read_document", name=name, task=task)

    def write_document(
        self, name: str, body: str | None, task: str | None = None, based_on: int | None = None
    ) -> WrittenDocumentRow:
        """A body of None removes it."""
        more = given({"task": task, "based_on": based_on})
        return cast("WrittenDocumentRow", self.call("write_document", name=name, body=body, **more)[0])

    # Waking

    def wake(
        self,
        agent: str,
        source: str | None = None,
        payload: Json | None = None,
        idempotency_key: str | None = None,
        workspace: str | None = None,
    ) -> WakeupRow:
        return self._row(
            WakeupRow,
            "wake",
            agent=agent,
            source=source,
            payload=payload,
            idempotency_key=idempotency_key,
            workspace=workspace,
        )

    def wake_many(self, requests: list[Json]) -> list[NumberedWakeupRow]:
        """Each request has agent, source, payload, idempotency_key and workspace; a row each, by ordinal."""
        return self._rows(NumberedWakeupRow, "wake_many", requests=requests)

    def dispatch(self, workspace: str | None = None) -> int:
        """How many signals were taken."""
        return self._value(int, "dispatch", workspace=workspace)

    def carry_out(self, max_changes: int | None = None) -> int:
        return self._value(int, "carry_out", max_changes=max_changes)

    def result(self, ref: str) -> ResultRow:
        return self._row(ResultRow, "result", ref=ref)

    def settled(self, ref: str) -> SettledRow:
        """Whether it has come to its end, well, or needs a person."""
        return self._row(SettledRow, "settled", ref=ref)

    # Working

    def register_worker(
        self,
        host: str,
        pid: int | None = None,
        version: str | None = None,
        max_runs: int | None = None,
        workspace: str | None = None,
    ) -> WorkerRow:
        return self._row(
            WorkerRow,
            "register_worker",
            host=host,
            pid=pid,
            version=version,
            max_runs=max_runs,
            workspace=workspace,
        )

    def heartbeat(self, worker_id: UUID, attempt_ids: Sequence[UUID] = ()) -> list[InstructionRow]:
        return self._rows(InstructionRow, "heartbeat", worker_id=worker_id, attempt_ids=tuple(attempt_ids))

    def drain_worker(self, worker_id: UUID) -> int:
        return self._value(int, "drain_worker", worker_id=worker_id)

    def expire_worker(self, worker_id: UUID) -> int:
        return self._value(int, "expire_worker", worker_id=worker_id)

    def claim_runs(self, worker_id: UUID, max_runs: int | None = None) -> list[LaunchRow]:
        """The last row has no run and says in next_due_at when to ask again."""
        return self._rows(LaunchRow, "claim_runs", worker_id=worker_id, max_runs=max_runs)

    def give_back(self, worker_id: UUID, carried_attempt_ids: Sequence[UUID]) -> int:
        """Queues again what the worker claimed, has not started and does not carry; how many runs."""
        return self._value(
            int, "give_back", worker_id=worker_id, carried_attempt_ids=tuple(carried_attempt_ids)
        )

    def start_attempt(
        self,
        attempt_id: UUID,
        pid: int | None = None,
        engine_session: str | None = None,
        launch: int | None = None,
    ) -> StartRow:
        """The launch is the claim's: an answer launches the same attempt again."""
        return self._row(
            StartRow,
            "start_attempt",
            attempt_id=attempt_id,
            pid=pid,
            engine_session=engine_session,
            launch=launch,
        )

    def start_attempts(self, starts: list[Json]) -> list[BulkStartRow]:
        """A start: attempt_id, and maybe pid, engine_session, launch; one that is refused says why."""
        return self._rows(BulkStartRow, "start_attempts", starts=starts)

    def record_steps(self, attempt_id: UUID, steps: list[Json], launch: int | None = None) -> int:
        """How many were stored; each step has sequence, kind, content and maybe at."""
        return self._value(
            int, "record_steps", attempt_id=attempt_id, steps=steps, **given({"launch": launch})
        )

    def next_prompt(
        self, attempt_id: UUID, launch: int | None = None, fresh: bool | None = None
    ) -> list[PromptRow]:
        """What a live program is told next, or nothing; with `fresh` all again, in a new engine session."""
        return self._rows(
            PromptRow, "next_prompt", attempt_id=attempt_id, **given({"launch": launch, "fresh": fresh})
        )

    def record_cost(self, attempt_id: UUID, events: list[Json]) -> list[CostRow]:
        """Each event has a usage_event_id, and what is known of model, tokens and cost_cents."""
        return self._rows(CostRow, "record_cost", attempt_id=attempt_id, events=events)

    def finish_attempt(
        self,
        attempt_id: UUID,
        result: Json | None = None,
        exit_code: int | None = None,
        launch: int | None = None,
    ) -> EndRow:
        return self._row(
            EndRow,
            "finish_attempt",
            attempt_id=attempt_id,
            result=result,
            exit_code=exit_code,
            launch=launch,
        )

    def finish_attempts(self, ends: list[Json]) -> list[BulkEndRow]:
        """An end: attempt_id, and maybe result, exit_code, launch; one that is refused says why."""
        return self._rows(BulkEndRow, "finish_attempts", ends=ends)

    def fail_attempt(
        self,
        attempt_id: UUID,
        error: str,
        cause: str | None = None,
        exit_code: int | None = None,
        launch: int | None = None,
    ) -> FailureRow:
        return self._row(
            FailureRow,
            "fail_attempt",
            attempt_id=attempt_id,
            error=error,
            cause=cause,
            exit_code=exit_code,
            launch=launch,
        )

    def confirm_cleanup(self, attempt_id: UUID, killed: int | None = None, launch: int | None = None) -> None:
        self.call("confirm_cleanup", attempt_id=attempt_id, **given({"killed": killed, "launch": launch}))

    def add_resource(self, attempt_id: UUID, key: str) -> int:
        """The attempt began to change what the key names; how many others work on it."""
        return self._value(int, "add_resource", attempt_id=attempt_id, key=key)

    def release_resources(self, ref: str) -> int:
        """Frees what an ended run worked on; how many keys."""
        return self._value(int, "release_resources", ref=ref)

    def abandoned_attempts(self, host: str) -> list[AbandonedRow]:
        """Attempts of ended workers of a host that nobody has cleaned up after, each in its last launch."""
        return self._rows(AbandonedRow, "abandoned_attempts", host=host)

    def sessions_to_delete(self, host: str) -> list[DeletionRow]:
        """Engine sessions of retired work that a host keeps."""
        return self._rows(DeletionRow, "sessions_to_delete", host=host)

    def confirm_deletion(self, deletion_id: UUID, outcome: str) -> None:
        """What became of one: deleted, not_there or unknown."""
        self.call("confirm_deletion", deletion_id=deletion_id, outcome=outcome)

    def note_decision(self, decision: str) -> None:
        """As an agent, in the attempt of `act_with`."""
        self.call("note_decision", decision=decision)

    def checkpoint(
        self, state: Json | None = None, operation: Json | None = None, tree: str | None = None
    ) -> list[CheckpointRow]:
        """As an agent: saves a state, if one is given; the run's last checkpoint, if any."""
        return self._rows(CheckpointRow, "checkpoint", state=state, operation=operation, tree=tree)

    def receipt(self, key: str, detail: Json | None = None) -> list[ReceiptRow]:
        """As an agent: records a write, if a detail is given; its receipt, if any."""
        return self._rows(ReceiptRow, "receipt", key=key, detail=detail)

    # Deciding

    def ask(
        self,
        prompt: str,
        choices: list[Json] | None = None,
        expires_after: timedelta | None = None,
        on_expire: str | None = None,
        kind: str | None = None,
        operation: Json | None = None,
        tree: str | None = None,
    ) -> DecisionRow:
        """As an agent, in the attempt of `act_with`; asked again it gives the same request, as it stands.

        kind permission or publish, with the operation, and the identity of the working tree.
        """
        return self._row(
            DecisionRow,
            "ask",
            prompt=prompt,
            choices=choices,
            expires_after=expires_after,
            on_expire=on_expire,
            kind=kind,
            operation=operation,
            tree=tree,
        )

    def request_approval(
        self, subject: str, prompt: str, task: str | None = None, expires_after: timedelta | None = None
    ) -> DecisionRow:
        """As an agent, in the attempt of `act_with`; the answer wakes it."""
        return self._row(
            DecisionRow,
            "request_approval",
            subject=subject,
            prompt=prompt,
            task=task,
            expires_after=expires_after,
        )

    def answer(
        self, decision: str, choice: str, note: str | None = None, through: str | None = None
    ) -> DecisionRow:
        return self._row(DecisionRow, "answer", decision=decision, choice=choice, note=note, through=through)

    def maintain(self) -> list[PieceRow]:
        return self._rows(PieceRow, "maintain")

    # Agent sessions

    def send_message(self, session: str, text: str) -> SessionRow:
        """A run of its own, the last of the session's queue."""
        return self._row(SessionRow, "send_message", session=session, text=text)

    def steer(self, session: str, text: str) -> SessionRow:
        """A run of its own, the first of the session's queue; what runs goes on."""
        return self._row(SessionRow, "steer", session=session, text=text)

    def reorder_queue(self, session: str, runs: Sequence[str]) -> list[SessionRow]:
        """The messages that wait there: those named first, in their order."""
        return self._rows(SessionRow, "reorder_queue", session=session, runs=tuple(runs))

    # Steering and asking

    def stop(self, ref: str, reason: str | None = None) -> list[RunRow]:
        return self._rows(RunRow, "stop", ref=ref, reason=reason)

    def pause(self, ref: str, reason: str | None = None) -> PauseRow:
        return self._row(PauseRow, "pause", ref=ref, reason=reason)

    def resume(self, ref: str) -> ResumeRow:
        return self._row(ResumeRow, "resume", ref=ref)

    def retry_run(self, run: str, anew: bool | None = None) -> RunRow:
        return self._row(RunRow, "retry_run", run=run, anew=anew)

    def retry_runs(
        self,
        agent: str | None = None,
        workspace: str | None = None,
        task: str | None = None,
        status: str | None = None,
        since: datetime | None = None,
        anew: bool | None = None,
        dry_run: bool | None = None,
    ) -> list[ChosenRunRow]:
        """What would become of each run; done with `dry_run=False`."""
        return self._rows(
            ChosenRunRow,
            "retry_runs",
            agent=agent,
            workspace=workspace,
            task=task,
            status=status,
            since=since,
            anew=anew,
            dry_run=dry_run,
        )

    def add_feedback(self, run: str, body: str, follow_up: bool | None = None) -> FeedbackRow:
        """With `follow_up` its agent is woken with it."""
        return self._row(FeedbackRow, "add_feedback", run=run, body=body, follow_up=follow_up)

    def stop_runs(
        self,
        agent: str | None = None,
        workspace: str | None = None,
        task: str | None = None,
        status: str | None = None,
        since: datetime | None = None,
        reason: str | None = None,
        dry_run: bool | None = None,
    ) -> list[ChosenRunRow]:
        """What would become of each run; done with `dry_run=False`."""
        return self._rows(
            ChosenRunRow,
            "stop_runs",
            agent=agent,
            workspace=workspace,
            task=task,
            status=status,
            since=since,
            reason=reason,
            dry_run=dry_run,
        )

    def release_task(self, task: str) -> ReleaseRow:
        return self._row(ReleaseRow, "release_task", task=task)

    def held_up(self) -> list[StuckRow]:
        """What is stuck, and what mends it."""
        return self._rows(StuckRow, "held_up")

    def end_hold(self, provider: str, model: str | None = None) -> list[EndedHoldRow]:
        """Without a model all holds of the account end."""
        return self._rows(EndedHoldRow, "end_hold", provider=provider, model=model)

    def set_provider_limit(self, provider: str, max_requests: int | None) -> ProviderLimitRow:
        """None takes the limit away."""
        (row,) = self.call("set_provider_limit", provider=provider, max_requests=max_requests)
        return cast("ProviderLimitRow", row)

    def set_budget(
        self,
        ref: str,
        limit_cents: Decimal | int | None,
        period: str | None = None,
        action_on_exceed: str | None = None,
        alert_percent: int | None = None,
        stop_running: bool | None = None,
        run_estimate_cents: Decimal | int | None = None,
        account: str | None = None,
    ) -> BudgetRow:
        """A limit of None removes the budget."""
        others = given(
            {
                "period": period,
                "action_on_exceed": action_on_exceed,
                "alert_percent": alert_percent,
                "stop_running": stop_running,
                "run_estimate_cents": run_estimate_cents,
                "account": account,
            }
        )
        (row,) = self.call("set_budget", ref=ref, limit_cents=limit_cents, **others)
        return cast("BudgetRow", row)

    def why(self, ref: str) -> list[StoryRow]:
        return self._rows(StoryRow, "why", ref=ref)

    def waiting_for(self, run_id: UUID) -> list[WaitRow]:
        """Every reason why a queued run waits, with what lifts it."""
        return self._rows(WaitRow, "waiting_for", run_id=run_id)

    def cron_next(
        self, expression: str, timezone: str | None = None, after: datetime | None = None
    ) -> datetime:
        return self._value(datetime, "cron_next", expression=expression, timezone=timezone, after=after)

    def cron_fires(
        self,
        expression: str,
        timezone: str | None = None,
        after: datetime | None = None,
        count: int | None = None,
    ) -> list[datetime]:
        arguments = given({"timezone": timezone, "after": after, "count": count})
        return [row["cron_fires"] for row in self.call("cron_fires", expression=expression, **arguments)]

    # Routines

    def create_routine(
        self,
        name: str,
        assignee: str,
        description: str | None = None,
        task_template: Json | None = None,
        variables: Json | None = None,
        concurrency_policy: str | None = None,
        catch_up_policy: str | None = None,
        catch_up_max: int | None = None,
        workspace: str | None = None,
    ) -> RoutineRow:
        return self._row(
            RoutineRow,
            "create_routine",
            name=name,
            assignee=assignee,
            description=description,
            task_template=task_template,
            variables=variables,
            concurrency_policy=concurrency_policy,
            catch_up_policy=catch_up_policy,
            catch_up_max=catch_up_max,
            workspace=workspace,
        )

    def update_routine(self, routine: str, changes: Json) -> RoutineRow:
        return self._row(RoutineRow, "update_routine", routine=routine, changes=changes)

    def archive_routine(self, routine: str) -> RoutineRow:
        return self._row(RoutineRow, "archive_routine", routine=routine)

    def delete_routine(self, routine: str) -> RoutineRow:
        return self._row(RoutineRow, "delete_routine", routine=routine)

    def add_schedule(self, routine: str, expression: str, timezone: str | None = None) -> TriggerRow:
        return self._row(
            TriggerRow, "add_schedule", routine=routine, expression=expression, timezone=timezone
        )

    def add_once(self, routine: str, fire_at: datetime | str, timezone: str | None = None) -> TriggerRow:
        return self._row(TriggerRow, "add_once", routine=routine, fire_at=fire_at, timezone=timezone)

    def add_webhook(self, routine: str, signing: str | None = None, secret: str | None = None) -> TriggerRow:
        """The secret comes back this once."""
        return self._row(TriggerRow, "add_webhook", routine=routine, signing=signing, secret=secret)

    def update_trigger(self, trigger: str, changes: Json) -> TriggerRow:
        return self._row(TriggerRow, "update_trigger", trigger=trigger, changes=changes)

    def enable_trigger(self, trigger: str) -> TriggerRow:
        return self._row(TriggerRow, "enable_trigger", trigger=trigger)

    def disable_trigger(self, trigger: str) -> TriggerRow:
        return self._row(TriggerRow, "disable_trigger", trigger=trigger)

    def remove_trigger(self, trigger: str) -> TriggerRow:
        return self._row(TriggerRow, "remove_trigger", trigger=trigger)

    def rotate_secret(self, trigger: str) -> TriggerRow:
        """The new secret comes back this once."""
        return self._row(TriggerRow, "rotate_secret", trigger=trigger)

    def fire_routine(self, routine: str, variables: Json | None = None) -> FireRow:
        return self._row(FireRow, "fire_routine", routine=routine, variables=variables)

    def fire_webhook(self, public_id: str, headers: Json, body: bytes) -> WebhookRow:
        """What a webhook's call is answered with: HTTP status and JSON."""
        return self._row(WebhookRow, "fire_webhook", public_id=public_id, headers=headers, body=body)

    def tick(self, now: datetime | None = None) -> TickRow:
        return self._row(TickRow, "tick", now=now)

    # Asking

    def run_label(self, status: str, result: str) -> str:
        return self._value(str, "run_label", status=status, result=result)

    def preview(self, given: str) -> str:
        """The text without what looks like a secret (E2)."""
        return self._value(str, "preview", given=given)

    def help(self) -> list[TopicRow]:
        return self._rows(TopicRow, "help")

    def metrics(self) -> list[MetricRow]:
        """The office in figures, for monitoring."""
        return self._rows(MetricRow, "metrics")

    def audit(self) -> list[ViolationRow]:
        """A row for each invariant that does not hold; none when all is well."""
        return self._rows(ViolationRow, "audit")

    def read_rate_limit(
        self, error: str, at: datetime | None = None, timezone: str | None = None
    ) -> RateLimitRow:
        """Whether an error tells of a limit, and when it resets, read at a time in a workspace's zone."""
        return self._row(RateLimitRow, "read_rate_limit", error=error, at=at, timezone=timezone)

    def now(self) -> datetime:
        return self._value(datetime, "now")

    def uuid7(self) -> UUID:
        return self._value(UUID, "uuid7")
