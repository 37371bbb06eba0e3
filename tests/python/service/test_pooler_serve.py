"""Q15, I13: `officectl serve` behind PgBouncer in transaction mode: everything works, on polling alone."""

from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from psycopg.rows import dict_row
from support.poolers import pooler

from .conftest import Desk, Process, until


@pytest.fixture
def pooled(desk: Desk, database: str) -> Iterator[str]:
    """DSN of the office through a pooler, for everything: LISTEN has no session of its own there."""
    with pooler(database) as dsn:
        yield dsn


@pytest.fixture
def through(pooled: str) -> Iterator[Desk]:
    """A person whose statements go through the pooler, too."""
    with psycopg.connect(pooled, autocommit=True, row_factory=dict_row, prepare_threshold=None) as connection:
        yield Desk(connection)


async def test_a_run_is_woken_claimed_run_and_finished(
    pooled: str, through: Desk, process: Process, tmp_path: Path
) -> None:
    """I13: the whole life, the agent's own calls by its token, one pool for all of them."""
    through.agent("triage", "officectl agent note-decision 'Blue it is.' && echo done", tmp_path)
    for number in range(6):
        through.agent(f"agent{number}", "echo $OFFICE_RUN >> ran", tmp_path)
    process("--max-runs", "4", dsn=pooled)
    await through.until("select from office.workers where ended_at is null")
    through.wake("triage")
    for number in range(6):
        through.wake(f"agent{number}")
    await through.until("select from office.runs having count(*) filter (where result = 'succeeded') = 7")
    await through.until("select from office.attempts having bool_and(cleaned_at is not null)")
    assert through.rows("select detail from office.activity where kind = 'decision_noted'") == [
        {"detail": {"decision": "Blue it is."}}
    ]
    assert len((tmp_path / "ran").read_text().split()) == 6
    assert through.row("select count(*) as n from office.attempts") == {"n": 7}
    assert through.rows("select * from office.audit()") == []


async def test_a_stop_reaches_its_program(
    pooled: str, through: Desk, process: Process, tmp_path: Path
) -> None:
    """P2, I13: with the next heartbeat; a question is answered, a pause holds and lets go."""
    through.agent("sleeper", "echo begun > begun; sleep 600", tmp_path)
    through.agent("asker", 'officectl agent ask "Go?" --wait > asked', tmp_path)
    served = process(dsn=pooled)
    through.wake("sleeper")
    await until(lambda: (tmp_path / "begun").exists())
    through.rows("select * from office.stop('sleeper', 'enough')")
    await through.until("select from office.runs where result = 'stopped'")
    await through.until("select from office.attempts where cleaned_at is not null and outcome = 'stopped'")
    through.rows("select * from office.pause('workspace:main')")
    through.wake("asker")
    # Dispatched by whoever comes first: the office's own claim may hold the gate.
    await through.until("select from office.runs where status = 'queued'")
    assert through.row("select count(*) as n from office.runs where status = 'queued'") == {"n": 1}
    through.rows("select * from office.resume('workspace:main')")
    asked = await through.until("select decision from office.needs_me")
    through.rows("select * from office.answer(%s, 'yes')", asked["decision"])
    await through.until("select from office.runs where result = 'succeeded'")
    served.terminate()
    _, log = served.communicate(timeout=30)
    assert served.returncode == 0, log
    assert "Traceback" not in log
    assert through.rows("select reason from office.stuck where kind <> 'no worker'") == []
    assert through.rows("select * from office.audit()") == []
