"""The deploy (A4): what it makes, repeats, drops, repairs and refuses."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import threading
import time
from pathlib import Path
from typing import Any

import psycopg
import pytest
from support import trees
from support.catalogs import catalog
from yoyo import internalmigrations

from officectl import __version__
from officectl.database import checks, deploy, migrations, sqlfiles
from officectl.database.embedded import Binaries
from officectl.errors import Forbidden, OfficeError, Refused, UsageProblem, VersionMismatch

fork = multiprocessing.get_context("spawn")


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    return trees.write(tmp_path / "tree")


@pytest.fixture
def other_database(cluster_dsn: str, fresh_database: str) -> Any:
    """A second empty database, beside `fresh_database`."""
    with psycopg.connect(cluster_dsn, autocommit=True) as connection:
        connection.execute("drop database if exists test_deploy_other with (force)")
        connection.execute("create database test_deploy_other")
        yield psycopg.conninfo.make_conninfo(cluster_dsn, dbname="test_deploy_other")
        connection.execute("drop database test_deploy_other with (force)")


def one(dsn: str, query: str) -> Any:
    with psycopg.connect(dsn, autocommit=True) as connection:
        row = connection.execute(query.encode()).fetchone()
        assert row is not None
        return row[0]


# What it makes


def test_first_deploy_makes_everything_and_records_it(fresh_database: str, tree: Path) -> None:
    """A4: migrations, functions, views in order of use, triggers, grants; the version is recorded."""
    report = deploy.migrate(fresh_database, root=tree)
    assert report.previous is None
    assert report.migrations == ["0001-foundation", "0002-colours"]
    assert one(fresh_database, "select notes from office.a_summary") == 1
    assert one(fresh_database, "select name from office.colours") == "red; begin"
    assert one(fresh_database, "select body from office.notes") == "main"
    status = deploy.status(fresh_database, root=tree)
    assert (status.state, status.pending) == ("current", ())
    assert status.deployment == deploy.Deployment(
        __version__, sqlfiles.SqlFiles(tree).digest, "office", single_role=False, migrating=False
    )


def test_deploying_again_changes_nothing(fresh_database: str, tree: Path) -> None:
    """A4: a second deploy is safe at any time."""
    deploy.migrate(fresh_database, root=tree)
    before = catalog(fresh_database)
    report = deploy.migrate(fresh_database, root=tree)
    assert (report.previous, report.migrations, report.dropped) == (__version__, [], [])
    assert catalog(fresh_database) == before


def test_packaged_schema_deploys_twice_the_same(fresh_database: str) -> None:
    """A4: the product's own SQL, deployed over itself."""
    deploy.migrate(fresh_database)
    before = catalog(fresh_database)
    assert deploy.migrate(fresh_database).dropped == []
    assert catalog(fresh_database) == before


def test_migrated_and_fresh_catalogs_are_identical(
    fresh_database: str, other_database: str, tmp_path: Path
) -> None:
    """A4: an older version with other functions, views, triggers, policies, migrated, is as a fresh one."""
    old = trees.write(tmp_path / "old", without=trees.OLD)
    (old / "functions/notes/gone.sql").write_text(
        "create or replace function office.gone(n integer) returns integer language sql return n;"
    )
    (old / "views/b_notes.sql").write_text("create view office.b_notes as select body, id from office.notes;")
    (old / "triggers/notes.sql").write_text(
        trees.FILES["triggers/notes.sql"]
        + "create or replace trigger gone before insert on office.notes for each row"
        " execute function office_internal.keep_note();"
    )
    with (old / "grants.sql").open("a") as grants:
        grants.write(
            "create policy gone on office.notes for delete to office_worker using (office.gone(id) > 0);"
        )
    deploy.migrate(fresh_database, root=old)

    new = trees.write(tmp_path / "new")
    report = deploy.migrate(fresh_database, root=new)
    assert report.migrations == ["0002-colours"]
    assert report.dropped == ["drop trigger gone on office.notes", "drop routine office.gone(integer)"]
    deploy.migrate(other_database, root=new)
    assert catalog(fresh_database) == catalog(other_database)


def test_function_whose_result_changed_is_replaced(fresh_database: str, tree: Path) -> None:
    """A4: `create or replace` cannot change a result; the deploy drops such a function first."""
    deploy.migrate(fresh_database, root=tree)
    (tree / "functions/notes/count_notes.sql").write_text(
        "create or replace function office.count_notes(out notes text) language sql stable"
        " as 'select count(*)::text from office.notes';"
    )
    deploy.migrate(fresh_database, root=tree)
    assert one(fresh_database, "select notes from office.count_notes()") == "1"


def test_script_for_psql_does_what_a_deploy_does(
    fresh_database: str, other_database: str, tree: Path, binaries: Binaries, tmp_path: Path
) -> None:
    """I13: `db sql` prints what a deploy would run, also for a database that is behind."""
    old = trees.write(tmp_path / "old", without=trees.OLD)
    for root in (old, tree):
        script = deploy.script(fresh_database, root=root)
        done = subprocess.run(
            [binaries.folder / "psql", "-X", "-q", "-d", fresh_database],
            input=script,
            capture_output=True,
            text=True,
            check=False,
        )
        assert (done.returncode, done.stderr) == (0, "")
        deploy.migrate(other_database, root=root)
        assert catalog(fresh_database) == catalog(other_database)
    assert deploy.status(fresh_database, root=tree).state == "current"


def test_yoyo_has_nothing_to_upgrade(fresh_database: str, tree: Path) -> None:
    """A4, A13: the tables that the deploy makes for yoyo are of yoyo's own newest form."""
    deploy.migrate(fresh_database, root=tree)
    with psycopg.connect(fresh_database, autocommit=True) as connection:
        backend = migrations._Backend(connection)
        assert not internalmigrations.needs_upgrading(backend)


# Interrupted and at once


def deploy_and_die(dsn: str, root: str | None, after: int) -> None:
    """Deploy, and kill -9 oneself at the given step."""
    steps = iter(range(10_000))

    def die(_line: str) -> None:
        if next(steps) == after:
            os.kill(os.getpid(), signal.SIGKILL)

    deploy.migrate(dsn, root=Path(root) if root else None, progress=die)


def run_child(target: Any, *arguments: Any) -> int:
    child = fork.Process(target=target, args=arguments)
    child.start()
    child.join(60)
    assert child.exitcode is not None
    return child.exitcode


def test_deploy_killed_at_any_point_is_repaired_by_the_next(
    fresh_database: str, other_database: str, tree: Path
) -> None:
    """A4, A13: kill -9 before each step in turn, each time further on in the same database."""
    steps: list[str] = []
    deploy.migrate(other_database, root=tree, progress=steps.append)
    with psycopg.connect(fresh_database, autocommit=True) as connection:
        for after in range(len(steps)):
            connection.execute("drop schema if exists office, office_internal, office_migrations cascade")
            assert run_child(deploy_and_die, fresh_database, str(tree), after) == -signal.SIGKILL, steps[
                after
            ]
            if after > steps.index("migration 0001-foundation"):
                # What kill -9 leaves of yoyo's own lock.
                connection.execute(
                    "insert into office_migrations.yoyo_lock (pid) values (1) on conflict do nothing"
                )
            deploy.migrate(fresh_database, root=tree)
            assert catalog(fresh_database) == catalog(other_database), steps[after]


def test_claims_are_told_while_a_deploy_is_half_done(fresh_database: str, tree: Path, tmp_path: Path) -> None:
    """A4: between migrations and functions the deployment says that it is migrating."""
    old = trees.write(tmp_path / "old", without=trees.OLD)
    deploy.migrate(fresh_database, root=old)
    seen: dict[str, bool] = {}

    def look(line: str) -> None:
        seen[line] = one(fresh_database, "select migrating from office_internal.deployment")

    deploy.migrate(fresh_database, root=tree, progress=look)
    assert seen["records"] is False
    assert seen["migration 0002-colours"] is True
    assert seen["record"] is True
    assert one(fresh_database, "select migrating from office_internal.deployment") is False


def test_two_deploys_at_once(fresh_database: str, other_database: str, tree: Path) -> None:
    """A4: the second waits for the first, and then finds nothing to do."""
    reports: list[deploy.Report] = []
    lines: list[str] = []

    def run() -> None:
        reports.append(deploy.migrate(fresh_database, root=tree, progress=lines.append))

    first, second = threading.Thread(target=run), threading.Thread(target=run)
    with psycopg.connect(fresh_database, autocommit=True) as blocker:
        blocker.execute(f"select pg_advisory_lock({deploy._ADVISORY_LOCK})")
        first.start()
        second.start()
        while lines.count("waiting for another deploy of this database") < 2:
            time.sleep(0.01)
    first.join(60)
    second.join(60)
    assert sorted(len(report.migrations) for report in reports) == [0, 2]
    deploy.migrate(other_database, root=tree)
    assert catalog(fresh_database) == catalog(other_database)


def test_deploy_waits_for_a_table_and_lets_others_through(fresh_database: str, tree: Path) -> None:
    """A4: lock_timeout of 2 s with retries; who queues behind the deploy never waits longer than that."""
    deploy.migrate(fresh_database, root=tree)
    lines: list[str] = []
    worker = threading.Thread(target=lambda: deploy.migrate(fresh_database, root=tree, progress=lines.append))
    with (
        psycopg.connect(fresh_database) as holder,
        psycopg.connect(fresh_database, autocommit=True) as reader,
    ):
        holder.execute("select * from office.notes")
        worker.start()
        while "waiting for a table that somebody holds" not in lines:
            started = time.monotonic()
            reader.execute("select count(*) from office.notes")
            assert time.monotonic() - started < 2.9
            time.sleep(0.01)
        holder.rollback()
        worker.join(60)
    assert deploy.status(fresh_database, root=tree).state == "current"


def test_table_that_is_held_for_ever_is_refused(
    fresh_database: str, tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A4: patience ends with one line that names who holds the table; nothing is changed."""
    monkeypatch.setattr(deploy, "_LOCK_PATIENCE_SECONDS", 0)
    deploy.migrate(fresh_database, root=tree)
    with psycopg.connect(fresh_database, application_name="forgetful") as holder:
        holder.execute("select * from office.notes")
        with pytest.raises(Refused, match="needs a table that somebody has held") as refusal:
            deploy.migrate(fresh_database, root=tree)
    assert "forgetful" in (refusal.value.hint or "")


# Refused


def test_error_in_a_file_names_file_and_line_and_writes_nothing(fresh_database: str, tree: Path) -> None:
    """A4: the last transaction is whole or not there."""
    deploy.migrate(fresh_database, root=tree)
    before = catalog(fresh_database)
    (tree / "views/b_notes.sql").write_text(
        "create view office.b_notes as\nselect id,\n  bodi from office.notes;"
    )
    (tree / "functions/notes/new.sql").write_text(
        "create or replace function office.fresh() returns integer language sql return 1;"
    )
    with pytest.raises(OfficeError, match=r'^views/b_notes\.sql:3: column "bodi" does not exist$'):
        deploy.migrate(fresh_database, root=tree)
    assert catalog(fresh_database) == before


def test_broken_migration_leaves_nothing_behind(fresh_database: str, tree: Path) -> None:
    """A4: a migration is whole or not there, and not recorded; the next deploy applies it."""
    migration = tree / "schema/0002-colours.sql"
    whole = migration.read_text()
    migration.write_text(whole + "select 1/0;")
    with pytest.raises(OfficeError, match=r"schema/0002-colours\.sql: division by zero"):
        deploy.migrate(fresh_database, root=tree)
    assert one(fresh_database, "select to_regclass('office.colours') is null")
    migration.write_text(whole)
    assert deploy.migrate(fresh_database, root=tree).migrations == ["0002-colours"]


def test_edited_migration_is_refused(fresh_database: str, tree: Path) -> None:
    """A4, A13: yoyo does not notice that an applied file was edited; we do."""
    deploy.migrate(fresh_database, root=tree)
    with (tree / "schema/0002-colours.sql").open("a") as file:
        file.write("-- an afterthought\n")
    with pytest.raises(Refused, match="the migration 0002-colours was edited after it was applied here"):
        deploy.migrate(fresh_database, root=tree)
    assert deploy.status(fresh_database, root=tree).edited == ("0002-colours",)


def test_database_of_a_newer_officectl_is_refused(fresh_database: str, tree: Path) -> None:
    """A4, I8: exit code 5, versions differ."""
    deploy.migrate(fresh_database, root=tree)
    (tree / "schema/0002-colours.sql").unlink()
    with pytest.raises(VersionMismatch, match="does not know the migration 0002-colours"):
        deploy.migrate(fresh_database, root=tree)


def test_foreign_view_is_not_dropped(fresh_database: str, tree: Path) -> None:
    """A4: only what is ours is dropped; somebody's view on one of ours stops the deploy by name."""
    deploy.migrate(fresh_database, root=tree)
    with psycopg.connect(fresh_database) as connection:
        connection.execute("create view public.report as select * from office.b_notes")
    with pytest.raises(Refused, match=r"view public\.report depends on view office\.b_notes"):
        deploy.migrate(fresh_database, root=tree)
    assert one(fresh_database, "select count(*) from public.report") == 1


def test_old_server_is_refused(fresh_database: str, tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A10: one line that says which version there is and which is needed; nothing is written."""
    monkeypatch.setattr(checks, "OLDEST_VERSION", 99)
    with pytest.raises(Refused, match=r"^the server is PostgreSQL \d+, and officectl needs 99 or newer$"):
        deploy.migrate(fresh_database, root=tree)
    assert one(fresh_database, "select count(*) from pg_namespace where nspname like 'office%'") == 0


def test_bad_prefix_is_refused(fresh_database: str, tree: Path) -> None:
    """I5: role names are plain identifiers."""
    for prefix in ("Acme", "a-b", "1st", "x" * 60, ""):
        with pytest.raises(UsageProblem):
            deploy.migrate(fresh_database, root=tree, role_prefix=prefix)


def test_prefix_stays(fresh_database: str, tree: Path) -> None:
    """I5: the prefix is remembered, and another one refused: the old roles would keep their rights."""
    deploy.migrate(fresh_database, root=tree, role_prefix="acme")
    deploy.migrate(fresh_database, root=tree)
    assert one(fresh_database, "select has_table_privilege('acme_reader', 'office.notes', 'select')")
    with pytest.raises(Refused, match=r"deployed with roles named acme_\*"):
        deploy.migrate(fresh_database, root=tree, role_prefix="office")


# An ordinary owner


@pytest.fixture
def ordinary(cluster_dsn: str, fresh_database: str) -> Any:
    """DSN of `fresh_database` for a login without any right of its own, who may create in it."""
    name = psycopg.conninfo.conninfo_to_dict(fresh_database)["dbname"]
    with psycopg.connect(cluster_dsn, autocommit=True) as connection:
        connection.execute("create role plain_owner login nosuperuser nocreaterole nocreatedb")
        connection.execute(f'grant create on database "{name}" to plain_owner'.encode())
        yield psycopg.conninfo.make_conninfo(fresh_database, user="plain_owner")
        with psycopg.connect(fresh_database, autocommit=True) as there:
            there.execute("drop owned by plain_owner cascade")
        connection.execute("drop role plain_owner")


def test_ordinary_owner_is_told_which_roles_to_have_made(
    ordinary: str, fresh_database: str, tree: Path
) -> None:
    """I13: roles are made, or found by name with the statements for a DBA; nothing is written before."""
    with pytest.raises(Forbidden, match=r"the roles bare_reader, .* are missing") as refusal:
        deploy.migrate(ordinary, root=tree, role_prefix="bare")
    statements = (refusal.value.hint or "").split("\n", 1)[1]
    assert "create role bare_operator nologin;" in statements
    assert one(fresh_database, "select count(*) from pg_namespace where nspname like 'office%'") == 0
    with psycopg.connect(fresh_database, autocommit=True) as dba:
        dba.execute(statements.encode())
    assert deploy.migrate(ordinary, root=tree, role_prefix="bare").migrations
    assert deploy.status(ordinary, root=tree).state == "current"


@pytest.mark.parametrize("single_role", [True, False])
def test_ordinary_owner_deploys_the_packaged_schema(
    ordinary: str, cluster_dsn: str, template: str, single_role: bool
) -> None:
    """I13, A10: NOSUPERUSER NOCREATEROLE, with roles that are there, or as a single role; twice."""
    for _ in range(2):
        deploy.migrate(ordinary, single_role=single_role)
    deployed = deploy.status(ordinary).deployment
    assert deployed is not None
    assert deployed.single_role is single_role
    assert one(ordinary, "select count(*) from office.audit()") == 0


@pytest.mark.parametrize("single_role", [True, False])
def test_change_to_a_single_role_or_back_is_as_a_fresh_deploy(
    ordinary: str, template: str, single_role: bool
) -> None:
    """A4, I5, I13: nobody keeps a right that this form of the office does not give."""
    deploy.migrate(ordinary, single_role=not single_role)
    deploy.migrate(ordinary, single_role=single_role)
    changed = catalog(ordinary)
    with psycopg.connect(ordinary, autocommit=True) as connection:
        connection.execute("drop schema office, office_internal, office_migrations cascade")
    deploy.migrate(ordinary, single_role=single_role)
    assert changed == catalog(ordinary)


def test_right_that_no_file_grants_any_more_is_taken_back(fresh_database: str, tree: Path) -> None:
    """A4, I5: from the office's roles; what a login of somebody else's was granted by hand stays."""
    with (tree / "grants.sql").open("a") as grants:
        grants.write("grant update (body) on office.notes to office_client;")
        grants.write("grant delete on office.notes to office_worker;")
    deploy.migrate(fresh_database, root=tree)
    with psycopg.connect(fresh_database) as connection:
        connection.execute("grant select on office.notes to pg_monitor")
    trees.write(tree)
    deploy.migrate(fresh_database, root=tree)
    assert not one(
        fresh_database, "select has_any_column_privilege('office_client', 'office.notes', 'update')"
    )
    assert not one(fresh_database, "select has_table_privilege('office_worker', 'office.notes', 'delete')")
    assert one(fresh_database, "select has_table_privilege('office_reader', 'office.notes', 'select')")
    assert one(fresh_database, "select has_table_privilege('pg_monitor', 'office.notes', 'select')")


def test_single_role_gives_nothing_to_the_four_roles(ordinary: str, fresh_database: str, tree: Path) -> None:
    """I13: with --single-role the owner stands for all four."""
    deploy.migrate(ordinary, root=tree, single_role=True)
    acl = "select string_agg(relacl::text, '') from pg_class where relnamespace = 'office'::regnamespace"
    assert "office_reader" not in one(fresh_database, acl)
    assert one(ordinary, "select notes from office.a_summary") == 1


def test_another_login_than_the_owner_is_refused(ordinary: str, fresh_database: str, tree: Path) -> None:
    """A4: one login owns everything, for functions run as their owner."""
    deploy.migrate(ordinary, root=tree, single_role=True)
    with pytest.raises(Forbidden, match="the schemas of the office belong to plain_owner, and you are"):
        deploy.migrate(fresh_database, root=tree)


def test_missing_right_to_create_is_told(ordinary: str, fresh_database: str, tree: Path) -> None:
    """I13: the statement that an administrator must run is the hint."""
    with psycopg.connect(fresh_database, autocommit=True) as dba:
        database = dba.info.dbname
        dba.execute(f'revoke create on database "{database}" from plain_owner'.encode())
    with pytest.raises(Forbidden, match="plain_owner may not create schemas") as refusal:
        deploy.migrate(ordinary, root=tree, single_role=True)
    assert f'grant create on database "{database}" to "plain_owner";' in (refusal.value.hint or "")


def test_login_without_rights_sees_that_it_cannot_see(ordinary: str, fresh_database: str, tree: Path) -> None:
    """I8: status works for every login."""
    deploy.migrate(fresh_database, root=tree)
    found = deploy.status(ordinary, root=tree)
    assert (found.state, found.deployment) == ("hidden", None)
