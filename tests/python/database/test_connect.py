"""Which database is meant and how a failed connection is told (I8, I13)."""

from __future__ import annotations

from pathlib import Path

import psycopg
import pytest

from officectl.database.connect import (
    aconnect,
    connect,
    find_dsn,
    place,
    pool,
    resolve_direct_dsn,
    resolve_dsn,
)
from officectl.errors import Forbidden, OfficeError, Refused, Unreachable, UsageProblem, translate

VARIABLES = ("OFFICE_DSN", "OFFICE_DIRECT_DSN", "PGHOST", "PGHOSTADDR", "PGSERVICE", "PGDATABASE", "PGPORT")


@pytest.fixture(autouse=True)
def bare_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)


def test_order_of_what_names_a_database(monkeypatch: pytest.MonkeyPatch) -> None:
    """I8: --dsn, then OFFICE_DSN, then libpq's own variables, else none."""
    assert resolve_dsn(None) is None
    monkeypatch.setenv("PGSERVICE", "work")
    assert resolve_dsn(None) == ""
    monkeypatch.setenv("OFFICE_DSN", "dbname=b")
    assert resolve_dsn(None) == "dbname=b"
    assert resolve_dsn("dbname=a") == "dbname=a"


def test_second_direct_dsn(monkeypatch: pytest.MonkeyPatch) -> None:
    """I8: where the first DSN is pooled, a second one leads to the server itself."""
    assert resolve_direct_dsn("dbname=a") == "dbname=a"
    monkeypatch.setenv("OFFICE_DIRECT_DSN", "dbname=direct")
    assert resolve_direct_dsn("dbname=a") == "dbname=direct"


def test_no_database_at_all(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """I8: only `up` and `demo` may make one; the rest say how."""
    monkeypatch.setattr("officectl.database.embedded.default_folder", lambda: tmp_path / "none")
    with pytest.raises(Unreachable) as refusal:
        find_dsn(None)
    assert "officectl up" in (refusal.value.hint or "")
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize(
    ("dsn", "kind", "said"),
    [
        (
            "host=/nowhere dbname=x",
            Unreachable,
            r"^no database at /nowhere \(database x\): No such file or directory$",
        ),
        (
            "postgresql://u:geheim@127.0.0.1:1/x",
            Unreachable,
            r"127\.0\.0\.1:1 \(database x\): Connection refused",
        ),
        ("postgresql://host.invalid/x", Unreachable, "host.invalid"),
        ("this is no dsn", UsageProblem, "^the DSN cannot be read$"),
        ("postgresql://u:geheim@[::1", UsageProblem, "^the DSN cannot be read$"),
    ],
)
def test_failed_connection_is_one_line_without_the_password(
    dsn: str, kind: type[OfficeError], said: str
) -> None:
    """I8: an unreachable DSN is exit code 3, an unreadable one 2; each is one line."""
    with pytest.raises(kind, match=said) as refusal:
        connect(dsn)
    assert "\n" not in refusal.value.message
    assert "geheim" not in refusal.value.message + (refusal.value.hint or "")


def test_unknown_database_and_login(cluster_dsn: str) -> None:
    """I8: a database that is not there is unreachable (3); a login that is not there is identity (4)."""
    with pytest.raises(Unreachable, match='database "nothing_here" does not exist'):
        connect(psycopg.conninfo.make_conninfo(cluster_dsn, dbname="nothing_here"))
    with pytest.raises(Forbidden, match='role "nobody_here" does not exist'):
        connect(psycopg.conninfo.make_conninfo(cluster_dsn, user="nobody_here"))


async def test_connections_never_prepare(cluster_dsn: str) -> None:
    """I13: PgBouncer in transaction mode loses prepared statements, so there are none."""
    with connect(cluster_dsn) as connection:
        assert connection.prepare_threshold is None
        assert connection.info.parameter_status("application_name") == "officectl"
    async with await aconnect(cluster_dsn, application_name="other") as connection:
        assert connection.prepare_threshold is None
        assert connection.info.parameter_status("application_name") == "other"
    async with pool(cluster_dsn) as connections, connections.connection() as connection:
        assert connection.prepare_threshold is None


def test_place_tells_no_secret() -> None:
    """I8: what is shown of a DSN."""
    assert place("postgresql://u:geheim@db.example:5433/office") == "db.example:5433 (database office)"


def test_translation_of_refusals(cluster_dsn: str) -> None:
    """I3, I8: PT codes carry status, code, hint; Postgres's own keep their SQLSTATE."""

    def fails(statement: str) -> OfficeError:
        with connect(cluster_dsn) as connection, pytest.raises(psycopg.Error) as raised:
            connection.execute(statement.encode())
        return translate(raised.value)

    def raising(state: str, detail: str) -> OfficeError:
        words = f"message = 'no', detail = '{detail}', hint = 'do'"
        return fails(f"do $$ begin raise sqlstate '{state}' using {words}; end $$")

    refused = raising("PT404", '{"code": "not_found", "ref": "t9"}')
    assert isinstance(refused, Refused)
    assert (refused.message, refused.hint, refused.code, refused.status) == ("no", "do", "not_found", 404)
    assert refused.detail["ref"] == "t9"
    assert refused.exit_code == 1
    assert (raising("PT401", "not json").exit_code, raising("PT403", "[1]").exit_code) == (4, 4)
    assert fails("set role none; set transaction read only; create table x ()").code == "25006"
    assert fails("select * from nothing_here").exit_code == 5
    assert fails("select 'x'::uuid").exit_code == 2
    assert fails("select 1/0").exit_code == 1
