"""K11: every public function, called with anything by everybody, gives an answer or a refusal.

A refusal is the office's own (PT and a status, a code, a hint), Postgres's of the arguments, a missing right,
or "try again". Nothing raw comes out of a function's body (I3), nothing is half written, and another
workspace's rows are neither shown nor touched (I6).
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from psycopg import sql
from support.furnished import SECRET, Workspace, furnish, make_logins

Connection = psycopg.Connection[Any]

TRY_AGAIN = {"40P01", "40001", "55P03", "57014", "25006"}
NO_RIGHT = "42501"
CALLERS = ("reader", "client", "agent", "worker", "operator", "nobody")
# These see and change every workspace, as their role says.
EVERYWHERE = {"worker", "operator"}

FUNCTIONS = """
select
  p.proname as name, p.provolatile <> 'v' as reads_only, p.pronargs - p.pronargdefaults as required,
  coalesce(p.proargnames[1:p.pronargs], '{}') as arguments,
  array(
    select format_type(t.type, null)
    from unnest(p.proargtypes::oid[]) with ordinality as t (type, nth)
    order by t.nth
  ) as types
from pg_catalog.pg_proc as p
where p.pronamespace = 'office'::regnamespace and p.prokind = 'f' and p.prorettype <> 'trigger'::regtype
order by p.proname
"""
# What every table holds, in one number; and what the other workspace's rows are, in one more.
CONTENTS = """
select format('select %L as name, count(*), coalesce(sum(hashtextextended(t::text, 0)), 0) from %s as t%s',
  c.oid::regclass, c.oid::regclass, {condition})
from pg_catalog.pg_class as c
where c.relnamespace in ('office'::regnamespace, 'office_internal'::regnamespace) and c.relkind = 'r'
"""


@dataclass(frozen=True)
class Function:
    """A public function as the catalog has it."""

    name: str
    reads_only: bool
    required: int
    arguments: list[str]
    types: list[str]


class Building:
    """The office of one test: who calls, what there is, and what it looks like before and after."""

    def __init__(self, conn: Connection) -> None:
        self.conn = conn
        make_logins(conn)
        conn.execute("select office.create_account('ada', db_role => 'model_client')")
        conn.execute("select office.create_account('eve', db_role => 'model_reader')")
        conn.execute("select office.create_account('ben')")
        self.own = furnish(conn, "acme", "ada", "plain")
        self.other = furnish(conn, "bolt", "ben", SECRET)
        conn.execute("select office.add_member('acme', 'eve')")
        conn.commit()
        self.functions = [Function(*found) for found in conn.execute(FUNCTIONS).fetchall()]
        codes = conn.execute("select code, status from office.errors").fetchall()
        self.codes = {code: f"PT{status}" for code, status in codes}
        self._all = self._contents("''")
        self._others = self._contents(f"' where t::text ~ ''{self.other.id}'''")
        conn.rollback()

    def _contents(self, condition: str) -> str:
        parts = self.conn.execute(CONTENTS.format(condition=condition).encode()).fetchall()
        return " union all ".join(part[0] for part in parts)

    def all_rows(self) -> list[Any]:
        return self.conn.execute(self._all.encode()).fetchall()

    def rows_of_the_other(self) -> list[Any]:
        return self.conn.execute(self._others.encode()).fetchall()

    def become(self, caller: str) -> None:
        login = "gate" if caller == "agent" else caller
        self.conn.execute(f"set local session authorization model_{login}".encode())
        if caller == "agent":
            self.conn.execute("select office.act_with(%s)", [self.own.tokens[0]])

    def be_the_owner(self) -> None:
        # The owner's login is a gateway too: what the agent's said in this transaction would hold for it.
        self.conn.execute("reset session authorization")
        self.conn.execute("set local office.acting = ''")


@pytest.fixture(scope="module")
def building(module_database: str) -> Iterator[Building]:
    """Whatever is done in it is undone."""
    with psycopg.connect(module_database, options="-c statement_timeout=20s") as conn:
        yield Building(conn)


def references(own: Workspace, other: Workspace) -> list[str]:
    """What a caller may write where a thing is named: true, another's, and nonsense."""
    words = [
        "", " ", "everything", "EVERYTHING", "office", "agent:", "workspace:", "system", "ada", "ben",
        "nil", "t", "r", "t0", "r0", "%", "_", "t99999999999999999999", "r99999999999999999999",
        "00000000-0000-0000-0000-000000000000", "a/b/c", "/", "'", "\\", "\n", "🦆", "x" * 70000,
        "model_client", "office_operator", "oat_", "done", "todo", "in_progress", "In Review",
        "proposed", "worker", "owner", "member", "urgent", "user", "self", "comment", "routine",
        "message", "task_assigned", "max_concurrent_runs", "on_interrupt", "attempt_minutes", "3", "-1",
        "configuration", "limit", "failure", "UTC", "Mars/Olympus", "queued", "finished",
        "task_assigned:x", "2026-13-45T99:99:99", "1e400",
    ]  # fmt: skip
    for workspace in (own, other):
        name = workspace.name
        words += workspace.ids + workspace.numbers + workspace.tokens + [workspace.id, name, name.upper()]
        words += [
            f"{prefix}{name}-{agent}"
            for prefix in ("", f"{name}/", "agent:")
            for agent in ("builder", "lead")
        ]
        words += [f"{name}-site", f"{name}-profile", f"workspace:{name}", f"{name}/nil"]
    return words


KEYS = [
    "command", "folder", "environment", "pass_environment", "prompt", "limits", "minutes", "name",
    "role", "instructions", "executor", "agent", "cooldown_sec", "max_concurrent_sessions",
    "skip_idle_wakeups", "reports_to", "profile", "source", "payload", "idempotency_key", "workspace",
    "task_id", "comment_id", "user_id", "context", "reason", "routine_id", "fire", "missed_since",
    "missed_ticks", "variables", "error", "failed_agent_id", "run_id", "session_id", "text",
    "attempt_id", "result", "exit_code", "sequence", "kind", "content", "at", "summary", "x",
]  # fmt: skip


def values_of(kind: str, words: list[str], living: list[str]) -> st.SearchStrategy[str | None]:
    """Literals for a type, as a person types them; a few of the wrong type.

    `living` are ids that a worker may report for.
    """
    text = st.one_of(
        st.sampled_from(words),
        st.sampled_from(words),
        st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=30),
    )
    scalar = st.one_of(
        st.sampled_from(words),
        st.none(),
        st.booleans(),
        st.integers(-3, 3),
        st.sampled_from([2**31, -(2**63), 10**40, 0.5, 1e300]),
        st.sampled_from(
            ["message", "output", "2026-01-05T10:00:00Z", "2026-13-45T99:99:99Z", "/srv", "stdin", "worker"]
        ),
    )
    tree = st.recursive(
        scalar,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=5),
        max_leaves=12,
    )
    shapes = st.one_of(
        tree,
        st.lists(st.dictionaries(st.sampled_from(KEYS), tree, max_size=4), max_size=3),
        st.fixed_dictionaries(
            {"command": st.just(["/bin/true"])},
            optional=dict.fromkeys(("folder", "environment", "limits", "prompt"), tree),
        ),
        st.fixed_dictionaries(
            {},
            optional=dict.fromkeys(
                ("task_id", "context", "reason", "user_id", "comment_id", "payload"), scalar
            ),
        ),
        st.lists(
            st.fixed_dictionaries(
                {
                    "sequence": st.integers(1, 3) | scalar,
                    "kind": st.sampled_from(["message", "output", "usage", "x"]),
                    "content": text,
                },
                optional={"at": scalar},
            ),
            max_size=3,
        ),
        st.lists(
            st.fixed_dictionaries(
                {"attempt_id": st.sampled_from(living)}, optional={"result": tree, "exit_code": scalar}
            ),
            max_size=3,
        ),
        st.lists(
            st.fixed_dictionaries(
                {"agent": st.sampled_from(words)},
                optional={"source": text, "payload": tree, "idempotency_key": text},
            ),
            max_size=3,
        ),
    )
    array = st.lists(st.sampled_from(words) | st.none(), max_size=3).map(
        lambda items: "{" + ",".join(map(json.dumps, items)) + "}"
    )
    by_type: dict[str, st.SearchStrategy[str]] = {
        "text": text,
        "integer": st.sampled_from(
            ["0", "1", "2", "3", "100", "-1", "2147483647", "-2147483648", "2147483648"]
        ),
        "boolean": st.sampled_from(["true", "false"]),
        "uuid": st.sampled_from(living) | st.sampled_from([word for word in words if word.count("-") == 4]),
        "jsonb": shapes.map(json.dumps),
        "text[]": array,
        "uuid[]": array,
    }
    usual = by_type.get(kind, st.just("(,)"))
    return st.one_of(usual, usual, usual, st.none(), text)


@pytest.mark.slow
@pytest.mark.parametrize("caller", CALLERS)
def test_any_arguments_give_an_answer_or_a_refusal(caller: str, building: Building) -> None:
    conn, other = building.conn, building.other
    words = references(building.own, other)
    living = building.own.living + other.living
    secrets = {SECRET, *other.ids}
    before, others_before = building.all_rows(), building.rows_of_the_other()
    conn.rollback()

    @settings(max_examples=150, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    @given(st.data())
    def call(data: st.DataObject) -> None:
        function = data.draw(st.sampled_from(building.functions), label="function")
        count = data.draw(st.integers(function.required, len(function.arguments)))
        given_values = [
            data.draw(values_of(kind, words, living), label=name)
            for name, kind in zip(function.arguments[:count], function.types, strict=False)
        ]
        named = sql.SQL(", ").join(
            sql.SQL("{} => {}").format(sql.Identifier(name), sql.Literal(value))
            for name, value in zip(function.arguments, given_values, strict=False)
        )
        statement = sql.SQL("select * from office.{}({})").format(sql.Identifier(function.name), named)
        try:
            building.become(caller)
            conn.execute("savepoint before")
            try:
                answer = conn.execute(statement).fetchall()
            except psycopg.Error as error:
                conn.execute("rollback to before")
                building.be_the_owner()
                check_refusal(error, building, caller, secrets)
                return
            building.be_the_owner()
            if function.reads_only:
                assert building.all_rows() == before, "only reads, and yet written"
            if caller not in EVERYWHERE:
                assert building.rows_of_the_other() == others_before, "another workspace's rows were touched"
                told = json.dumps(answer, default=str)
                asked = "".join(value or "" for value in given_values)
                shown = {secret for secret in secrets if secret in told and secret not in asked}
                assert not shown, f"another workspace's data were shown: {told}"
            assert caller != "nobody" or function.name in ANYBODYS, "nobody was answered"
        finally:
            conn.rollback()

    call()
    assert building.all_rows() == before, "refused, and yet written"
    conn.rollback()


# They tell nothing of any workspace.
ANYBODYS = {
    "now",
    "uuid7",
    "help",
    "run_label",
    "preview",
    "waiting_for",
    "context_snapshot",
    "fire_webhook",  # who calls it shows a signature, not an identity
    "read_rate_limit",
    "cron_next",
    "cron_fires",
}


def check_refusal(error: psycopg.Error, building: Building, caller: str, secrets: set[str]) -> None:
    state, diagnosis = error.sqlstate or "", error.diag
    told = " ".join(
        filter(None, (diagnosis.message_primary, diagnosis.message_detail, diagnosis.message_hint))
    )
    if caller not in EVERYWHERE:
        assert SECRET not in told, f"another workspace's data were told: {told}"
    if state in TRY_AGAIN:
        return
    if state.startswith("PT"):
        detail = json.loads(diagnosis.message_detail or "null")
        assert building.codes[detail["code"]] == state, told
        assert diagnosis.message_hint, told
        return
    # What Postgres says of the arguments it says before any function runs.
    assert "function" not in (diagnosis.context or ""), (
        f"{state} came out of a function's body: {told}\n{diagnosis.context}"
    )
    assert state == NO_RIGHT or state.startswith("22") or state in ("42804", "42883", "0A000"), (
        f"{state}: {told}"
    )
