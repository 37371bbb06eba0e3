"""The worker: claims runs, launches them, keeps their lease, and ends in good order (Q11, Q15, Q22, P3)."""

import asyncio
import contextlib
import logging
import os
import socket
import time
from pathlib import Path
from uuid import UUID

from officectl import __version__
from officectl.errors import OfficeError, Unreachable, VersionMismatch
from officectl.executors import executor_for
from officectl.executors.marks import Launched
from officectl.service.attempt import Attempt
from officectl.service.calls import Calls, GivenUp, passes
from officectl.service.checks import Check
from officectl.service.host import abandoned, clean_up, confirm, delete_retired
from officectl.service.launches import forget, launch_of
from officectl.service.ticker import carry_out
from officectl.service.waiting import any_of

CLAIM = """
select *, extract(epoch from next_due_at - office.now())::float8 as due_in
from office.claim_runs(worker_id => %(worker_id)s, max_runs => %(max_runs)s)
"""

CLEAN_UP_SECONDS = 5.0
"""How often a worker looks for what dead workers left on its host: answered runs wait for that."""

RETIRE_SECONDS = 60.0
"""How often it looks for engine sessions of retired work on its host (J1)."""

DEPLOY_SECONDS = 60.0
"""How long the functions may be in the middle of a deploy, or another version's, before a worker gives up."""

SHORTEST_SECONDS = 0.01
"""Between two claims that are both due at once: what the first left is being worked on by somebody else."""

PAUSE_SECONDS = 0.5
"""Before a claim that was not answered is made again."""

PARTING_SECONDS = 5.0
"""How long the last words may take."""

log = logging.getLogger(__name__)


class Worker:
    """`run` is its whole life. `work` and `beat` are bells: maybe something to claim, or to stop."""

    def __init__(
        self, calls: Calls, agent_socket: Path, *, max_runs: int = 1, workspace: str | None = None
    ) -> None:
        self.work = asyncio.Event()
        self.beat = asyncio.Event()
        self._calls = calls
        self._agent_socket = agent_socket
        self._max_runs = max_runs
        self._workspace = workspace
        self._host = socket.gethostname()
        self._attempts: dict[UUID, Attempt] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._checks: set[Check] = set()
        self._unclean: dict[Launched, int] = {}
        """Launches of ours that are over and not confirmed as cleaned up, with what was killed already."""
        self._clean = asyncio.Event()
        self._over = asyncio.Event()
        self._claim_in_doubt = False
        self._misfit_since: float | None = None

    async def run(self, stop: asyncio.Event, *, grace: float, hurry: asyncio.Event) -> None:
        """Work until `stop`; then let programs end for `grace` seconds, or until `hurry`, and stop the rest.

        VersionMismatch when the deployed functions are not those of this version.
        """
        try:
            await self._register(give_up=stop)
        except GivenUp:
            return
        await self._clean_up()
        lives = (self._keep_beating(), self._keep_clean(), self._keep_retiring())
        loops = [asyncio.create_task(life) for life in lives]
        for loop in loops:
            loop.add_done_callback(lambda _: stop.set())
        try:
            await self._keep_claiming(stop)
        finally:
            await self._wind_up(grace, hurry)
            self._over.set()
            await asyncio.gather(*loops)
            await self._part()

    async def _register(self, give_up: asyncio.Event) -> None:
        (row,) = await self._calls.insist(
            "register_worker",
            host=self._host,
            pid=os.getpid(),
            version=__version__,
            max_runs=self._max_runs,
            workspace=self._workspace,
            give_up=give_up,
        )
        self._id: UUID = row["worker_id"]
        self._heartbeat_seconds: float = row["heartbeat_seconds"]
        self._poll_seconds: float = row["poll_seconds"]
        log.info("worker %s on %s: up to %d runs at once", self._id, self._host, self._max_runs)

    # Claiming

    async def _keep_claiming(self, stop: asyncio.Event) -> None:
        while not stop.is_set():
            self.work.clear()
            patience = self._poll_seconds
            if len(self._tasks) < self._max_runs:
                try:
                    patience = min(patience, await self._claim())
                    self._misfit_since = None
                except OfficeError as error:
                    patience = self._trouble(error)
            await any_of(stop, self.work, timeout=patience)

    async def _claim(self) -> float:
        """Launch what there is; the seconds until there may be more."""
        if self._claim_in_doubt:
            await self._give_back()
        room = self._max_runs - len(self._tasks)
        rows = await self._calls.query(CLAIM, {"worker_id": self._id, "max_runs": room})
        for row in rows:
            if row["run_id"] is not None:
                launch = launch_of(row, self._id, self._agent_socket)
                self._launch(Attempt(self._calls, launch, executor_for(launch.executor)))
        await self._claim_checks()
        due_in = rows[-1]["due_in"] if rows else None
        await carry_out(self._calls)
        return self._poll_seconds if due_in is None else max(due_in, SHORTEST_SECONDS)

    async def _claim_checks(self) -> None:
        """Run what must pass before tasks are done, in the room that is left."""
        room = self._max_runs - len(self._tasks)
        if room > 0:
            for row in await self._calls.rows("claim_checks", worker_id=self._id, max_checks=room):
                check = Check(self._calls, row, self._id)
                self._checks.add(check)
                task = asyncio.create_task(self._see_check_through(check))
                self._tasks.add(task)
                task.add_done_callback(self._tasks.discard)

    async def _see_check_through(self, check: Check) -> None:
        try:
            await check.carry_out()
            await carry_out(self._calls)
        except OfficeError as error:
            # Every tick carries out.
            self._calls.note_loss(error)
        finally:
            self._checks.discard(check)
            self.work.set()

    def _trouble(self, error: OfficeError) -> float:
        """What a refused claim means; the seconds until the next. VersionMismatch when waiting is no use."""
        self._calls.note_loss(error)
        self._claim_in_doubt = self._claim_in_doubt or isinstance(error, Unreachable)
        if error.code == "worker_expired":
            self.beat.set()
        elif error.code == "schema_changed" or isinstance(error, VersionMismatch):
            if self._misfit_since is None:
                self._misfit_since = time.monotonic()
                log.warning("waiting for a deploy to end: %s", error.message)
            elif time.monotonic() - self._misfit_since > DEPLOY_SECONDS:
                raise VersionMismatch(error.message, error.hint, code=error.code)
        elif not passes(error):
            log.error("the claim was refused: %s", error.message)
            return self._poll_seconds
        return PAUSE_SECONDS

    async def _give_back(self) -> None:
        """Runs of a claim whose answer was lost on the way: nobody else would ever launch them."""
        await self._calls.rows("give_back", worker_id=self._id, carried_attempt_ids=tuple(self._attempts))
        self._claim_in_doubt = False

    # Running

    def _launch(self, attempt: Attempt) -> None:
        self._attempts[attempt.id] = attempt
        task = asyncio.create_task(self._see_through(attempt))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _see_through(self, attempt: Attempt) -> None:
        try:
            await attempt.carry_out()
            await self._confirm(attempt)
            await carry_out(self._calls)
        except OfficeError as error:
            # Nothing hangs on it: every tick carries out, every clean-up confirms.
            self._calls.note_loss(error)
        finally:
            # After an answer the same attempt may have been launched again meanwhile.
            if self._attempts.get(attempt.id) is attempt:
                forget(attempt.launch, self._agent_socket)
                del self._attempts[attempt.id]
            self.work.set()

    async def _confirm(self, attempt: Attempt) -> None:
        """What is over and clean is said at once, anything else is looked after."""
        launched = attempt.launch.mark.launched
        self._unclean[launched] = attempt.killed or 0
        if attempt.told and attempt.killed is not None:
            await confirm(self._calls, launched, attempt.killed)
            del self._unclean[launched]
        else:
            self._clean.set()

    # Keeping

    async def _keep_beating(self) -> None:
        while not self._over.is_set():
            self.beat.clear()
            try:
                asked = tuple(self._attempts)
                rows = await self._calls.insist(
                    "heartbeat", worker_id=self._id, attempt_ids=asked, give_up=self._over
                )
                for attempt in tuple(self._attempts.values()):
                    if attempt.id in asked:
                        attempt.obey({row["instruction"] for row in rows if row["attempt_id"] == attempt.id})
            except GivenUp:
                return
            except OfficeError as error:
                await self._not_known(error)
            await any_of(self._over, self.beat, timeout=self._heartbeat_seconds)

    async def _not_known(self, error: OfficeError) -> None:
        log.warning("the heartbeat was refused: %s", error.message)
        if error.code == "worker_expired":
            # The office has settled what ran here. It goes, and the worker starts anew.
            for attempt in self._attempts.values():
                attempt.release()
            with contextlib.suppress(GivenUp):
                await self._register(give_up=self._over)
            self.work.set()

    async def _keep_clean(self) -> None:
        while not self._over.is_set():
            await any_of(self._over, self._clean, timeout=CLEAN_UP_SECONDS)
            self._clean.clear()
            if not self._over.is_set():
                await self._clean_up()

    async def _keep_retiring(self) -> None:
        while not self._over.is_set():
            try:
                await delete_retired(self._calls, self._host)
            except OfficeError as error:
                self._calls.note_loss(error)
            await any_of(self._over, timeout=RETIRE_SECONDS)

    async def _clean_up(self) -> None:
        try:
            over = dict.fromkeys(await abandoned(self._calls, self._host), 0)
        except OfficeError as error:
            self._calls.note_loss(error)
            return
        over |= self._unclean
        try:
            for launched in await clean_up(self._calls, over):
                self._unclean.pop(launched, None)
        except (OfficeError, TimeoutError) as fault:
            log.warning("not cleaned up yet: %s", fault)

    # Ending

    async def _wind_up(self, grace: float, hurry: asyncio.Event) -> None:
        """Wait for the programs as long as may be; stop those that are left."""
        if not self._tasks:
            return
        log.info("stopping: %d runs have %g seconds to end", len(self._tasks), grace)
        ended = asyncio.gather(*self._tasks)
        hurried = asyncio.ensure_future(hurry.wait())
        await asyncio.wait((ended, hurried), timeout=grace, return_when=asyncio.FIRST_COMPLETED)
        hurried.cancel()
        for attempt in self._attempts.values():
            attempt.release()
        for check in self._checks:
            check.stop.set()
        await ended

    async def _part(self) -> None:
        """Give back what is left, and say goodbye."""
        try:
            async with asyncio.timeout(PARTING_SECONDS):
                await self._calls.insist("drain_worker", worker_id=self._id, give_up=asyncio.Event())
                await self._clean_up()
                await carry_out(self._calls)
        except (OfficeError, TimeoutError) as fault:
            log.warning("left without a goodbye, the lease will tell: %s", str(fault) or "no answer")
