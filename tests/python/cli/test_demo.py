"""X3, I8: the demo, as a stranger would start it."""

import contextlib
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest
from support import acp_agent

from officectl.database.embedded import Cluster

from .conftest import OFFICECTL, without_database

pytestmark = pytest.mark.slow


def call(*words: str, seconds: float = 90, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*OFFICECTL, *words],
        env=without_database() | environment,
        capture_output=True,
        text=True,
        timeout=seconds,
        check=False,
    )


def test_x3_the_demo_runs_twice_and_leaves_an_office_to_look_at(cluster_folder: Path) -> None:
    first = call("demo", "--data", str(cluster_folder))
    assert first.returncode == 0, first.stdout + first.stderr
    runs = re.findall(r"^(r\d+) +(\w+) .*\bsucceeded\b", first.stdout, re.MULTILINE)
    assert {agent for _, agent in runs} == {"scout", "builder", "lead"}
    assert (cluster_folder / "shop" / "REPORT.md").exists()
    assert "- [ ] shop/orders.py" in (cluster_folder / "shop" / "CHECKLIST.md").read_text()
    launched = re.search(r"the first launch came ([\d.]+)s later", first.stdout)
    assert launched is not None
    assert float(launched[1]) < 10

    dsn = Cluster(cluster_folder).dsn
    story = call("why", runs[0][0], OFFICE_DSN=dsn)
    assert story.returncode == 0
    assert "succeeded" in story.stdout
    audit = call("psql", "-Atc", "select * from office.audit()", OFFICE_DSN=dsn)
    assert (audit.returncode, audit.stdout) == (0, "")

    second = call("demo", "--data", str(cluster_folder), "--stop")
    assert second.returncode == 0, second.stdout + second.stderr
    assert not Cluster(cluster_folder).running


def test_x1_an_agent_program_of_yours_does_a_task_and_a_routine(cluster_folder: Path) -> None:
    """D9, R17, E2: it asks, is answered, writes a file, says that it is done; what is known is shown."""
    words = shlex.join((sys.executable, acp_agent.__file__, "obeys"))
    shown = call("demo", "--data", str(cluster_folder), "--agent", f"acp:{words}", "--stop")
    assert shown.returncode == 0, shown.stdout + shown.stderr
    assert "d1 asks: Shall I leave a greeting?  You answer: yes" in shown.stdout
    assert len(re.findall(r"^r\d+ .*\bsucceeded\b", shown.stdout, re.MULTILINE)) == 2
    assert re.search(r"^t\d+ .*\bdone\b", shown.stdout, re.MULTILINE)
    assert "Evidence of r2" in shown.stdout
    assert (cluster_folder / "work" / "greeting.txt").read_text() == "Hello\n"


@pytest.mark.parametrize(
    ("agent", "said"),
    [
        ("nobody", 'There is no agent program "nobody".'),
        ("acp:", 'There is no agent program "acp:".'),
        ("acp:/not/there --acp", "/not/there is not installed."),
    ],
)
def test_x4_an_agent_program_that_is_not_there(cluster_folder: Path, agent: str, said: str) -> None:
    refused = call("demo", "--data", str(cluster_folder), "--agent", agent)
    assert refused.returncode == 1
    assert said in refused.stderr
    assert not cluster_folder.exists()


def test_x3_the_demo_works_after_everything_was_killed(cluster_folder: Path) -> None:
    with subprocess.Popen(
        [*OFFICECTL, "demo", "--data", str(cluster_folder)], stdout=subprocess.PIPE, text=True
    ) as demo:
        assert demo.stdout is not None
        for line in demo.stdout:
            if "is launched" in line:
                break
        postmaster = Cluster(cluster_folder).pid
        assert postmaster is not None
        family = [demo.pid, *(child.pid for child in psutil.Process(demo.pid).children(recursive=True))]
        for pid in (*family, postmaster):
            # One of the family may have ended by itself meanwhile.
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
    time.sleep(0.5)
    again = call("demo", "--data", str(cluster_folder), "--stop")
    assert again.returncode == 0, again.stdout + again.stderr
