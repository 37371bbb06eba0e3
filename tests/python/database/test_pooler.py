"""Behind PgBouncer in transaction mode (I13): work goes on, a deploy refuses."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from support import trees
from support.poolers import pooler

from officectl.database import deploy
from officectl.database.connect import connect
from officectl.errors import Refused


@pytest.fixture
def pooled(fresh_database: str) -> Iterator[str]:
    """DSN of `fresh_database` through a PgBouncer of this test's own."""
    with pooler(fresh_database) as dsn:
        yield dsn


def test_deploy_refuses_a_pooled_connection(
    pooled: str, fresh_database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """I13: migrate notices that it is pooled and refuses; the second, direct DSN is used when given."""
    tree = trees.write(tmp_path)
    with pytest.raises(Refused, match="goes through a pooler") as refusal:
        deploy.migrate(pooled, root=tree)
    assert "OFFICE_DIRECT_DSN" in (refusal.value.hint or "")
    monkeypatch.setenv("OFFICE_DIRECT_DSN", fresh_database)
    deploy.migrate(pooled, root=tree)
    assert deploy.status(pooled, root=tree).state == "current"


def test_work_goes_on_behind_a_pooler(pooled: str, fresh_database: str, tmp_path: Path) -> None:
    """I13: nothing is kept in the session, so each transaction may have another server connection."""
    deploy.migrate(fresh_database, root=trees.write(tmp_path))
    first, second = connect(pooled, autocommit=True), connect(pooled, autocommit=True)
    with first, second:
        with first.transaction():
            first.execute("select * from office.a_summary")
            for _ in range(10):
                second.execute("select count(*) from office.notes where id = %s", [1])
        row = first.execute("select notes from office.a_summary where notes >= %s", [0]).fetchone()
    assert row == (1,)
