"""Programs that agents are: how each kind is started, listened to, stopped, and known to be gone."""

from officectl.executors.base import End, Executor, Launch, Sink
from officectl.executors.clock import ActiveClock
from officectl.executors.command import CommandExecutor
from officectl.executors.marks import Mark

__all__ = ["ActiveClock", "CommandExecutor", "End", "Executor", "Launch", "Mark", "Sink"]
