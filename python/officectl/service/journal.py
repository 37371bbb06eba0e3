"""The log of a serving process: one line an event, on stderr."""

import logging


def log_to_stderr() -> None:
    """Launches, ends, and what is wrong. Outages are told once, not by every connection of the pool."""
    logging.basicConfig(format="%(asctime)s %(levelname)s %(message)s", level=logging.WARNING)
    logging.getLogger("officectl").setLevel(logging.INFO)
    logging.getLogger("psycopg.pool").setLevel(logging.CRITICAL)
