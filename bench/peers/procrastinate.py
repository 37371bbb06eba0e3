"""procrastinate with a no-op job: `procrastinate.py DSN MODE JOBS` prints seconds of asking and draining."""

import asyncio
import json
import sys
import time
from typing import Any

import psycopg
from procrastinate import App, PsycopgConnector

MODES: dict[str, dict[str, Any]] = {
    "default": {"concurrency": 1},
    "best": {"concurrency": 20, "delete_jobs": "always"},
}
ASKED_AT_ONCE = 1_000


async def main(dsn: str, mode: str, jobs: int) -> None:
    app = App(connector=PsycopgConnector(conninfo=dsn, min_size=4, max_size=20))
    first = 0.0
    done = 0

    @app.task(name="nothing")
    async def nothing() -> None:
        nonlocal first, done
        first = first or time.perf_counter()
        done += 1

    async with app.open_async():
        await app.schema_manager.apply_schema_async()
        start = time.perf_counter()
        for asked in range(0, jobs, ASKED_AT_ONCE):
            await nothing.batch_defer_async(*[{}] * min(ASKED_AT_ONCE, jobs - asked))
        asking = time.perf_counter() - start
        with psycopg.connect(dsn, autocommit=True) as conn:
            conn.execute("vacuum analyze")
        # Returns when nothing is left.
        await app.run_worker_async(wait=False, install_signal_handlers=False, **MODES[mode])
        end = time.perf_counter()
    assert done == jobs, f"{done} jobs ran, not {jobs}"
    print(json.dumps({"asking": asking, "draining": end - first}))


asyncio.run(main(sys.argv[1], sys.argv[2], int(sys.argv[3])))
