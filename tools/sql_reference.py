"""`make docs`: writes docs/sql-reference.md from the comments of a freshly deployed database.

The page is the same for the same SQL files: everything is sorted by name, and nothing of the server shows.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg

from officectl.database import deploy
from officectl.database.embedded import Cluster

Connection = psycopg.Connection[Any]

PAGE = Path(__file__).resolve().parent.parent / "docs/sql-reference.md"

FUNCTIONS = """
select p.proname,
  p.proname || '(' || pg_get_function_arguments(p.oid) || ')',
  pg_get_function_result(p.oid),
  obj_description(p.oid, 'pg_proc')
from pg_catalog.pg_proc as p
where p.pronamespace = 'office'::regnamespace and p.prorettype <> 'trigger'::regtype
order by p.proname
"""
TRIGGERS = """
select p.proname, obj_description(p.oid, 'pg_proc')
from pg_catalog.pg_proc as p
where p.pronamespace = 'office'::regnamespace and p.prorettype = 'trigger'::regtype
order by p.proname
"""
RELATIONS = """
select c.oid, c.relname, obj_description(c.oid, 'pg_class')
from pg_catalog.pg_class as c
where c.relnamespace = 'office'::regnamespace and c.relkind = any(%s)
order by c.relname
"""
COLUMNS = """
select a.attname,
  format_type(a.atttypid, a.atttypmod)
    || case when a.attnotnull or c.relkind = 'v' then '' else ' or null' end,
  col_description(a.attrelid, a.attnum)
from pg_catalog.pg_attribute as a
join pg_catalog.pg_class as c on c.oid = a.attrelid
where a.attrelid = %s and a.attnum > 0 and not a.attisdropped
order by a.attnum
"""
ERRORS = """
select code, status::text, case when retryable then 'yes' else '' end, meaning
from office.errors
order by code
"""


def cell(text: str | None) -> str:
    """Text as a cell of a table."""
    return (text or "").replace("|", "\\|").replace("\n", " ")


def table(*rows: tuple[str, ...]) -> list[str]:
    """The lines of a table; the first row is its head."""
    head, *body = ["| " + " | ".join(map(cell, row)) + " |" for row in rows]
    return [head, "|" + "---|" * len(rows[0]), *body, ""]


def functions(conn: Connection) -> Iterator[str]:
    for name, signature, result, comment in conn.execute(FUNCTIONS):
        yield from [
            f"### {name}",
            "",
            "```sql",
            f"office.{signature}",
            f"returns {result}",
            "```",
            "",
            comment or "",
            "",
        ]


def relations(conn: Connection, kinds: list[str]) -> Iterator[str]:
    for oid, name, comment in conn.execute(RELATIONS, [kinds]).fetchall():
        columns = conn.execute(COLUMNS, [oid]).fetchall()
        yield from [f"### {name}", "", comment or "", ""]
        yield from table(("column", "type", "meaning"), *columns)


def page(conn: Connection) -> str:
    """The whole page, from the catalog of a deployed database."""
    # Types of the office are shown with their schema, types of Postgres without.
    conn.execute("set search_path = pg_catalog")
    lines = [
        "# SQL reference",
        "",
        "Made by `make docs` from the comments in sql/; `\\d+` and `\\df+ office.*` in psql show the same.",
        "Functions that return rows are called in FROM: `select * from office.wake('builder')`.",
        "",
        *("## Functions", "", *functions(conn)),
        *("## Trigger functions", "", *table(("function", "what it does"), *conn.execute(TRIGGERS))),
        *("## Views", "", *relations(conn, ["v"])),
        *("## Tables", "", *relations(conn, ["r", "p"])),
        *("## Errors", "", "SQLSTATE is `PT` and the status; DETAIL is JSON with the code.", ""),
        *table(("code", "status", "try again", "meaning"), *conn.execute(ERRORS)),
    ]
    return "\n".join(lines).rstrip() + "\n"


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="officectl-reference-") as folder:
        Path(folder).chmod(0o755)  # as root the server runs as somebody else
        cluster = Cluster(Path(folder) / "cluster", options={"fsync": "off"})
        try:
            dsn = cluster.ensure()
            deploy.migrate(dsn)
            with psycopg.connect(dsn) as conn:
                PAGE.write_text(page(conn))
        finally:
            cluster.stop("immediate")


if __name__ == "__main__":
    main()
