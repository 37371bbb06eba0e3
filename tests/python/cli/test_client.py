"""I4: the typed client has one method a public function, with its arguments."""

import inspect
from typing import Any

import psycopg

from officectl.office import Office

PUBLIC = """
select p.proname, coalesce(p.proargnames[1:p.pronargs], '{}')
from pg_proc p
where p.pronamespace = 'office'::regnamespace and p.prorettype <> 'trigger'::regtype
order by 1
"""

HELPERS = {"visible_workspaces", "is_somebody", "undispatched", "context_snapshot"}
"""What policies and views call, and what reads as a column of a row; not meant for programs."""


def test_i4_every_public_function_is_a_method(session: psycopg.Connection[Any]) -> None:
    for name, arguments in session.execute(PUBLIC):
        if name not in HELPERS:
            method = getattr(Office, name, None)
            assert method is not None, f"Office has no {name}"
            assert list(inspect.signature(method).parameters)[1:] == arguments, name


def test_i4_every_method_is_a_public_function(session: psycopg.Connection[Any]) -> None:
    deployed = {name for name, _ in session.execute(PUBLIC)}
    methods = {name for name, _ in inspect.getmembers(Office, inspect.isfunction) if not name.startswith("_")}
    assert methods - {"execute", "call"} <= deployed
