"""`officectl demo-agent`: see `officectl.agent.demo_agent`."""

from officectl.agent.demo_agent import command

__all__ = ["command"]
