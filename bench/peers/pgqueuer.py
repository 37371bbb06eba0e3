"""pgqueuer with a no-op job: `pgqueuer.py DSN MODE JOBS` prints the seconds of asking and draining."""

import asyncio
import json
import sys
import time

import asyncpg
import uvloop
from pgqueuer import PgQueuer
from pgqueuer.db import AsyncpgPoolDriver
from pgqueuer.domain.types import QueueExecutionMode
from pgqueuer.models import Job
from pgqueuer.queries import Queries

MODES = {"default": {}, "best": {"batch_size": 100}}
ASKED_AT_ONCE = 1_000


async def main(dsn: str, mode: str, jobs: int) -> None:
    async with asyncpg.create_pool(dsn, min_size=4, max_size=10) as pool:
        driver = AsyncpgPoolDriver(pool)
        queries = Queries(driver)
        await queries.install()
        start = time.perf_counter()
        for asked in range(0, jobs, ASKED_AT_ONCE):
            count = min(ASKED_AT_ONCE, jobs - asked)
            await queries.enqueue(["nothing"] * count, [None] * count, [0] * count)
        asking = time.perf_counter() - start
        await pool.execute("vacuum analyze")
        first = 0.0
        done = 0
        queue = PgQueuer(driver)

        @queue.entrypoint("nothing")
        async def nothing(_job: Job) -> None:
            nonlocal first, done
            first = first or time.perf_counter()
            done += 1

        # Returns when nothing is left and all is written.
        await queue.qm.run(mode=QueueExecutionMode.drain, **MODES[mode])
        end = time.perf_counter()
    assert done == jobs, f"{done} jobs ran, not {jobs}"
    print(json.dumps({"asking": asking, "draining": end - first}))


run = uvloop.run if sys.argv[2] == "best" else asyncio.run
run(main(sys.argv[1], sys.argv[2], int(sys.argv[3])))
