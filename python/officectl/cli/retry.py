"""`officectl retry RUN`: the same as `officectl run retry`."""

from officectl.cli.run import retry as command

__all__ = ["command"]
