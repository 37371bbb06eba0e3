"""The presets: agent programs whose flags, events and manners are known (X1, X5)."""

from officectl.executors.engines.base import LIMIT, Engine, Reader, Usage
from officectl.executors.engines.claude import CLAUDE
from officectl.executors.engines.codex import CODEX
from officectl.executors.engines.gemini import GEMINI
from officectl.executors.engines.opencode import OPENCODE

ENGINES: dict[str, Engine] = {engine.name: engine for engine in (CLAUDE, CODEX, GEMINI, OPENCODE)}

__all__ = ["ENGINES", "LIMIT", "Engine", "Reader", "Usage"]
