"""`make chaos MINUTES=n`; python -m chaos --help."""

from __future__ import annotations

import argparse
import os
import random
import shutil
import signal
import sys
from pathlib import Path

from officectl.database.embedded import Cluster, find_binaries

from .run import Chaos, Size, report

# On a disk, where fsync means something.
DISK = Path("/var/tmp")
OPTIONS = {"shared_buffers": "256MB", "max_connections": "200", "jit": "off"}


def main() -> int:
    options = argparse.ArgumentParser(description="Random work and real kills; exit code 1 on any violation.")
    options.add_argument("--minutes", type=float, default=2)
    options.add_argument("--seed", type=int, default=random.randrange(10**6))
    options.add_argument("--pg", type=int, default=18, help="PostgreSQL version (default: 18, embedded)")
    options.add_argument("--keep", action="store_true", help="keep the cluster's folder, to look into it")
    given = options.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended by a signal"))

    folder = DISK / f"officectl-chaos-{os.getpid()}"
    cluster = Cluster(folder / "cluster", binaries=find_binaries(version=given.pg), options=OPTIONS)
    chaos = Chaos(cluster, folder, 60 * given.minutes, given.seed)
    size = Size()
    print(
        f"{given.minutes:g} minutes, PostgreSQL {given.pg}, fsync on, {size}, seed {given.seed}", flush=True
    )
    wrong = 1
    try:
        chaos.run()
        wrong = report(chaos)
    finally:
        cluster.stop("immediate")
        if not given.keep:
            shutil.rmtree(folder if not wrong else folder / "cluster", ignore_errors=True)
    return wrong


if __name__ == "__main__":
    sys.exit(main())
