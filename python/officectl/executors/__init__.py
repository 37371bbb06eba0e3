"""Programs that agents are: how each kind is started, listened to, stopped, and known to be gone."""

from officectl.executors.acp import AcpExecutor
from officectl.executors.base import End, Executor, Json, Launch, Sink
from officectl.executors.clock import ActiveClock
from officectl.executors.command import CommandExecutor
from officectl.executors.engine import EngineExecutor
from officectl.executors.marks import Mark

__all__ = [
    "AcpExecutor",
    "ActiveClock",
    "CommandExecutor",
    "End",
    "EngineExecutor",
    "Executor",
    "Launch",
    "Mark",
    "Sink",
    "executor_for",
]


def executor_for(executor: Json) -> Executor:
    """What carries out such an executor, whose shape the database has checked (office.check_executor)."""
    if executor.get("kind") == "acp":
        return AcpExecutor()
    return EngineExecutor() if "preset" in executor else CommandExecutor()
