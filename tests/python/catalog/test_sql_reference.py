"""docs/sql-reference.md says what the comments of the deployed schema say (I1)."""

from __future__ import annotations

import psycopg
import sql_reference


def test_the_page_is_up_to_date(session: psycopg.Connection) -> None:
    assert sql_reference.page(session) == sql_reference.PAGE.read_text(), "run: make docs"
