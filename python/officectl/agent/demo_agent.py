"""A small real agent, for the demo and for tests: `officectl demo-agent`.

It reads its prompt, surveys the folder that it was started in, writes what it found, says so on its task,
hands on what is left, and ends with its result as the last line. What it has done it records, and does not
do again when its run is started once more (`receipt`). Whatever it knows of the office it asked for
by `officectl.agent.client`, as any agent program may; a shell script would use `officectl agent …`.
"""

import json
import re
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from officectl.agent.client import Inside
from officectl.agent.commands import WAIT_SECONDS
from officectl.agent.survey import Survey, checklist, report, survey
from officectl.agent.tree import identity

HAND_ON = re.compile(r"\bHand the work that is left to @?(?P<agent>[\w.-]*\w)")
"""The one instruction that it understands."""

DOCUMENTS: dict[str, tuple[str, Callable[[Survey], str]]] = {
    "report": ("REPORT.md", report),
    "checklist": ("CHECKLIST.md", checklist),
}


@click.command("demo-agent", hidden=True)
@click.option("--write", type=click.Choice(list(DOCUMENTS)), help="The document to leave in the folder.")
@click.option("--ask", is_flag=True, help="Ask a person what to do with what was found, and wait.")
def command(write: str | None, ask: bool) -> None:
    """A small agent that surveys the folder it is started in (a worker runs it)."""
    prompt = sys.stdin.read()
    inside = Inside.here()
    folder = Path.cwd()

    click.echo(f"{inside.agent} reads {folder}")
    found = survey(folder)
    click.echo(f"Found {found.summary}.")
    result: dict[str, Any] = {"summary": f"Found {found.summary}.", "lines": dict(found.lines)}
    if write:
        path = folder / DOCUMENTS[write][0]
        if _once(inside, f"write {path}", lambda: _write(folder, write, found)):
            click.echo(f"Wrote {path}")
        result |= {"summary": f"Wrote {path.name}: {found.summary}.", "document": str(path)}
    if ask:
        inside.call("checkpoint", state={"found": found.summary}, tree=identity(folder))
        result["answer"] = _ask(inside, f"{found.summary[0].upper()}{found.summary[1:]}. Shall I go on?")
        click.echo(f"Was told: {result['answer']}")
    if inside.task:
        result["follow_up"] = _work_on_task(inside, found, result, HAND_ON.search(prompt))
    click.echo(json.dumps(result, ensure_ascii=False))


def _once(inside: Inside, key: str, act: Callable[[], object]) -> bool:
    """Does what has no receipt in this run yet, and records it; whether it did."""
    if inside.call("receipt", key=key):
        return False
    act()
    inside.call("receipt", key=key, detail={})
    return True


def _ask(inside: Inside, question: str) -> str:
    """What a person decides; it waits for that by asking again."""
    while (row := inside.call("ask", prompt=question)[0])["open"]:
        time.sleep(WAIT_SECONDS)
    return str(row["choice"] or row["status"])


def _write(folder: Path, kind: str, found: Survey) -> None:
    name, compose = DOCUMENTS[kind]
    (folder / name).write_text(compose(found), encoding="utf-8")


def _work_on_task(
    inside: Inside, found: Survey, result: dict[str, Any], hand_on: re.Match[str] | None
) -> str | None:
    """Tells the task what was found, hands on what is left, completes it; the follow-up task, if any."""
    task = inside.own_task()
    [answer] = inside.call("read_task", task=task)
    click.echo(f"Working on {task}: {answer['read_task']['title']}")
    _once(inside, "comment", lambda: inside.call("add_comment", task=task, body=_finding(found, result)))
    follow_up = None
    if hand_on and found.notes:
        inside.call("note_decision", decision=f"{hand_on['agent']} takes the {len(found.notes)} comments.")
        made = inside.call("receipt", key="hand on")
        if not made:
            [part] = inside.call(
                "create_task",
                title=f"List the {len(found.notes)} comments of work left",
                description="\n".join(f"{note.path}:{note.line} {note.text}" for note in found.notes[:20]),
                assignee=hand_on["agent"],
                parent=task,
            )
            made = inside.call("receipt", key="hand on", detail={"task": part["task"]})
        follow_up = str(made[0]["outcome"]["task"])
        result["summary"] += f" {hand_on['agent']} goes on with {follow_up}."
        click.echo(f"Made {follow_up} for {hand_on['agent']}")
    inside.call("complete_task", task=task)
    click.echo(f"Completed {task}")
    return follow_up


def _finding(found: Survey, result: dict[str, Any]) -> str:
    languages = ", ".join(f"{count} lines of {language}" for language, count in found.lines.most_common(5))
    return f"{result['summary']} {languages or 'No source text'}."
