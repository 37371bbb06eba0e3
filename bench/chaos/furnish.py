"""The office that chaos works on: what it is made of, and what of it never changes, to be swept."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
from psycopg.types.json import Jsonb

from officectl.database import grants

WORKSPACES = 4
AGENTS = 24
TASKS = 48

FIXED_SLOTS = {"w0": 3, "w1": 5}
"""Workspaces whose slots and agents' capacities nobody changes."""

FIXED_PROVIDER = ("chaos:fixed", 2)
"""A provider account whose limit nobody changes; its runs ask nothing: one that waits counts as none."""

CHANGED_PROVIDER = ("chaos:changed", 3)

SETTINGS = {
    "worker_lease_seconds": "3",
    "worker_heartbeat_seconds": "1",
    "worker_poll_seconds": "1",
    # Well above the poll: a pass that comes two periods late is taken for an outage, and renews every lease.
    "sweep_seconds": "2",
    "coalescing_window_seconds": "1",
    "max_runs_per_hour": "1000000",
    "on_checkout_conflict": "wait",
}

PROGRAMS = (
    "sleep 0.2",
    "sleep 1.5",
    "sleep 0.1; echo broken >&2; exit 1",
    "(sleep 5 &) ; sleep 0.1",
    "sleep 0.3; echo 'rate limit exceeded, try again in 2 seconds' >&2; exit 1",
    "sleep 0.1",
)
"""What agents do under `officectl serve`; the workers here only pretend."""


@dataclass(frozen=True)
class Place:
    """Folders: what programs work in, and what several workspaces share."""

    root: Path

    @property
    def programs(self) -> Path:
        """Where programs say that they began."""
        return self.root / "programs.begun"

    def shared(self, nth: int) -> str:
        """One folder, or one inside it: two that may never be worked on at once."""
        return str(self.root / ("shared/inside" if nth % 2 else "shared"))

    def make(self) -> None:
        for folder in ("shared/inside", "common", "project/inside"):
            (self.root / folder).mkdir(parents=True)


def workspace_of(agent: int) -> str:
    return f"w{agent % WORKSPACES}"


def furnish(conn: psycopg.Connection[Any], dsn: str, place: Place) -> None:
    """Workspaces, agents of every kind, projects, tasks, settings."""
    place.make()
    grants.grant(dsn, conn.info.user, gateway="token")
    for key, value in SETTINGS.items():
        conn.execute("select office.set_setting(%s, %s, 'office')", [key, value])
    for number in range(WORKSPACES):
        name = f"w{number}"
        conn.execute("select office.create_workspace(%s)", [name])
        conn.execute(
            "select office.set_setting('max_concurrent_runs', %s, %s)", [str(FIXED_SLOTS.get(name, 4)), name]
        )
        conn.execute(
            "select office.set_setting('on_interrupt', %s, %s)", ["retry" if number % 2 else "ask", name]
        )
        conn.execute(
            "select office.create_project('p', folder => %s, workspace => %s)",
            [str(place.root / ("project/inside" if number % 2 else "project")), name],
        )
    for provider, most in (FIXED_PROVIDER, CHANGED_PROVIDER):
        conn.execute("select office.set_provider_limit(%s, %s)", [provider, most])
    for number in range(AGENTS):
        conn.execute(
            "select office.create_agent(%s, executor => %s, workspace => %s, cooldown_sec => %s,"
            " max_concurrent_sessions => %s, role => %s)",
            [
                f"a{number}",
                Jsonb(executor(number, place)),
                workspace_of(number),
                number % 3 % 2,
                1 + number // 4 % 3,
                "coordinator" if number < WORKSPACES else "worker",
            ],
        )
    for number in range(TASKS):
        conn.execute(
            "select office.create_task('Chaos', assignee => %s, workspace => %s, project => %s)",
            [f"a{number % AGENTS}", workspace_of(number), "p" if number % 3 == 0 else None],
        )


def executor(number: int, place: Place) -> dict[str, Any]:
    """In a folder that others want, in one that may be shared, in none (its project's), on a provider."""
    begun = f'echo "$OFFICE_ATTEMPT_ID" >> {place.programs}'
    program = f"{begun}; {PROGRAMS[number // WORKSPACES % len(PROGRAMS)]}"
    if number in (8, 18):
        program = f"{begun}; officectl agent ask 'Go?' --wait"
    body: dict[str, Any] = {"command": ["/bin/sh", "-c", program]}
    kind = number // 2 % 6
    if kind == 0:
        return {**body, "folder": place.shared(number)}
    if kind == 1:
        return body
    body |= {"folder": str(place.root / "common"), "folder_shared": True}
    if kind == 2:
        return {**body, "provider": FIXED_PROVIDER[0]}
    if kind == 3:
        return {**body, "provider": CHANGED_PROVIDER[0], "model": f"m{number % 2}"}
    return body
