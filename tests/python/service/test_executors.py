"""X1, D9: executors in a whole office: what their agents ask becomes a decision, the answer reaches them."""

import asyncio
import os
import subprocess
import sys
from pathlib import Path

from psycopg.types.json import Jsonb
from support import acp_agent

from .conftest import PACKAGE, Desk, Serving

ENDED = "select result, parked from office.runs where ended_at is not null"
PENDING = "select number, kind, operation, choices from office.decisions where status = 'pending'"


def asking(desk: Desk, folder: Path) -> None:
    """An agent that asks a permission, woken."""
    command = [sys.executable, acp_agent.__file__, "permission"]
    executor = {"kind": "acp", "command": command, "folder": str(folder), "permissions": "ask"}
    desk.rows(
        "select * from office.create_agent('asker', executor => %s, cooldown_sec => 0)", Jsonb(executor)
    )
    desk.wake("asker")


async def act(desk: Desk, call: str, *values: object) -> None:
    """Call while the office is served: it may wait for what this process does beside."""
    await asyncio.to_thread(desk.rows, call, *values)


async def test_sc_x8_a_permission_is_a_decision_and_its_answer_lets_the_agent_go_on(
    desk: Desk, serving: Serving, tmp_path: Path
) -> None:
    asking(desk, tmp_path)
    async with serving():
        asked = await desk.until(PENDING)
        assert asked["kind"] == "permission"
        assert asked["operation"] == {
            "tool": "execute",
            "title": "rm -r build",
            "input": {"n": 1},
            "covers": "rm -r build",
        }
        assert [choice["text"] for choice in asked["choices"]] == ["Do it", "Leave it"]
        assert desk.row("select status from office.runs") == {"status": "waiting"}
        await act(desk, "select * from office.answer(%s, 'option-2')", f"d{asked['number']}")
        assert await desk.until(ENDED) == {"result": "succeeded", "parked": None}
    attempt = desk.row("select number, launch, result, engine_session from office.attempts")
    assert attempt["result"] == {"summary": "It was no, never."}
    assert (attempt["number"], attempt["launch"]) == (1, 1), "one program, which waited"
    assert attempt["engine_session"]
    assert desk.rows("select * from office.audit()") == []


async def test_sc_x8_stopped_while_asking_cancels_the_request_and_ends_the_run(
    desk: Desk, serving: Serving, tmp_path: Path
) -> None:
    asking(desk, tmp_path)
    async with serving():
        await desk.until(PENDING)
        await act(desk, "select * from office.stop('r1')")
        assert (await desk.until(ENDED))["result"] == "stopped"
        await desk.until("select 1 from office.attempts where cleaned_at is not null")
    assert desk.rows("select status, choice from office.decisions") == [{"status": "expired", "choice": None}]
    assert desk.rows("select * from office.audit()") == []


async def test_x2_an_agent_reaches_its_side_of_the_office_by_mcp(
    desk: Desk, serving: Serving, tmp_path: Path
) -> None:
    program = Path(acp_agent.__file__).with_name("mcp_agent.py")
    executor = {
        "command": [sys.executable, str(program)],
        "folder": str(tmp_path),
        "environment": {"PYTHONPATH": str(PACKAGE)},
    }
    desk.rows("select * from office.create_agent('writer', executor => %s)", Jsonb(executor))
    async with serving():
        await act(desk, "select * from office.create_task('Write it', assignee => 'writer')")
        asked = await desk.until(PENDING)
        await act(desk, "select * from office.answer(%s, 'once')", f"d{asked['number']}")
        attempt = await desk.until("select result, error from office.attempts where ended_at is not null")
        assert attempt["error"] is None
        told = attempt["result"]
        await act(desk, "select * from office.stop('everything')")
    assert asked["operation"]["title"] == "Bash(make it)"
    assert told["asked"] == {"behavior": "allow", "updatedInput": {"command": "make it"}}
    assert "Write it" in told["task"]
    assert told["tools"]["comment"] == ["body"]
    known = {"task", "move", "create_task", "complete", "ask", "request_approval", "permission"}
    assert known <= told["tools"].keys()
    assert "mcp" not in told["tools"]
    assert desk.rows("select body from office.comments order by id limit 1") == [
        {"body": '--task and "quotes" and\nlines'}
    ]
    made = desk.row("select title, description, parent_id from office.tasks where number = 2")
    assert (made["title"], made["description"]) == ("A part", "-x")
    assert made["parent_id"]
    assert told["refused"].startswith("FAILED")
    assert told["missing"] == "FAILED comment needs the argument body."
    assert told["unknown"] == "FAILED comment has no argument zzz."
    assert told["nothing"] == "FAILED There is no tool drop_table."
    assert not told["done"].startswith("FAILED")
    assert desk.row("select state from office.tasks where number = 1") == {"state": "done"}


async def test_x10_a_person_takes_over_in_the_engine_session(
    desk: Desk, serving: Serving, database: str, tmp_path: Path
) -> None:
    said = '{"type":"system","subtype":"init","session_id":"session-7"}'
    command = ["/bin/sh", "-c", f"echo '{said}'; exec sleep 60"]
    executor = {"preset": "claude", "command": command, "folder": str(tmp_path)}
    desk.rows("select * from office.create_agent('coder', executor => %s)", Jsonb(executor))
    desk.wake("coder")
    async with serving():
        await desk.until("select 1 from office.attempts where engine_session = 'session-7'")
        words = [sys.executable, "-m", "officectl", "run", "takeover", "r1"]
        known = {**os.environ, "OFFICE_DSN": database, "PYTHONPATH": str(PACKAGE)}
        taken = await asyncio.to_thread(
            subprocess.run, words, env=known, capture_output=True, text=True, timeout=60, check=False
        )
        assert (taken.returncode, taken.stdout) == (0, f"cd {tmp_path}\nclaude --resume session-7\n"), taken
    assert desk.row("select result from office.runs") == {"result": "stopped"}
    assert desk.rows("select * from office.audit()") == []


async def test_sc_x3_e2_a_recorded_engine_in_a_whole_office(
    desk: Desk, serving: Serving, tmp_path: Path
) -> None:
    """What claude was recorded to say: steps, session, tokens and cost are known afterwards."""
    replay = Path(__file__).parents[1] / "executors" / "replay.py"
    stream = Path(__file__).parents[2] / "data" / "streams" / "claude-tool.txt"
    command = [sys.executable, "-IS", str(replay), str(tmp_path), str(stream)]
    executor = {"preset": "claude", "command": command, "folder": str(tmp_path)}
    desk.rows("select * from office.create_agent('coder', executor => %s)", Jsonb(executor))
    desk.wake("coder")
    async with serving():
        assert (await desk.until(ENDED))["result"] == "succeeded"
    attempt = desk.row("select result, engine_session from office.attempts")
    assert attempt["result"]["summary"] == "It is done."
    assert attempt["engine_session"]
    used = desk.row("select model, tokens_in, tokens_out, cost_cents, cost_source from office.usage_events")
    assert (used["model"], used["tokens_in"], used["tokens_out"]) == ("claude-loopback", 240, 34)
    assert (float(used["cost_cents"]), used["cost_source"]) == (0.219, "reported")
    kinds = [step["kind"] for step in desk.rows("select kind from office.attempt_steps order by sequence")]
    assert kinds == ["tool_call", "tool_result", "message", "usage"]
    assert desk.rows("select * from office.audit()") == []


async def test_n3_the_engine_session_of_retired_work_is_deleted(
    desk: Desk, serving: Serving, tmp_path: Path
) -> None:
    session = "4e8cab66-5196-42af-ab5d-51f7dcb0bc7e"
    file = tmp_path / ".claude" / "projects" / "-shop" / f"{session}.jsonl"
    said = f'{{"type":"system","subtype":"init","session_id":"{session}"}}'
    done = '{"type":"result","subtype":"success","is_error":false,"result":"Done."}'
    script = f"mkdir -p '{file.parent}'; touch '{file}'; echo '{said}'; echo '{done}'"
    executor = {
        "preset": "claude",
        "command": ["/bin/sh", "-c", script],
        "folder": str(tmp_path),
        "environment": {"HOME": str(tmp_path)},
    }
    desk.rows(
        "select * from office.create_agent('coder', executor => %s, cooldown_sec => 0)", Jsonb(executor)
    )
    desk.rows("select * from office.create_task('Paint it', assignee => 'coder')")
    async with serving():
        assert (await desk.until(ENDED))["result"] == "succeeded"
    assert file.exists(), "while the task may be worked on again, it is kept"
    desk.rows("select * from office.move_task('t1', 'cancelled')")
    desk.rows("select office.dispatch()")
    async with serving():
        deleted = await desk.until("select outcome from office.session_deletions where done_at is not null")
    assert deleted == {"outcome": "deleted"}
    assert not file.exists()
    assert desk.rows("select * from office.audit()") == []
