"""On somebody else's server: no superuser, no roles called office_*, a login with an odd name (I5, I13)."""

from __future__ import annotations

import re
from typing import Any

import psycopg
import pytest
from psycopg import sql
from psycopg.conninfo import make_conninfo

from officectl.database import deploy, grants, sqlfiles
from officectl.database.embedded import Cluster
from officectl.errors import Forbidden

ROLES = sqlfiles.ROLES
COMMENT = re.compile(r"--[^\n]*")
LITERAL = re.compile(r"'(?:[^']|'')*'")
ROLE_NAME = re.compile(r"\boffice_(?:reader|client|worker|operator)\b")


def one(dsn: str, query: str, *values: Any) -> Any:
    with psycopg.connect(dsn, autocommit=True) as connection:
        row = connection.execute(query.encode(), values).fetchone()
        assert row is not None
        return row[0]


def new_owner(server: str, login: str, database: str) -> str:
    """DSN of an empty database for a new login that may do nothing but create in it."""
    with psycopg.connect(server, autocommit=True) as administrator:
        names = {"login": sql.Identifier(login), "database": sql.Identifier(database)}
        for statement in (
            "create role {login} login nosuperuser nocreaterole nocreatedb",
            "create database {database}",
            "grant create on database {database} to {login}",
        ):
            administrator.execute(sql.SQL(statement).format(**names))
    return make_conninfo(server, user=login, dbname=database)


def quickstart(*, client: str, worker: str, reader: str, operator: str) -> None:
    """The README's first lines of SQL and a worker's, each by the login that may."""
    executor = '{"command": ["/bin/sh", "-c", "echo looked at it"]}'
    assert (
        one(client, "select agent from office.create_agent('triage', executor => %s)", executor) == "triage"
    )
    title = "Look at order 7"
    assert one(client, "select task from office.create_task(%s, assignee => 'triage')", title) == "t1"
    assert one(client, "select count(*) from office.up_next") == 1
    assert one(worker, "select office.get_setting('max_concurrent_runs', 'office')") is not None
    assert one(worker, "select office.dispatch()") > 0
    machine = one(worker, "select worker_id from office.register_worker('box')")
    attempt = one(worker, "select attempt_id from office.claim_runs(%s) where run_id is not null", machine)
    assert one(worker, "select status from office.start_attempt(%s)", attempt) == "running"
    done = 'select outcome from office.finish_attempt(%s, \'{"summary": "looked at it"}\')'
    assert one(worker, done, attempt) == "succeeded"
    assert one(reader, "select summary from office.result('t1')") == "looked at it"
    assert one(reader, "select count(*) from office.why('r1')") > 0
    assert one(operator, "select count(*) from office.audit()") == 0


# Logins of owners, and what their accounts are called.
OWNERS = {
    "plain_owner": "plain_owner",
    "review user@x": "reviewuserx",
    "system": "owner",
    "--": "owner",
    'O\'Neil "Ann"': "ONeilAnn",
}


def test_single_role_office_of_an_ordinary_login(own_cluster: Cluster, subtests: pytest.Subtests) -> None:
    """I13, I6: the owner alone goes the whole way without any role, whatever its login is called."""
    for number, (login, account) in enumerate(OWNERS.items()):
        with subtests.test(login):
            owner = new_owner(own_cluster.dsn, login, f"theirs_{number}")
            for _ in range(2):
                deploy.migrate(owner, single_role=True)
            first = "select a.name, a.db_role from office.accounts a join office.workspaces w"
            with psycopg.connect(owner) as connection:
                found = connection.execute(f"{first} on w.owner_account_id = a.id".encode()).fetchall()
            assert found == [(account, None)]
            quickstart(client=owner, worker=owner, reader=owner, operator=owner)
    assert one(own_cluster.dsn, "select count(*) from pg_roles where rolname like 'office\\_%%'") == 0


def test_office_with_a_prefix_of_its_own(own_cluster: Cluster) -> None:
    """I5, I6: four logins with roles acme_*, of an owner that may make none, go the whole way."""
    owner = new_owner(own_cluster.dsn, "plain_owner", "theirs")
    logins = {role: make_conninfo(owner, user=f"some_{role}") for role in ROLES}
    with psycopg.connect(own_cluster.dsn, autocommit=True) as administrator:
        for role in ROLES:
            administrator.execute(
                f"create role acme_{role}; create role some_{role} login in role acme_{role}".encode()
            )
    for _ in range(2):
        deploy.migrate(owner, role_prefix="acme")
    for role in ("reader", "client"):
        grants.grant(owner, f"some_{role}", account=role)
        one(owner, "select office.add_member(%s, %s)", "main", role)
    quickstart(**logins)
    # Operators see every account, others those of their workspaces.
    assert one(logins["reader"], "select count(*) from office.accounts where name = 'system'") == 0
    assert one(logins["operator"], "select count(*) from office.accounts where name = 'system'") == 1
    assert one(own_cluster.dsn, "select count(*) from pg_roles where rolname like 'office\\_%%'") == 0


def test_roles_of_another_office_give_nothing_here(own_cluster: Cluster) -> None:
    """I5, I6: on a server with two offices, the operators and workers of one are nobody in the other."""
    theirs = new_owner(own_cluster.dsn, "one_owner", "one")
    ours = new_owner(own_cluster.dsn, "two_owner", "two")
    with psycopg.connect(own_cluster.dsn, autocommit=True) as administrator:
        for prefix in ("office", "acme"):
            for role in ROLES:
                administrator.execute(f"create role {prefix}_{role}".encode())
        # May look at the second office, but is nobody there: its powers are the first office's.
        administrator.execute("create role guest login in role office_operator, office_worker, acme_reader")
    deploy.migrate(theirs)
    deploy.migrate(ours, role_prefix="acme")
    assert one(make_conninfo(theirs, user="guest"), "select count(*) from office.workspaces") == 1
    for question in (
        "select count(*) from office.workspaces",
        "select office.get_setting('max_concurrent_runs')",
    ):
        with pytest.raises(psycopg.Error) as refusal:
            one(make_conninfo(ours, user="guest"), question)
        assert refusal.value.sqlstate == "PT401"


def test_grant_by_an_owner_who_may_not_grant_roles(own_cluster: Cluster) -> None:
    """I5: what an administrator granted already is enough; else the rest is kept, and theirs is told."""
    owner = new_owner(own_cluster.dsn, "plain_owner", "theirs")
    with psycopg.connect(own_cluster.dsn, autocommit=True) as administrator:
        for role in ROLES:
            administrator.execute(f"create role office_{role}".encode())
        administrator.execute("create role wk login in role office_worker")
        administrator.execute('create role "wk 2" login')
    deploy.migrate(owner)
    kinds = (
        "select string_agg(login || ' ' || kind, ', ' order by login)"
        " from office_internal.gateways where login like 'wk%%'"
    )
    grants.grant(owner, "wk", role="worker", gateway="token")
    assert one(owner, kinds) == "wk token"
    with pytest.raises(Forbidden) as refusal:
        grants.grant(owner, "wk 2", role="worker", gateway="token", account="second")
    assert refusal.value.message == "plain_owner may not grant roles on this server; the rest is done"
    assert refusal.value.hint == 'Have an administrator run: grant "office_worker" to "wk 2";'
    assert one(owner, kinds) == "wk token, wk 2 token"
    assert one(owner, "select name from office.accounts where db_role = 'wk 2'") == "second"
    with pytest.raises(Forbidden) as refusal:
        grants.grant(owner, "wk 2", role="reader")
    assert refusal.value.message == "plain_owner may not grant roles on this server"
    with psycopg.connect(own_cluster.dsn, autocommit=True) as administrator:
        administrator.execute('grant office_worker to "wk 2"')
    grants.grant(owner, "wk 2", role="worker")


def test_only_the_grants_name_roles() -> None:
    """I5: a body asks for the role that this office was deployed with; a literal would name another's."""
    files = sqlfiles.packaged()
    for file in [*files.migrations, *files.functions, *files.views, *files.triggers, *files.grants]:
        statements = COMMENT.sub("", file.text)
        named = [word for text in LITERAL.findall(statements) for word in ROLE_NAME.findall(text)]
        if file.part != "grants":
            named += ROLE_NAME.findall(statements)
        assert named == [], file.path
