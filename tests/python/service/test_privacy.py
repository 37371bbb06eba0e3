"""X2: no DSN in sight, in /proc either."""

import subprocess
import sys

import pytest

LOOK = """
import ctypes
from officectl.service.privacy import keep_to_itself
PR_GET_DUMPABLE = 3
print(ctypes.CDLL(None).prctl(PR_GET_DUMPABLE))
keep_to_itself()
print(ctypes.CDLL(None).prctl(PR_GET_DUMPABLE))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="/proc is Linux's")
def test_what_serves_cannot_be_read_by_what_it_launches() -> None:
    """X2: other processes of the account read the environment of a dumpable process only."""
    said = subprocess.run([sys.executable, "-c", LOOK], capture_output=True, text=True, check=True)
    assert said.stdout.split() == ["1", "0"]
