"""absurd with a no-op task: `absurd.py DSN MODE JOBS` prints the seconds of asking and draining."""

import json
import os
import sys
import time
from pathlib import Path
from typing import Any

import psycopg
from absurd_sdk import Absurd

# The worker's own default is one task a claim, one at a time.
MODES: dict[str, dict[str, int]] = {"default": {}, "best": {"batch_size": 100}}


def main(dsn: str, mode: str, jobs: int) -> None:
    with psycopg.connect(dsn, autocommit=True) as conn:
        conn.execute(Path(os.environ["ABSURD_SCHEMA"]).read_bytes())
        app = Absurd(conn)
        app.create_queue()
        first = 0.0
        done = 0

        @app.register_task(name="nothing")
        def nothing(_params: Any, _context: Any) -> dict[str, Any]:
            nonlocal first, done
            first = first or time.perf_counter()
            done += 1
            if done == jobs:
                app.stop_worker()
            return {}

        start = time.perf_counter()
        with conn.transaction():
            for _ in range(jobs):
                app.spawn("nothing", {})
        asking = time.perf_counter() - start
        conn.execute("vacuum analyze")
        app.start_worker(**MODES[mode])
        end = time.perf_counter()
        left = conn.execute("select count(*) from absurd.t_default where state <> 'completed'").fetchone()
    assert left == (0,), f"{left} tasks are left"
    print(json.dumps({"asking": asking, "draining": end - first}))


main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
