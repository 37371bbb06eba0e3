"""`officectl agent …` from inside a run: what an agent's program, or a script that it is, may say and ask."""

from typing import Any

import click

from officectl.agent.client import Inside
from officectl.render import Layout, show_json, show_record


@click.command()
@click.argument("ref", required=False, metavar="[TASK]")
def task(ref: str | None) -> None:
    """Inside a run: its task, as JSON."""
    inside = Inside.here()
    [row] = inside.call("read_task", task=inside.own_task(ref))
    show_json([row["read_task"]], Layout("json"))


@click.command()
@click.argument("body")
@click.option("--task", "ref", metavar="TASK", help="Another task than its own.")
def comment(body: str, ref: str | None) -> None:
    """Inside a run: comment on its task."""
    inside = Inside.here()
    [row] = inside.call("add_comment", task=inside.own_task(ref), body=body)
    _say([{"comment_id": row["add_comment"]}])


@click.command()
@click.argument("state")
@click.option("--task", "ref", metavar="TASK", help="Another task than its own.")
def move(state: str, ref: str | None) -> None:
    """Inside a run: move its task to a state or stage."""
    inside = Inside.here()
    _say(inside.call("move_task", task=inside.own_task(ref), target=state))


@click.command("create-task")
@click.argument("title")
@click.option("--description", "-d", default="", metavar="TEXT", help="What is to be done.")
@click.option("--assignee", "-a", metavar="AGENT", help="Who is to do it.")
@click.option("--blocked-by", multiple=True, metavar="TASK", help="It waits for this one; repeatable.")
def create_task(title: str, description: str, assignee: str | None, blocked_by: tuple[str, ...]) -> None:
    """Inside a run: make a part of its task."""
    inside = Inside.here()
    _say(
        inside.call(
            "create_task",
            title=title,
            description=description,
            assignee=assignee,
            parent=inside.task,
            blocked_by=list(blocked_by),
        )
    )


@click.command()
@click.argument("summary", required=False)
@click.option("--task", "ref", metavar="TASK", help="Another task than its own.")
def complete(summary: str | None, ref: str | None) -> None:
    """Inside a run: say that its task is done."""
    inside = Inside.here()
    _say(inside.call("complete_task", task=inside.own_task(ref), summary=summary))


@click.command("wake-self")
@click.argument("reason")
def wake_self(reason: str) -> None:
    """Inside a run: ask to be woken again."""
    inside = Inside.here()
    payload: dict[str, Any] = {"reason": reason}
    if inside.task:
        payload["task_id"] = inside.task
    _say(inside.call("wake", agent=inside.agent, source="self", payload=payload))


@click.command("note-decision")
@click.argument("decision")
def note_decision(decision: str) -> None:
    """Inside a run: keep a decision."""
    Inside.here().call("note_decision", decision=decision)


@click.command("add-folder")
@click.argument("folder", type=click.Path(exists=True, file_okay=False, resolve_path=True))
def add_folder(folder: str) -> None:
    """Inside a run: say that it begins to change files in another folder than its own."""
    inside = Inside.here()
    [row] = inside.call("add_resource", attempt_id=inside.attempt, key=f"folder:server:{folder}")
    _say([{"folder": folder, "others_there": row["add_resource"]}])


COMMANDS = (task, comment, move, create_task, complete, wake_self, note_decision, add_folder)


def _say(rows: list[dict[str, Any]]) -> None:
    for row in rows:
        show_record(row, layout=Layout())
