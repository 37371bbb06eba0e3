"""K9: a short chaos; `make chaos MINUTES=n` runs a longer one."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from chaos import Chaos

from officectl.database.embedded import Cluster

SECONDS = 12


@pytest.mark.slow
def test_k9_the_books_are_in_order_after_a_short_chaos(own_cluster: Cluster, tmp_path: Path) -> None:
    seed = random.randrange(10**6)
    log = tmp_path / "workers.log"
    wrong = Chaos(own_cluster, workers=2, seconds=SECONDS, dice=random.Random(seed), log=log).run()
    assert not wrong, f"seed {seed}\n" + "\n".join(wrong) + "\n" + log.read_text()[-5000:]
