"""The one place where the SQL text of a call to `office.<function>` is built.

Every caller (the command line, the worker, the agents' socket) goes through `statement`, so that functions
are called in FROM, arguments are named, and values cross over to Postgres in one way.
"""

from collections.abc import Mapping
from typing import Any

from psycopg import sql
from psycopg.types.json import Jsonb

Arguments = dict[str, Any]


def statement(function: str, /, **arguments: Any) -> tuple[sql.Composed, Arguments]:
    """The query and its parameters for `select * from office.<function>(name => value, …)`.

    What is given is passed, None as NULL; what is left out takes the function's own default.
    A dict or a list crosses as jsonb, a tuple as an array, everything else as psycopg adapts it.
    """
    named = sql.SQL(", ").join(
        sql.SQL("{} => {}").format(sql.Identifier(name), sql.Placeholder(name)) for name in arguments
    )
    query = sql.SQL("select * from {}({})").format(sql.Identifier("office", function), named)
    return query, {name: _adapted(value) for name, value in arguments.items()}


def given(arguments: Mapping[str, Any]) -> Arguments:
    """Those arguments that have a value: for optional ones, where None means "the function's default"."""
    return {name: value for name, value in arguments.items() if value is not None}


def _adapted(value: Any) -> Any:
    if isinstance(value, (dict, list)):
        return Jsonb(value)
    if isinstance(value, tuple):
        return list(value)
    return value
