"""I1, A1, X1, X2: every recipe of docs/recipes works when it is typed."""

import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict

from .conftest import OFFICECTL, Officectl, without_database
from .test_day import until

pytestmark = pytest.mark.slow

RECIPES = Path(__file__).parents[3] / "docs/recipes"
LIBPQ = {
    "host": "PGHOST",
    "port": "PGPORT",
    "user": "PGUSER",
    "password": "PGPASSWORD",
    "dbname": "PGDATABASE",
}

LOOKED = "r1 succeeded looked at it\n"


def blocks(recipe: str, language: str) -> list[str]:
    """The pieces of a recipe that are in this language."""
    return re.findall(
        rf"^```{language}\n(.*?)^```$", (RECIPES / recipe).read_text(), re.DOTALL | re.MULTILINE
    )


@pytest.fixture
def place(officectl: Officectl, database: str, tmp_path: Path) -> Iterator[dict[str, str]]:
    """The environment of somebody in whose other terminal `officectl up` runs."""
    own = Path(sys.executable).parent
    environment = without_database() | {"PATH": f"{own}:{os.environ['PATH']}"}
    log = tmp_path / "up.log"
    with (
        log.open("w") as output,
        subprocess.Popen(
            [*OFFICECTL, "up", "--dsn", database], stdout=output, stderr=output, env=environment
        ) as office,
    ):
        try:
            until(lambda: '"workers": 1' in officectl("status", "--json", "workers").out)
            where = conninfo_to_dict(database)
            yield environment | {name: str(where[key]) for key, name in LIBPQ.items() if key in where}
        finally:
            office.send_signal(signal.SIGTERM)
            assert office.wait(30) == 0, log.read_text()


def typed(words: list[str], place: dict[str, str], folder: Path, text: str | None = None) -> str:
    """What it printed; it must not fail."""
    done = subprocess.run(
        words, input=text, cwd=folder, env=place, capture_output=True, text=True, timeout=90, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def assert_an_order_was_looked_at(database: str) -> None:
    with psycopg.connect(database) as desk:
        assert desk.execute("select id, note from orders").fetchall() == [(7, "late")]
        keys = desk.execute("select idempotency_key, status, payload from office.wakeups").fetchall()
        assert [(key, status, payload["context"]) for key, status, payload in keys] == [
            ("order-7", "finished", {"order": 7})
        ]
        assert desk.execute("select * from office.audit()").fetchall() == []


def test_i1_from_python(place: dict[str, str], database: str, tmp_path: Path) -> None:
    (code,) = blocks("python.md", "python")
    assert typed([sys.executable, "-c", code], place, tmp_path) == LOOKED
    assert_an_order_was_looked_at(database)


def test_i1_from_node(place: dict[str, str], database: str, node_folder: Path) -> None:
    (code,) = blocks("node.md", "js")
    (node_folder / "recipe.js").write_text(code)
    assert typed(["node", "recipe.js"], place, node_folder) == LOOKED
    assert_an_order_was_looked_at(database)


def test_i1_from_a_shell(place: dict[str, str], database: str, tmp_path: Path) -> None:
    by_hand, by_trigger = blocks("shell.md", "sh")
    assert typed(["/bin/sh"], place, tmp_path, by_hand) == LOOKED
    assert_an_order_was_looked_at(database)
    typed(["/bin/sh"], place, tmp_path, by_trigger)
    with psycopg.connect(database) as desk:
        woken = """
          select substr(idempotency_key, strpos(idempotency_key, '.') + 1), payload -> 'context' ->> 'note'
          from office.wakeups
          order by id
        """
        assert desk.execute(woken).fetchall() == [
            ("order-7", None),
            ("orders:8", "broken"),
            ("orders:9", "lost"),
        ]


def test_x2_an_agent_program_of_ones_own(
    place: dict[str, str], database: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("files")
    program, commands = blocks("your-own-agent.md", "sh")
    (folder / "count-files.sh").write_text(program)
    shown = typed(["/bin/sh"], place, folder, commands)
    assert "There are 1 files." in shown
    with psycopg.connect(database) as desk:
        assert desk.execute("select state from office.tasks").fetchall() == [("done",)]
        told = desk.execute("select result from office.attempts").fetchall()
        assert told == [({"summary": "counted 1 files"},)]
        decided = desk.execute("select detail from office.activity where kind = 'decision_noted'").fetchall()
        assert decided == [({"decision": "Hidden files count as well."},)]
        assert desk.execute("select * from office.audit()").fetchall() == []


def test_t9_a_pipeline_with_reviews(place: dict[str, str], database: str, tmp_path: Path) -> None:
    """T5, T8, T9: Spec, approved by a person, Build, by an agent, and Ship, one after the other."""
    (commands,) = blocks("pipeline.md", "sh")
    shown = typed(["/bin/sh"], place, tmp_path, commands)
    assert 'Is t1 done? "Spec"' in shown
    assert shown.endswith("Spec|done\nBuild|done\nShip|done\n")
    with psycopg.connect(database) as desk:
        woken = (
            "select a.name, w.source from office.wakeups w"
            " join office.agents a on a.id = w.agent_id order by w.id"
        )
        assert desk.execute(woken).fetchall() == [
            ("writer", "task_assigned"),
            ("builder", "task_blockers_resolved"),
            ("checker", "review_requested"),
            ("shipper", "task_blockers_resolved"),
        ]
        assert desk.execute("select * from office.audit()").fetchall() == []


def test_x9_several_agents_on_one_repository(place: dict[str, str], database: str, tmp_path: Path) -> None:
    """X9, sc-X9: two agents, two worktrees; the merged one is collected, the other is kept, and says why."""
    (commands,) = blocks("worktrees.md", "sh")
    shown = typed(["/bin/sh"], place, tmp_path, commands)
    assert "t1-ann\nt2-bob\n" in shown
    assert "+hello" in shown
    assert "office/t2-bob is not merged" in shown
    assert not (tmp_path / "site.worktrees" / "t1-ann").exists()
    with psycopg.connect(database) as desk:
        assert desk.execute("select * from office.audit()").fetchall() == []


def test_every_recipe_is_in_the_list() -> None:
    listed = (RECIPES / "README.md").read_text()
    names = sorted(path.name for path in RECIPES.glob("*.md") if path.name != "README.md")
    assert names == sorted(re.findall(r"\]\(([\w-]+\.md)\)", listed))


def test_r18_a_webhook_with_curl(place: dict[str, str], database: str, tmp_path: Path) -> None:
    """R18, sc-R8: fired, again, with a bad signature, with too large a body; `routine show` tells of it."""
    (commands,) = blocks("webhook.md", "sh")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    shown = typed(["/bin/sh"], place | {"PORT": str(port)}, tmp_path, commands)
    assert shown.splitlines()[:4] == ["202", "200", "401", "413"]
    assert "webhook" in shown
    assert "it is a secret" not in shown
    with psycopg.connect(database) as desk:
        fires = desk.execute("select source, trigger_payload ->> 'env' from office.routine_runs").fetchall()
        assert fires == [("webhook", "test")]
        assert desk.execute("select * from office.audit()").fetchall() == []
