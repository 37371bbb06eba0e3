"""What the calls of agents take, as the deployed functions say, and whether a request fits (I6).

Postgres would say of a misspelt argument that there is no such function. A program's author is better served
with the name of the argument.
"""

from dataclasses import dataclass
from typing import Any

from officectl.errors import Refused
from officectl.office import Json
from officectl.service.calls import Calls

QUERY = """
select
  p.proargnames[a.place] as name,
  format_type(a.type, null) as type,
  a.place <= p.pronargs - p.pronargdefaults as needed
from pg_proc p
cross join unnest(p.proargtypes::oid[]) with ordinality as a(type, place)
where p.pronamespace = 'office'::regnamespace and p.proname = %(call)s
order by a.place
"""


@dataclass(frozen=True)
class Parameter:
    """One argument of a function."""

    type: str
    needed: bool


class Signatures:
    """`fit` arguments to the call they are for; asked of the database once, until `forget`."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls
        self._known: dict[str, dict[str, Parameter]] = {}

    def forget(self) -> None:
        """After a deploy they may be others."""
        self._known.clear()

    async def fit(self, call: str, arguments: Json) -> Json:
        """The arguments as SQL values; Refused by the first that is not one of the call's, or is missing."""
        if call not in self._known or arguments.keys() - self._known[call].keys():
            rows = await self._calls.query(QUERY, {"call": call})
            self._known[call] = {row["name"]: Parameter(row["type"], row["needed"]) for row in rows}
        parameters = self._known[call]
        if not parameters:
            # Not deployed, which the call itself will tell.
            return arguments
        for name in arguments:
            if name not in parameters:
                raise Refused(
                    f"{call} has no argument {name!r}.",
                    f"It takes: {', '.join(parameters)}.",
                    code="unknown_argument",
                    status=422,
                )
        for name, parameter in parameters.items():
            if parameter.needed and name not in arguments:
                raise Refused(f"{call} needs the argument {name!r}.", code="missing", status=422)
        return {name: _value(call, name, parameters[name].type, value) for name, value in arguments.items()}


def _value(call: str, name: str, kind: str, value: Any) -> Any:
    """A JSON array is an SQL array where one is asked for; jsonb takes anything."""
    if value is None or kind == "jsonb":
        return value
    if kind.endswith("[]"):
        if isinstance(value, list) and all(isinstance(part, str) for part in value):
            return tuple(value)
        expected = "an array of texts"
    elif kind == "boolean":
        if isinstance(value, bool):
            return value
        expected = "true or false"
    else:
        if isinstance(value, str):
            return value
        expected = "a text"
    raise Refused(f"{call}: {name} must be {expected}.", code="bad_argument", status=422)
