"""I8, I2: nouns and their verbs, and how what is unknown or wrong is told."""

import io
import subprocess
import threading
import time
import uuid
from pathlib import Path
from typing import Any

import psycopg
import pytest

from officectl import __version__

from .conftest import OFFICECTL, Officectl, without_database


def test_i8_an_agent_is_made_listed_shown_and_edited(staffed: Officectl) -> None:
    listed = staffed("agent", "list", "-o", "json").items
    assert [(row["agent"], row["role"]) for row in listed] == [("lead", "coordinator"), ("triage", "worker")]
    shown = staffed("agent", "show", "TRIAGE", "-o", "json").items[0]
    assert shown["executor"] == {"command": ["/bin/sh", "-c", "echo looked"]}
    assert shown["reports_to"] == "lead"
    assert staffed("agent", "edit", "triage", "--cooldown-sec", "0").code == 0
    assert staffed("agent", "show", shown["agent_id"], "--json", "cooldown_sec").items == [
        {"cooldown_sec": 0}
    ]


def test_i8_a_list_in_a_pipe_is_plain(staffed: Officectl) -> None:
    lines = staffed("agent", "list").out.splitlines()
    assert lines[0].split() == ["AGENT", "ROLE", "STATUS", "ACTIVE", "WAITING", "WORKSPACE"]
    assert lines[2].startswith("triage   worker ")


def test_i8_an_empty_list_says_so_on_stderr(officectl: Officectl) -> None:
    answer = officectl("task", "list")
    assert (answer.code, answer.out, answer.err) == (0, "", "No such task.\n")


def test_i8_a_task_from_making_to_archiving(staffed: Officectl) -> None:
    made = staffed(
        "task", "create", "Look at order 7", "-a", "triage", "-d", "It is late.", "-o", "json"
    ).items[0]
    assert (made["task"], made["state"], made["assignee"]) == ("t1", "todo", "triage")
    assert staffed("task", "comment", "t1", "Please hurry.").code == 0
    shown = staffed("task", "show", "T1", "-o", "json").items[0]
    assert shown["description"] == "It is late."
    assert [comment["body"] for comment in shown["comments"]] == ["Please hurry."]
    assert "Please hurry." in staffed("task", "show", "t1").out
    assert staffed("task", "assign", "t1", "lead", "--json", "assignee").items == [{"assignee": "lead"}]
    assert staffed("task", "assign", "t1", "--nobody", "--json", "assignee").items == [{"assignee": None}]
    assert staffed("task", "move", "t1", "in_progress", "--json", "state").items == [{"state": "in_progress"}]
    assert staffed("task", "complete", "t1", "Done.", "--json", "state").items == [{"state": "done"}]
    assert staffed("task", "archive", "t1").code == 0
    assert staffed("task", "list").out == ""
    assert len(staffed("task", "list", "--archived", "-o", "json").items) == 1


def test_i8_t9_t8_a_task_is_reviewed_and_held(staffed: Officectl) -> None:
    """T1, T8, T9: what people say about a task, each by its verb."""
    staffed("task", "create", "Spec", "-a", "triage", "--requires-approval")
    staffed("task", "create", "Build", "-a", "lead")
    assert staffed("task", "edit", "t1", "--title", "The spec", "--priority", "high").code == 0
    shown = staffed("task", "show", "t1", "-o", "json").items[0]
    assert (shown["title"], shown["priority"]) == ("The spec", "high")
    assert staffed("task", "block", "t2", "t1").code == 0
    cycle = staffed("task", "block", "t1", "t2")
    assert cycle.code == 1 and "t1 waits for t2 waits for t1" in cycle.err
    assert staffed("task", "list", "--assignee", "lead", "--json", "blocked_by").items == [
        {"blocked_by": "t1"}
    ]
    assert staffed("task", "unblock", "t2", "t1").code == 0
    assert staffed("task", "reviewer", "t1", "lead", "--approver").code == 0
    assert staffed("task", "reviewer", "t1", "lead", "--remove").code == 0
    assert staffed("task", "reviewer", "t1", "lead", "--remove").code == 1
    assert staffed("task", "snooze", "t2", "2099-01-01").code == 0
    assert staffed("task", "snooze", "t2", "--no-longer").code == 0
    assert staffed("task", "snooze", "t2").code == 2
    assert staffed("task", "review", "t1", "approved").code == 1
    assert staffed("task", "move", "t1", "in_progress").code == 0
    assert staffed("task", "complete", "t1", "--json", "state").items == [{"state": "in_review"}]
    assert staffed("task", "review", "t1", "rejected", "--note", "Too long.").code == 0
    again = staffed("task", "review", "t1", "approved")
    assert again.code == 1 and "Already answered." in again.err
    assert staffed("task", "request", "nobody", "Read it").code == 1


def test_x2_documents_of_a_task(staffed: Officectl, tmp_path: Path) -> None:
    """X2, I8: written from a file, listed, shown, refused when somebody has written since, removed."""
    staffed("task", "create", "Spec", "-a", "triage")
    (tmp_path / "plan.md").write_text("Two pages.\nThen build.\n")
    plan = str(tmp_path / "plan.md")
    assert staffed("task", "document", "write", "t1", "plan", plan, "--json", "version").items == [
        {"version": 1}
    ]
    assert staffed("task", "document", "write", "t1", "plan", plan, "--based-on", "1").code == 0
    late = staffed("task", "document", "write", "t1", "plan", plan, "--based-on", "1")
    assert late.code == 1 and "has been written since" in late.err
    assert staffed("task", "document", "list", "t1", "--json", "document,version").items == [
        {"document": "plan", "version": 2}
    ]
    assert staffed("task", "document", "show", "t1", "plan").out == "Two pages.\nThen build.\n\n"
    assert staffed("task", "document", "remove", "t1", "plan", "--yes").code == 0
    assert staffed("task", "document", "show", "t1", "plan").code == 1


def test_i8_tasks_are_chosen_by_what_they_are(staffed: Officectl) -> None:
    for title, assignee in (("One", "triage"), ("Two", "lead")):
        staffed("task", "create", title, "-a", assignee)
    staffed("task", "create", "Three", "--blocked-by", "t1", "--blocked-by", "t2", "--state", "proposed")
    by_lead = staffed("task", "list", "--assignee", "Lead", "-o", "json").items
    assert [row["title"] for row in by_lead] == ["Two"]
    proposed = staffed("task", "list", "--state", "proposed", "-o", "json").items
    assert [(row["title"], row["blocked_by"]) for row in proposed] == [("Three", "t1, t2")]
    assert [row["task"] for row in staffed("task", "list", "--limit", "1", "-o", "json").items] == ["t3"]


def test_i8_deleting_asks(staffed: Officectl, monkeypatch: pytest.MonkeyPatch) -> None:
    staffed("task", "create", "Wrong")
    monkeypatch.setattr("click.termui.visible_prompt_func", lambda _prompt: "n")
    refused = staffed("task", "delete", "t1")
    assert refused.code == 1
    assert len(staffed("task", "list", "-o", "json").items) == 1
    assert staffed("task", "delete", "t1", "--yes").code == 0
    assert staffed("task", "list").out == ""


def test_i8_workspaces_accounts_and_projects(officectl: Officectl) -> None:
    assert officectl("workspace", "create", "acme", "--timezone", "Europe/Vienna").code == 0
    assert officectl("workspace", "show", "ACME", "--json", "timezone").items == [
        {"timezone": "Europe/Vienna"}
    ]
    assert officectl("account", "create", "ada", "--email", "ada@example.org", "-w", "acme").code == 0
    ada = officectl("account", "show", "ada", "-o", "json").items[0]
    assert (ada["email"], ada["workspaces"]) == ("ada@example.org", "acme (member)")
    assert officectl("project", "create", "shop", "--folder", "/srv/shop", "-w", "acme").code == 0
    shop = officectl("project", "show", "acme/shop", "-o", "json").items[0]
    assert (shop["folder"], shop["workspace"], shop["open_tasks"]) == ("/srv/shop", "acme", 0)
    for noun in ("workspace", "account", "project"):
        assert officectl(noun, "list").code == 0


def test_i8_a_profile_is_made_listed_shown_and_used(staffed: Officectl) -> None:
    made = staffed("profile", "create", "careful", "--model", "large", "--", "/bin/true", "--think")
    assert made.code == 0, made.err
    assert staffed("agent", "edit", "triage", "--profile", "careful").code == 0
    listed = staffed("profile", "list", "-o", "json").items
    assert [(row["profile"], row["model"], row["agents"]) for row in listed] == [("careful", "large", 1)]
    shown = staffed("profile", "show", "CAREFUL", "--json", "executor,enabled").items
    assert shown == [{"executor": {"command": ["/bin/true", "--think"]}, "enabled": True}]
    chooses = staffed(
        "profile", "create", "any", "--choose", "careful", "--json", "profile"
    )  # fmt: skip
    assert chooses.code == 0, chooses.err
    assert (
        staffed(
            "profile", "edit", "careful", "--thinking-level", "high", "--tier", "high", "--tier", "max"
        ).code
        == 0
    )
    assert staffed("profile", "edit", "any", "--disable").code == 0
    listed = staffed("profile", "list", "-o", "json").items
    assert [(row["profile"], row["chooses"], row["tiers"], row["enabled"]) for row in listed] == [
        ("any", "careful", None, False),
        ("careful", None, ["high", "max"], True),
    ]
    assert staffed("profile", "edit", "careful").code == 2
    assert staffed("profile", "create", "both", "--choose", "careful", "--", "/bin/true").code == 2
    assert staffed("profile", "edit", "any", "--model", "large").code == 1
    assert staffed("profile", "create", "empty").code == 2
    assert staffed("profile", "create", "careful", "--", "/bin/true").code == 1
    unknown = staffed("profile", "show", "carefull")
    assert (unknown.code, unknown.err.splitlines()[-1]) == (1, 'hint: Did you mean "careful"?')


def test_j4_a_setting_is_listed_got_and_set(officectl: Officectl) -> None:
    officectl("workspace", "create", "acme")
    acme = ("--workspace", "acme")
    assert officectl("setting", "get", "max_retry_count", *acme).out == "4\n"
    assert officectl("setting", "set", "max_retry_count", "2", "-w", "office", "--dry-run").code == 0
    assert officectl("setting", "get", "max_retry_count", *acme).out == "4\n"
    assert officectl("setting", "set", "max_retry_count", "2", "-w", "office").code == 0
    set_here = officectl("setting", "set", "max_retry_count", "0", *acme, "-o", "json")
    assert set_here.items == [{"key": "max_retry_count", "value": "0"}]
    assert officectl("setting", "get", "max_retry_count", "-w", "office").out == "2\n"
    values = {row["key"]: row["value"] for row in officectl("setting", "list", *acme, "-o", "json").items}
    assert (values["max_retry_count"], values["on_interrupt"]) == ("0", "ask")
    refused = officectl("setting", "set", "max_retry_count", "many", *acme)
    assert (refused.code, refused.err.splitlines()[-1]) == (1, "hint: A whole number from 0 to 10.")
    assert officectl("setting", "get", "max_retry_counts", *acme).code == 1


def test_i8_workers_are_listed_and_one_is_declared_dead(
    staffed: Officectl, session: psycopg.Connection[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert staffed("worker", "list").err == "No worker is here. Start one: officectl serve\n"
    (worker,) = session.execute(
        "select worker_id from office.register_worker('box', 77, %s)", [__version__]
    ).fetchone()  # type: ignore[misc]
    staffed("wake", "triage")
    session.execute("select from office.claim_runs(%s, 1)", [worker])
    (listed,) = staffed("worker", "list", "-o", "json").items
    assert listed["worker"] == str(worker)
    assert [listed[name] for name in ("host", "pid", "version", "state", "runs")] == [
        "box",
        77,
        __version__,
        "beating",
        1,
    ]
    monkeypatch.setattr("click.termui.visible_prompt_func", lambda _prompt: "n")
    assert staffed("worker", "expire", str(worker)).code == 1
    assert staffed("run", "list", "--json", "status").items == [{"status": "claimed"}]
    assert staffed("worker", "expire", str(worker), "--dry-run").code == 0
    assert len(staffed("worker", "list", "-o", "json").items) == 1
    settled = staffed("worker", "expire", str(worker), "--yes", "--json", "settled_runs")
    assert settled.items == [{"settled_runs": 1}]
    assert staffed("worker", "list").out == ""
    assert staffed("worker", "list", "--all", "--json", "state").items == [{"state": "expired"}]
    assert staffed("run", "list", "--json", "status").items == [{"status": "queued"}]
    assert staffed("worker", "expire", str(uuid.UUID(int=7)), "--yes").code == 1


def test_i8_a_wait_ends_with_the_code_that_the_office_says(
    staffed: Officectl, session: psycopg.Connection[Any]
) -> None:
    """What becomes of a wakeup that is cancelled is an end, too."""
    staffed("task", "create", "Look", "-a", "triage")
    late = staffed("wait", "t1", "--timeout", "0")
    assert (late.code, late.out) == (1, "")
    assert "has not ended" in late.err
    session.execute("select office.dispatch()")
    assert staffed("stop", "t1").code == 0
    ended = staffed("wait", "t1", "-o", "json")
    assert (ended.code, ended.items[0]["result"]) == (1, "stopped")
    (wakeup,) = session.execute("select id::text from office.wakeups").fetchone()  # type: ignore[misc]
    assert staffed("wait", wakeup, "--json", "status").items == [{"status": "cancelled"}]


@pytest.mark.parametrize("words", [("status",), ("inbox",), ("run", "list")], ids=" ".join)
def test_i8_watch_looks_again_until_it_is_interrupted(
    staffed: Officectl, words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    looks = iter((None, None, KeyboardInterrupt))

    def doze(seconds: float) -> None:
        assert seconds == 2
        if (interrupt := next(looks)) is not None:
            raise interrupt

    once = staffed(*words)
    monkeypatch.setattr("officectl.cli.session.time.sleep", doze)
    watched = staffed(*words, "--watch")
    assert watched.code == 130
    assert (watched.out, watched.err.count("No such run.")) == (
        once.out * 3,
        once.err.count("No such run.") * 3,
    )


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_i8_shells_complete_it(shell: str) -> None:
    told = subprocess.run(
        OFFICECTL,
        env={**without_database(), "_OFFICECTL_COMPLETE": f"{shell}_source"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert "officectl" in told.stdout
    asked = {"COMP_WORDS": "officectl se", "COMP_CWORD": "se" if shell == "fish" else "1"}
    completed = subprocess.run(
        OFFICECTL,
        env={**without_database(), **asked, "_OFFICECTL_COMPLETE": f"{shell}_complete"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "setting" in completed.stdout


def test_i8_a_dry_run_names_what_would_run_and_keeps_nothing(staffed: Officectl) -> None:
    answer = staffed("task", "create", "Look at order 7", "-a", "triage", "--dry-run")
    assert answer.code == 0
    assert "triage for t1" in answer.err
    assert "nothing was kept" in answer.err
    assert staffed("task", "list").out == ""
    assert staffed("run", "list").out == ""


def test_i2_an_unknown_name_is_answered_with_the_one_that_is_meant(staffed: Officectl) -> None:
    for words in (("wake", "triag"), ("agent", "show", "triag"), ("task", "create", "A", "-a", "triag")):
        answer = staffed(*words)
        assert answer.code == 1
        assert answer.err.splitlines()[-1] == 'hint: Did you mean "triage"?'


@pytest.mark.parametrize(
    "words",
    [
        ("task", "show", "t99"),
        ("task", "move", "t99", "done"),
        ("run", "show", "r99"),
        ("run", "retry", "r99"),
        ("logs", "r99"),
        ("why", "r99"),
        ("stop", "r99"),
        ("wait", "r99"),
        ("workspace", "show", "nowhere"),
        ("account", "show", "nobody"),
        ("project", "show", "nothing"),
        ("profile", "show", "nothing"),
        ("setting", "get", "nothing"),
        ("worker", "expire", str(uuid.UUID(int=7)), "--yes"),
        ("task", "show", str(uuid.UUID(int=7))),
        ("run", "show", "not-a-uuid-0000"),
        ("agent", "show", "0000-not-a-uuid"),
    ],
    ids=" ".join,
)
def test_i2_what_is_unknown_is_refused_in_a_line_and_a_hint(
    staffed: Officectl, words: tuple[str, ...]
) -> None:
    answer = staffed(*words)
    assert (answer.code, answer.out) == (1, "")
    message, hint = answer.err.splitlines()
    assert message.startswith("officectl: ")
    assert hint.startswith("hint: ")


@pytest.mark.parametrize(
    "words",
    [
        ("wake", "triage", "--payload", "[1]"),
        ("wake", "triage", "--payload", "{"),
        ("agent", "create", "x", "--executor", '"ls"'),
        ("agent", "create", "x", "--executor", '{"command": ["a"]}', "--", "b"),
        ("agent", "edit", "triage"),
        ("profile", "create", "x"),
        ("worker", "expire", "not-a-uuid"),
        ("task", "assign", "t1"),
        ("task", "list", "--json", ","),
        ("task", "list", "--limit", "0"),
        ("nonsense",),
    ],
    ids=" ".join,
)
def test_i8_wrong_usage_is_2_and_writes_nothing(staffed: Officectl, words: tuple[str, ...]) -> None:
    answer = staffed(*words)
    assert (answer.code, answer.out) == (2, "")
    assert len(answer.err.splitlines()) <= 2
    assert len(staffed("agent", "list", "-o", "json").items) == 2


def test_i3_a_rule_that_refuses_is_1_with_what_is_allowed(staffed: Officectl) -> None:
    staffed("task", "create", "A", "--state", "proposed")
    answer = staffed("task", "move", "t1", "done")
    assert answer.code == 1
    assert len(answer.err.splitlines()) == 2
    assert staffed("task", "show", "t1", "--json", "state").items == [{"state": "proposed"}]


def test_i3_a_payload_that_the_source_does_not_know_is_named(staffed: Officectl) -> None:
    answer = staffed("wake", "triage", "--payload", '{"colour": "blue"}')
    assert answer.code == 1
    assert "colour" in answer.err


def test_i8_without_a_database_it_says_what_to_do(
    anywhere: Officectl, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("officectl.cli.session.find_dsn", _nowhere)
    monkeypatch.setattr("officectl.cli.session.Cluster.running", False)
    answer = anywhere("task", "list")
    assert answer.code == 3
    assert "officectl up" in answer.err


def test_i8_an_unreachable_database_is_3(anywhere: Officectl) -> None:
    answer = anywhere("task", "list", "--dsn", "host=/nowhere dbname=none")
    assert (answer.code, answer.out) == (3, "")


def test_i8_a_database_without_the_schema_is_5(anywhere: Officectl, fresh_database: str) -> None:
    assert anywhere("task", "list", "--dsn", fresh_database).code == 5


def _nowhere(_option: str | None) -> str:
    from officectl.errors import Unreachable

    raise Unreachable("no database was named", "Start one with: officectl up")


def test_a6_what_postgres_wants_tried_again_is_tried_again(
    officectl: Officectl, session: psycopg.Connection[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PGOPTIONS", "-c lock_timeout=50ms")
    held = threading.Event()

    def hold_a_while() -> None:
        with session.transaction():
            session.execute("lock table office.accounts in access exclusive mode")
            held.set()
            time.sleep(0.3)

    holder = threading.Thread(target=hold_a_while)
    holder.start()
    assert held.wait(10)
    answer = officectl("account", "list")
    holder.join()
    assert (answer.code, answer.err) == (0, "")


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("[" * 100_000, "nested too deeply"),
        ('{"a":' + "[" * 300 + "]" * 300 + "}", "nested more than 200 deep"),
        ('{"a": NaN}', "not JSON: NaN"),
        ('{"a": [-Infinity]}', "not JSON: -Infinity"),
        ('{"a": 1e999}', "too large"),
        ('{"a": {"b": "x\\u0000y"}}', "NUL"),
        ('{"a\\u0000": 1}', "NUL"),
    ],
    ids=["deepest", "deep", "nan", "infinity", "overflow", "nul", "nul key"],
)
def test_i8_json_that_no_database_holds_is_refused(staffed: Officectl, value: str, said: str) -> None:
    for words in (("wake", "triage", "--payload", value), ("agent", "edit", "triage", "--executor", value)):
        answer = staffed(*words)
        assert (answer.code, said in answer.err) == (2, True), answer.err
        assert [line.startswith("officectl: ") for line in answer.err.splitlines()] == [True, False]
    # A backslash before u0000 is a text like any other.
    assert staffed("wake", "triage", "--payload", '{"context": "\\\\u0000"}').code == 0


def test_i8_bytes_that_are_no_text_are_refused(officectl: Officectl) -> None:
    for words in (("task", "create", "caf\udce9"), ("\udcff",), ("task", "list", "-w", "\udcff")):
        answer = officectl(*words)
        assert answer.code == 2
        assert answer.err.startswith("officectl: An argument is not UTF-8: ")
        assert len(answer.err.splitlines()) == 1


def test_i8_states_that_there_are_not_are_refused(officectl: Officectl) -> None:
    answer = officectl("task", "list", "--state", "nope")
    assert (answer.code, answer.err.splitlines()[0]) == (2, 'officectl: No state "nope".')
    assert "There are proposed, todo, in_progress, " in answer.err
    answer = officectl("run", "list", "--status", "nope")
    assert (answer.code, answer.err.splitlines()[0]) == (2, 'officectl: No status "nope".')
    for name in ("queued", "succeeded", "idle_skipped", "dropped"):
        assert name in answer.err
        assert officectl("run", "list", "--status", name).code == 0


def test_i8_an_unknown_field_of_logs_is_refused_without_rows_too(
    staffed: Officectl, session: psycopg.Connection[Any]
) -> None:
    staffed("wake", "triage")
    session.execute("select office.dispatch()")
    answer = staffed("logs", "r1", "--json", "zz")
    assert (answer.code, answer.err.splitlines()[0]) == (2, "officectl: No field zz here.")
    assert staffed("logs", "r1", "--json", "kind").items == []


def test_i8_an_empty_workspace_is_given(officectl: Officectl) -> None:
    for words in (("task", "list"), ("run", "list"), ("setting", "list"), ("task", "create", "x")):
        answer = officectl(*words, "-w", "")
        assert (answer.code, "the name is empty" in answer.err) == (2, True)


def test_q25_s6_provider_accounts_are_listed_limited_and_freed(staffed: Officectl) -> None:
    assert "No executor names a provider account" in staffed("provider", "list").err
    executor = '{"command": ["/bin/true"], "provider": "anthropic:team", "model": "opus"}'
    assert staffed("agent", "edit", "triage", "--executor", executor).code == 0
    limited = staffed("provider", "limit", "anthropic:team", "2", "-o", "json").items[0]
    assert limited == {"limited_provider": "anthropic:team", "most": 2, "requests": 0}
    listed = staffed("provider", "list", "--json", "provider,state,requests,most,waiting").items
    assert listed == [{"provider": "anthropic:team", "state": "open", "requests": 0, "most": 2, "waiting": 0}]
    assert staffed("provider", "limit", "anthropic:team", "--none", "--json", "most").items == [
        {"most": None}
    ]
    assert staffed("provider", "limit", "anthropic:team").code == 2
    assert staffed("provider", "limit", "anthropic:team", "0").code == 1
    refused = staffed("provider", "end-hold", "anthropic:team")
    assert (refused.code, "anthropic:team" in refused.err) == (1, True)


def test_p4_many_runs_are_retried_and_stopped_after_a_count(
    staffed: Officectl, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """P4, P2, I8: what would become of each is said first; destructive verbs ask."""
    staffed("task", "create", "First", "-a", "lead")
    staffed("task", "create", "Second", "-a", "triage")
    with psycopg.connect(database) as desk:
        desk.execute("select office.dispatch('main')")
    monkeypatch.setattr("sys.stdin", io.StringIO("n\n"))
    asked = staffed("run", "stop", "--agent", "triage")
    assert asked.code == 1, "the answer was no"
    assert "r2 of triage: queued, then stopped" in asked.err
    assert "Stop these 1 runs?" in asked.err
    dry = staffed("run", "stop", "--agent", "triage", "--dry-run", "--json", "run,was,becomes").items
    assert dry == [{"run": "r2", "was": "queued", "becomes": "stopped"}]
    assert staffed("run", "list", "--status", "queued", "--json", "run").items == [
        {"run": "r2"},
        {"run": "r1"},
    ]
    done = staffed(
        "run", "stop", "--agent", "triage", "--reason", "enough", "--yes", "--json", "run,becomes"
    ).items
    assert done == [{"run": "r2", "becomes": "stopped"}]
    assert staffed("run", "list", "--status", "queued", "--json", "run").items == [{"run": "r1"}]
    with psycopg.connect(database) as desk:
        desk.execute("update office.runs set status = 'blocked' where status = 'queued'")
    assert staffed("status", "--json", "stuck").items == [{"stuck": 1}]
    assert staffed("run", "retry", "--status", "failed", "--yes", "-o", "json").items == []
    assert staffed("run", "retry", "--since", "2001-01-01", "--dry-run", "--json", "run,becomes").items == [
        {"run": "r1", "becomes": "queued"}
    ]
    assert staffed("run", "retry", "--task", "t1", "--anew", "--yes").code == 0
    assert staffed("run", "list", "--status", "queued", "--json", "run").items == [{"run": "r1"}]
    for words in (
        ("retry",),
        ("stop", "--yes"),
        ("stop", "--agent", "nobody"),
        ("retry", "--status", "finished"),
    ):
        assert staffed("run", *words).code == 1, words
    assert staffed("run", "retry", "r1", "--agent", "lead").code == 2


def test_t10_a_task_s_lock_is_released(staffed: Officectl, database: str) -> None:
    staffed("task", "create", "First", "-a", "lead")
    assert staffed("task", "release", "t1").code == 1
    with psycopg.connect(database) as desk:
        desk.execute(
            "select count(*) from office.register_worker('box') w, lateral office.claim_runs(w.worker_id) c"
        )
    assert staffed("task", "release", "t1", "--json", "released,held_by").items == [
        {"released": "t1", "held_by": "r1"}
    ]


def test_b1_budgets_are_set_listed_and_removed(staffed: Officectl) -> None:
    assert "There is no budget" in staffed("budget", "list").err
    made = staffed(
        "budget", "set", "triage", "100.000001", "--json", "budget,budget_period,most_cents,action"
    )
    (budget,) = made.items
    name = budget.pop("budget")
    assert name.startswith("agent:") and name.endswith("/triage")
    assert budget == {"budget_period": "month", "most_cents": 100.000001, "action": "pause_agent"}
    assert staffed("budget", "set", "workspace", "5", "--period", "day", "--action", "notify").code == 0
    columns = "period,limit_cents,spent_cents,reserved_cents,left_cents,state,action"
    assert staffed("budget", "list", "--json", columns).items == [
        {
            "period": period,
            "limit_cents": limit,
            "spent_cents": 0,
            "reserved_cents": 0,
            "left_cents": limit,
            "state": "open",
            "action": action,
        }
        for period, limit, action in (("day", 5, "notify"), ("month", 100.000001, "pause_agent"))
    ]
    assert staffed("budget", "set", "triage", "much").code == 2
    refused = staffed("budget", "set", "triage", "1", "--alert", "101")
    assert (refused.code, "alert_percent" in refused.err) == (1, True)
    assert staffed("budget", "remove", "triage").code == 0
    assert [row["period"] for row in staffed("budget", "list", "--json", "period").items] == ["day"]
    assert staffed("budget", "remove", "triage").code == 1


def test_j1_maintenance_is_listed_and_run(staffed: Officectl) -> None:
    assert "housekeeping" in [row["piece"] for row in staffed("maintenance", "run", "--json", "piece").items]
    rows = staffed("maintenance", "list", "--json", "piece,due,last_slot").items
    assert [row["due"] for row in rows if row["piece"] == "housekeeping"] == ["day"]
    assert [row["last_slot"] is not None for row in rows if row["piece"] == "housekeeping"] == [True]
