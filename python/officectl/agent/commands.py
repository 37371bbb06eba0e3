"""`officectl agent …` from inside a run: what an agent's program, or a script that it is, may say and ask."""

import time
from typing import Any

import click

from officectl.agent.client import Inside
from officectl.render import Layout, show_json, show_record
from officectl.statements import given

WAIT_SECONDS = 2.0
"""Between two looks for an answer."""


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


@click.command()
@click.argument("question")
@click.option(
    "--choice", "choices", multiple=True, metavar="ID=TEXT", help="Repeatable; yes and no unless said."
)
@click.option("--expires-after", metavar="TIME", help="Wait no longer, as '24 hours'.")
@click.option(
    "--on-expire", type=click.Choice(["go_on", "fail"]), help="What the run does then; go_on unless said."
)
@click.option(
    "--wait", is_flag=True, help="Until there is an answer; else end, and be started again with it."
)
def ask(
    question: str, choices: tuple[str, ...], expires_after: str | None, on_expire: str | None, wait: bool
) -> None:
    """Inside a run: ask a person. The same question again gives the same request, with its answer."""
    arguments = given(
        {
            "prompt": question,
            "choices": [_choice(text) for text in choices] or None,
            "expires_after": expires_after,
            "on_expire": on_expire,
        }
    )
    inside = Inside.here()
    rows = inside.call("ask", **arguments)
    while wait and rows[0]["open"]:
        time.sleep(WAIT_SECONDS)
        rows = inside.call("ask", **arguments)
    _say(rows)


@click.command("request-approval")
@click.argument("subject")
@click.argument("request")
@click.option("--task", "ref", metavar="TASK", help="The task that it is about.")
@click.option("--expires-after", metavar="TIME", help="Wait no longer, as '24 hours'.")
def request_approval(subject: str, request: str, ref: str | None, expires_after: str | None) -> None:
    """Inside a run: ask people for an approval; the answer wakes this agent.

    SUBJECT is hire, budget_increase, board, task_review or skill.
    """
    arguments = given({"subject": subject, "prompt": request, "task": ref, "expires_after": expires_after})
    _say(Inside.here().call("request_approval", **arguments))


@click.command()
@click.argument("decision")
@click.argument("choice")
@click.option("--note", metavar="TEXT", help="What is said with it.")
def answer(decision: str, choice: str, note: str | None) -> None:
    """Inside a run: answer what another agent asked; for agents that may approve."""
    arguments = given({"decision": decision, "choice": choice, "note": note, "through": "cli"})
    _say(Inside.here().call("answer", **arguments))


COMMANDS = (
    task,
    comment,
    move,
    create_task,
    complete,
    wake_self,
    note_decision,
    add_folder,
    ask,
    request_approval,
    answer,
)


def _choice(text: str) -> dict[str, str]:
    name, _, shown = text.partition("=")
    return {"id": name, "text": shown or name}


def _say(rows: list[dict[str, Any]]) -> None:
    for row in rows:
        show_record(row, layout=Layout())
