"""A11, A14: plpgsql_check finds no error and no warning in any function of the deployed schema."""

from __future__ import annotations

import psycopg
import pytest

# Trigger functions are checked once for every table that they stand on.
FINDINGS = """
select p.oid::regprocedure::text, checked.lineno, checked.level, checked.message, checked.detail,
  checked.query
from pg_catalog.pg_proc as p
join pg_catalog.pg_language as l on l.oid = p.prolang and l.lanname = 'plpgsql'
left join (
  select distinct tgfoid, tgrelid, tgoldtable, tgnewtable from pg_catalog.pg_trigger where not tgisinternal
) as t on t.tgfoid = p.oid
cross join lateral plpgsql_check_function_tb(
  p.oid, coalesce(t.tgrelid, 0), oldtable => t.tgoldtable, newtable => t.tgnewtable,
  fatal_errors => false, performance_warnings => false, extra_warnings => true, security_warnings => true
) as checked
where p.pronamespace in ('office'::regnamespace, 'office_internal'::regnamespace)
  and (p.prorettype <> 'trigger'::regtype or t.tgrelid is not null)
order by 1, 2
"""


def test_no_function_has_an_error_or_warning(session: psycopg.Connection) -> None:
    available = session.execute("select from pg_available_extensions where name = 'plpgsql_check'").fetchone()
    if available is None:
        pytest.skip("this server has no plpgsql_check")
    session.execute("create extension plpgsql_check schema public")
    session.execute("set search_path = pg_catalog, public")
    findings = session.execute(FINDINGS).fetchall()
    assert findings == [], "\n" + "\n".join(" | ".join(map(str, row)) for row in findings)
