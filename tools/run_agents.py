"""`make test-agents`: the real agent programs against a model endpoint of our own (tests/agents).

They come by npm into .cache/agents. Where npm or a package is not to be had, that is said, and nothing fails.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PLACE = ROOT / ".cache" / "agents"
# Node comes as a package, too: what the system has may be too old for them.
PACKAGES = ("node@24", "@anthropic-ai/claude-code", "@openai/codex", "@google/gemini-cli", "opencode-ai")
INSTALL_SECONDS = 900


def main() -> int:
    """The exit code."""
    npm = shutil.which("npm")
    if npm is None:
        print("skipped: there is no npm to get the agent programs with")
        return 0
    PLACE.mkdir(parents=True, exist_ok=True)
    command = [npm, "install", "--no-audit", "--no-fund", "--prefix", str(PLACE), *PACKAGES]
    try:
        subprocess.run(command, check=True, timeout=INSTALL_SECONDS, stdout=subprocess.DEVNULL)
    except (OSError, subprocess.SubprocessError) as fault:
        print(f"skipped: the agent programs cannot be had: {fault}")
        return 0
    known = {**os.environ, "AGENTS_BIN": str(PLACE / "node_modules" / ".bin")}
    words = [sys.executable, "-m", "pytest", "tests/agents", "-q", "-rs"]
    return subprocess.run(words, cwd=ROOT, env=known, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
