"""The `acp` executor: any agent that speaks the Agent Client Protocol over stdio (X1, X5).

    {"kind": "acp", "command": ["opencode", "acp"], "permissions": "ask" | "edit" | "all", …}

It needs the protocol's SDK (`officectl[acp]`), which only a launch of this kind imports.
"""

import asyncio
import importlib.util
from collections.abc import Sequence

from officectl.executors.base import End, Launch, Sink
from officectl.executors.engine import PAUSES
from officectl.executors.program import Kept, Program, conduct

MISSING = "The acp executor needs the protocol's SDK: pip install 'officectl[acp]'."


class AcpExecutor:
    """Runs an agent through one session and one prompt, with nothing of it left when `run` returns."""

    def __init__(self, pauses: Sequence[float] = PAUSES) -> None:
        self._pauses = pauses

    async def run(self, launch: Launch, sink: Sink, stop: asyncio.Event) -> End:
        """See `base.Executor`."""
        if importlib.util.find_spec("acp") is None:
            return End(error=MISSING, cause="configuration")
        from officectl.executors.acp_talk import AcpTalk

        talk = AcpTalk(launch, sink, Kept(sink, launch.limits), self._pauses)
        program = Program.of(launch, launch.executor["command"], launch.prompt)
        return await conduct(launch.mark, program, talk, sink, launch.limits, stop)
