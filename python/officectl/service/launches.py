"""From a row of `office.claim_runs` to what an executor is given."""

from pathlib import Path
from uuid import UUID

from officectl.executors import Launch, Mark
from officectl.office import Json

LONGEST_PAYLOAD = 65_536
"""Bytes of a wakeup's payload in the environment; a longer one is in a file (X1)."""


def launch_of(row: Json, worker_id: UUID, agent_socket: Path) -> Launch:
    """The launch, with the way back to the office for what it starts."""
    mark = Mark(
        run_id=str(row["run_id"]),
        attempt_id=str(row["attempt_id"]),
        worker_id=str(worker_id),
        launch=row["launch"],
    )
    environment = {**row["environment"], "OFFICE_SOCKET": agent_socket, "OFFICE_TOKEN": row["token"]}
    payload = environment.get("OFFICE_WAKE_PAYLOAD", "").encode()
    if len(payload) > LONGEST_PAYLOAD:
        del environment["OFFICE_WAKE_PAYLOAD"]
        environment["OFFICE_WAKE_PAYLOAD_FILE"] = _payload_file(agent_socket, row["attempt_id"])
        environment["OFFICE_WAKE_PAYLOAD_FILE"].write_bytes(payload)
    return Launch(
        mark=mark,
        attempt_id=row["attempt_id"],
        run=row["run"],
        agent=row["agent"],
        prompt=row["prompt"],
        executor=row["executor"],
        folder=row["folder"],
        environment={name: str(value) for name, value in environment.items()},
        limits=row["limits"],
        engine_session=row["engine_session"],
        worktree=row["worktree"],
        steps=row["steps"],
    )


def forget(launch: Launch, agent_socket: Path) -> None:
    """Remove what was written for a launch that is over."""
    _payload_file(agent_socket, launch.attempt_id).unlink(missing_ok=True)


def _payload_file(agent_socket: Path, attempt_id: UUID) -> Path:
    """In the folder of the socket, which only this account can open."""
    return agent_socket.with_name(f"payload-{attempt_id}.json")
