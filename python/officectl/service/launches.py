"""From a row of `office.claim_runs` to what an executor is given."""

from pathlib import Path
from uuid import UUID

from officectl.executors import Launch, Mark
from officectl.office import Json


def launch_of(row: Json, worker_id: UUID, agent_socket: Path) -> Launch:
    """The launch, with what an agent needs to call the office from inside its run."""
    mark = Mark(run_id=str(row["run_id"]), attempt_id=str(row["attempt_id"]), worker_id=str(worker_id))
    office = {
        "OFFICE_SOCKET": agent_socket,
        "OFFICE_TOKEN": row["token"],
        "OFFICE_RUN": row["run"],
        "OFFICE_TASK": row["task"],
        "OFFICE_TASK_ID": row["task_id"],
        "OFFICE_AGENT": row["agent"],
        "OFFICE_WORKSPACE": row["workspace"],
        "OFFICE_WAKE_REASON": row["reason"],
    }
    environment = {**(row["environment"] or {}), **office}
    return Launch(
        mark=mark,
        attempt_id=row["attempt_id"],
        run=row["run"],
        agent=row["agent"],
        prompt=row["prompt"] or "",
        executor=row["executor"] or {},
        folder=row["folder"],
        environment={name: str(value) for name, value in environment.items() if value is not None},
        limits=row["limits"] or {},
        engine_session=row["engine_session"],
    )
