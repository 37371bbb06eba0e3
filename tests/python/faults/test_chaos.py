"""K9, K13: a short chaos with every kind of fault; `make chaos MINUTES=n` runs a longer and larger one."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from chaos.faults import KINDS
from chaos.ledger import Ledger, entries
from chaos.proof import proof
from chaos.run import Chaos, Size

from officectl.database.embedded import Cluster

SECONDS = 0.0  # one turn of all faults
SIZE = Size(workers=2, workers_threads=2, serve=2, people=1, people_threads=4, pause=(0.1, 0.5), least=20)


@pytest.mark.slow
def test_k9_nothing_is_lost_nothing_runs_twice_no_limit_is_passed(
    own_cluster: Cluster, tmp_path: Path
) -> None:
    """Workers, backends and the postmaster are killed at least once each; then the ledgers and the audit.

    K13: the same proof finds what is then taken away, given twice, and made to overlap by hand.
    """
    seed = random.randrange(10**6)
    chaos = Chaos(own_cluster, tmp_path, SECONDS, seed, SIZE)
    chaos.run()
    table = chaos.table()
    assert not chaos.wrong(), "\n".join([f"seed {seed}", *chaos.wrong(), table])
    assert len(chaos.recoveries) >= len(KINDS), table
    noted = list(entries(chaos.ledgers))
    woken = [entry for entry in noted if entry["what"] == "woken" and not entry["duplicate"]]
    launched = [entry for entry in noted if entry["what"] == "launched" and not entry["resume"]]
    assert chaos.enough(), f"it was no chaos\n{table}"

    ledger = Ledger(chaos.ledgers / "forged.ledger")
    ledger.note("launched", **{key: launched[0][key] for key in ("run", "attempt", "worker", "resume")})
    with chaos.connect() as conn, conn.transaction(force_rollback=True):
        conn.execute("set local session_replication_role = replica")
        conn.execute("delete from office.wakeups where id = %s", [woken[0]["wakeup"]])
        conn.execute(OVERLAP)
        found = proof(conn, list(entries(chaos.ledgers)), chaos.place)
    assert len(found["lost"]) == 1 and woken[0]["wakeup"] in found["lost"][0]
    assert any(launched[0]["attempt"] in one for one in found["double"])
    assert any(one.startswith("slots of w0") for one in found["overshoot"])


OVERLAP = """
update office.attempts
set ended_at = claimed_at + interval '1 hour'
where workspace_id = (select id from office.workspaces where name = 'w0')
"""
