"""Checks of tasks: commands that must pass before a task is in review or done (T15).

Which, where and what follows is the database's to say; this runs them as an agent's program is run, so that
nothing of them is left.
"""

import asyncio
import logging
import sys
from collections import deque
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from uuid import UUID

from officectl import worktrees
from officectl.agent import tree
from officectl.errors import OfficeError
from officectl.executors import ActiveClock, CommandExecutor, Launch, Mark
from officectl.service.calls import Calls, GivenUp

KEPT_CHARACTERS = 60_000
"""Of what a check prints, the last: that says what failed."""

log = logging.getLogger(__name__)


class Check:
    """One check, from `office.claim_checks` to what is told; the sink of its program."""

    def __init__(self, calls: Calls, row: Mapping[str, Any], worker_id: UUID) -> None:
        self.clock = ActiveClock()
        self.stop = asyncio.Event()
        self._calls = calls
        self._row = row
        self._worker_id = worker_id
        self._printed: deque[str] = deque()
        self._kept = 0

    async def carry_out(self) -> None:
        """Run it, unless the tree is what passed before, and tell how it ended; never raises."""
        end = await self._run()
        if self.stop.is_set():
            # This process ends: the check is another worker's to run.
            return
        try:
            await self._calls.insist(
                "finish_check",
                check_id=self._row["check_id"],
                worker_id=self._worker_id,
                **end,
                give_up=self.stop,
            )
        except (GivenUp, OfficeError) as fault:
            log.warning("the check of %s: its end was not taken: %s", self._row["task"], fault)

    async def _run(self) -> dict[str, Any]:
        if self._row["folder"] is None:
            return {"output": "There is no folder to run it in: its project has none, nor has its agent."}
        folder = Path(self._row["folder"])
        try:
            if self._row["worktree"] is not None:
                await asyncio.to_thread(worktrees.prepare, self._row["worktree"])
            before = await asyncio.to_thread(tree.identity, folder)
        except (worktrees.NoWorktree, OSError) as fault:
            return {"output": str(fault)}
        if before == self._row["tree"]:
            log.info("the check of %s: the tree is what has passed", self._row["task"])
            return {"exit_code": 0, "output": "The tree is what has passed before.", "tree": before}
        end = await CommandExecutor().run(self._launch(), self, self.stop)
        log.info("the check of %s: %s", self._row["task"], end.error or "passed")
        try:
            after = await asyncio.to_thread(tree.identity, folder)
        except OSError as fault:
            return {"output": str(fault)}
        output = "\n".join([*self._printed, *([end.error] if end.error else [])])
        exit_code = None if end.stopped or (end.error and end.exit_code == 0) else end.exit_code
        # Of a tree that has changed meanwhile nobody knows what was looked at: it is not one that passed.
        return {"exit_code": exit_code, "output": output, "tree": after if after == before else None}

    def _launch(self) -> Launch:
        check_id = self._row["check_id"]
        return Launch(
            mark=Mark(
                run_id=str(check_id), attempt_id=str(check_id), worker_id=str(self._worker_id), launch=1
            ),
            attempt_id=check_id,
            run="check",
            agent="office",
            prompt="",
            executor={"command": self._row["command"]},
            folder=self._row["folder"],
            environment={"OFFICE_TASK": self._row["task"]},
            limits={"minutes": self._row["minutes"], "output_bytes": sys.maxsize},
        )

    async def started(self, pid: int | None, engine_session: str | None = None) -> None:
        """See `executors.Sink`."""

    def step(self, _kind: str, content: str) -> None:
        """See `executors.Sink`."""
        content = content[-KEPT_CHARACTERS:]
        self._printed.append(content)
        self._kept += len(content) + 1
        while self._kept > KEPT_CHARACTERS + 1:
            self._kept -= len(self._printed.popleft()) + 1

    def in_session(self, engine_session: str) -> None:
        """See `executors.Sink`: a command has none."""

    def spent(self, used: Mapping[str, Any]) -> None:
        """See `executors.Sink`: a command tells of nothing."""

    async def fresh_prompt(self) -> str:
        """See `executors.Sink`: a command is told nothing."""
        return ""
