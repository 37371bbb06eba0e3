"""What a serving process knows and the programs that it launches must not: the way to the database (X2)."""

import ctypes
import sys

PR_SET_DUMPABLE = 4
"""From linux/prctl.h."""


def keep_to_itself() -> None:
    """Let no other process of this account read this one's environment or memory; root still can.

    Linux only: there /proc would show both to every program of the same account.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 0)
