"""A worker's socket to talk to, without a worker behind it."""

import json
import socketserver
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

Json = dict[str, Any]


@dataclass
class Worker:
    """What was asked on the socket, and what is answered; an unknown call is refused."""

    path: str
    answers: dict[str, Json] = field(default_factory=dict)
    answering: dict[str, Callable[[Json], Json]] = field(default_factory=dict)
    asked: list[Json] = field(default_factory=list)

    @property
    def calls(self) -> list[tuple[str, Json]]:
        return [(request["call"], request["arguments"]) for request in self.asked]


@pytest.fixture
def worker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Worker]:
    # A socket's path may have 107 bytes; a test's own folder is named after the test.
    path = str(tmp_path_factory.mktemp("w") / "s")
    worker = Worker(path)

    class Answer(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            request = json.loads(self.rfile.readline())
            worker.asked.append(request)
            refused = {"error": {"code": "forbidden", "message": "No.", "hint": "Ask.", "status": 403}}
            answering = worker.answering.get(request["call"])
            answer = (
                answering(request["arguments"]) if answering else worker.answers.get(request["call"], refused)
            )
            self.wfile.write(json.dumps(answer).encode() + b"\n")

    with socketserver.ThreadingUnixStreamServer(path, Answer) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        yield worker
        server.shutdown()
        thread.join()


@pytest.fixture
def inside(worker: Worker, monkeypatch: pytest.MonkeyPatch) -> Worker:
    """This process is a program in run r1 of agent scout, for task t1."""
    environment = {
        "OFFICE_SOCKET": worker.path,
        "OFFICE_TOKEN": "secret",
        "OFFICE_AGENT": "scout",
        "OFFICE_RUN": "r1",
        "OFFICE_ATTEMPT_ID": "a1",
        "OFFICE_TASK": "t1",
        "OFFICE_WORKSPACE": "demo",
    }
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    return worker


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A folder with three comments of work left in two languages, and things to leave alone."""
    folder = tmp_path / "source"
    (folder / "node_modules").mkdir(parents=True)
    (folder / "a.py").write_text("x = 1  # TODO: name it\n# FIXME\n")
    (folder / "b.sql").write_text("select 1; -- TODO: more\n\nTODO is no comment here\n")
    (folder / "node_modules" / "c.js").write_text("// TODO: not ours\n")
    (folder / "d.py").write_bytes(b"\xff\xfe # TODO: no text\n")
    (folder / "broken.py").symlink_to(folder / "nowhere")
    return folder
