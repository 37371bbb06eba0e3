"""What can go wrong, as one line and a hint, with the exit code of rule I8.

The database speaks in SQLSTATEs: ``PT`` and an HTTP status for a refusal by a rule (the DETAIL is JSON with a
stable ``code``, the HINT says what to do), Postgres's own codes for the rest. `translate` turns either into
one of the classes below, so that a face shows ``message`` and ``hint`` and exits with ``exit_code``.
"""

from __future__ import annotations

import json
from typing import Any

import psycopg

# Postgres says "try again" with these (A6): deadlock, serialization, lock not had, cancelled, standby.
RETRYABLE = frozenset({"40P01", "40001", "55P03", "57014", "25006"})

_TRY_AGAIN = "Nothing was written; the same command may be tried again."


class OfficeError(Exception):
    """One line for people, a hint, and a stable code for programs (``None`` where there is none)."""

    exit_code = 1

    def __init__(self, message: str, hint: str | None = None, *, code: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.code = code


class Refused(OfficeError):
    """A rule said no. ``status`` is the HTTP status in the SQLSTATE, ``detail`` the values of the refusal."""

    exit_code = 1

    def __init__(
        self,
        message: str,
        hint: str | None = None,
        *,
        code: str | None = None,
        status: int = 409,
        detail: dict[str, Any] | None = None,
    ) -> None:
        super().__init__(message, hint, code=code)
        self.status = status
        self.detail = detail or {}


class UsageProblem(OfficeError):
    """The command line, a setting or a file given on it cannot be used."""

    exit_code = 2


class Unreachable(OfficeError):
    """No database answers there."""

    exit_code = 3


class Forbidden(OfficeError):
    """Nobody knows the caller, or the caller may not do this."""

    exit_code = 4


class VersionMismatch(OfficeError):
    """This officectl and the deployed schema do not fit together."""

    exit_code = 5


def translate(error: psycopg.Error) -> OfficeError:
    """The `OfficeError` for what psycopg raised; never loses the server's sentence."""
    state = error.sqlstate
    message = first_line(error.diag.message_primary or str(error))
    hint = error.diag.message_hint
    if state is None:
        return _without_state(error, message)
    if state.startswith("PT"):
        return _refusal(state, message, hint, error.diag.message_detail)
    if state.startswith("28") or state == "42501":
        return Forbidden(
            message, hint or "Ask an operator for the role: officectl db grant LOGIN --role …", code=state
        )
    if state.startswith(("08", "57P")) or state in {"3D000", "53300"}:
        return Unreachable(message, hint or "Try again, or look with: officectl doctor", code=state)
    if state in RETRYABLE:
        return OfficeError(message, hint or _TRY_AGAIN, code=state)
    if state in {"42883", "42P01", "3F000"}:
        return VersionMismatch(
            message, hint or "Bring the schema up to date: officectl db migrate", code=state
        )
    if state in {"22P02", "22007", "22008"}:  # a text that is no uuid, number, JSON or time
        return UsageProblem(message, hint, code=state)
    return OfficeError(message, hint, code=state)


def first_line(text: str) -> str:
    """The first line of a message, for libpq's go on over several."""
    stripped = text.strip()
    return stripped.splitlines()[0].strip() if stripped else "the database gave no reason"


def _without_state(error: psycopg.Error, message: str) -> OfficeError:
    """Errors that psycopg raises by itself: bad connection strings, broken connections, bad arguments."""
    if isinstance(error, psycopg.ProgrammingError):
        return UsageProblem(message)
    if isinstance(error, psycopg.OperationalError | psycopg.InterfaceError):
        return Unreachable(message, "Try again, or look with: officectl doctor")
    return OfficeError(message)


def _refusal(state: str, message: str, hint: str | None, detail_text: str | None) -> OfficeError:
    status = int(state[2:]) if state[2:].isdigit() else 400
    detail = _json_object(detail_text)
    code = str(detail["code"]) if "code" in detail else None
    if status in {401, 403}:
        return Forbidden(message, hint, code=code)
    return Refused(message, hint, code=code, status=status, detail=detail)


def _json_object(text: str | None) -> dict[str, Any]:
    """DETAIL as an object; anything else is no detail (a foreign function may raise PT codes too)."""
    try:
        value = json.loads(text or "{}")
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}
