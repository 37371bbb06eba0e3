"""From a row of `office.claim_runs` to what an executor is given."""

from pathlib import Path
from uuid import UUID

from officectl.executors import Launch, Mark
from officectl.office import Json


def launch_of(row: Json, worker_id: UUID, agent_socket: Path) -> Launch:
    """The launch, with the way back to the office for what it starts."""
    mark = Mark(run_id=str(row["run_id"]), attempt_id=str(row["attempt_id"]), worker_id=str(worker_id))
    environment = {**row["environment"], "OFFICE_SOCKET": agent_socket, "OFFICE_TOKEN": row["token"]}
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
    )
