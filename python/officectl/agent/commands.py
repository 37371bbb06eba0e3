"""`officectl agent …` from inside a run: what an agent's program, or a script that it is, may say and ask."""

import asyncio
import importlib.util
import json
import sys
import time
from pathlib import Path
from typing import Any

import click

from officectl.agent.client import Inside
from officectl.agent.tree import identity
from officectl.errors import UsageProblem
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


@click.command()
@click.argument("verdict", type=click.Choice(["approved", "rejected"]))
@click.option("--note", metavar="TEXT", help="What is said with it; it becomes a comment.")
@click.option("--task", "ref", metavar="TASK", help="Another task than its own.")
def review(verdict: str, note: str | None, ref: str | None) -> None:
    """Inside a run: judge a task that waits for this agent's review."""
    inside = Inside.here()
    _say(
        inside.call("review_task", **given({"task": inside.own_task(ref), "verdict": verdict, "note": note}))
    )


@click.command()
@click.argument("blocker", metavar="TASK")
@click.option("--task", "ref", metavar="TASK", help="Another task than its own.")
@click.option("--remove", is_flag=True, help="It waits for it no longer.")
def block(blocker: str, ref: str | None, remove: bool) -> None:
    """Inside a run: let its task, or a part of it, wait for another task."""
    inside = Inside.here()
    call = "remove_blocker" if remove else "add_blocker"
    _say(inside.call(call, task=inside.own_task(ref), blocker=blocker))


@click.command()
@click.argument("name")
@click.option("--task", "ref", metavar="TASK", help="Of this task; else of its whole.")
def document(name: str, ref: str | None) -> None:
    """Inside a run: read a document of the task that its own is a part of."""
    [row] = Inside.here().call("read_document", **given({"name": name, "task": ref}))
    click.echo(row["body"])


@click.command("write-document")
@click.argument("name")
@click.argument("body", required=False)
@click.option("--file", type=click.Path(exists=True, dir_okay=False), help="What this file says, for BODY.")
@click.option("--task", "ref", metavar="TASK", help="Of this task; else as document.")
@click.option("--based-on", type=int, metavar="VERSION", help="Refused when it is another by now.")
def write_document(
    name: str, body: str | None, file: str | None, ref: str | None, based_on: int | None
) -> None:
    """Inside a run: write a document of the task that its own is a part of, new or anew."""
    if (body is None) == (file is None):
        raise click.UsageError("Say what it is to say: BODY, or --file.")
    written = Path(file).read_text(encoding="utf-8") if file else body
    _say(
        Inside.here().call(
            "write_document", **given({"name": name, "body": written, "task": ref, "based_on": based_on})
        )
    )


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
@click.option("--permission", metavar="JSON", help="Before this operation: its tool and input, as an object.")
@click.option("--publish", metavar="JSON", help="Before this is given out: the payload, as an object.")
@click.option(
    "--wait", is_flag=True, help="Until there is an answer; else end, and be started again with it."
)
def ask(
    question: str,
    choices: tuple[str, ...],
    expires_after: str | None,
    on_expire: str | None,
    permission: str | None,
    publish: str | None,
    wait: bool,
) -> None:
    """Inside a run: ask a person. The same question again gives the same request, with its answer.

    What is asked before an operation or a publication holds for the files as they are: when anything in the
    folder changes, it is asked anew. An answer that counts once is given out once.
    """
    if permission and publish:
        raise click.UsageError("Either --permission or --publish.")
    operation = permission or publish
    arguments = given(
        {
            "prompt": question,
            "choices": [_choice(text) for text in choices] or None,
            "expires_after": expires_after,
            "on_expire": on_expire,
            "kind": "permission" if permission else "publish" if publish else None,
            "operation": _object(operation) if operation else None,
        }
    )
    if operation:
        arguments["tree"] = identity(Path.cwd())
    inside = Inside.here()
    rows = inside.call("ask", **arguments)
    while wait and rows[0]["open"]:
        time.sleep(WAIT_SECONDS)
        if operation:
            arguments["tree"] = identity(Path.cwd())
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


@click.command()
@click.argument("state", required=False)
@click.option("--operation", metavar="JSON", help="What it is about to do, as an object.")
def checkpoint(state: str | None, operation: str | None) -> None:
    """Inside a run: save STATE, a JSON object, and the identity of the folder; or show what was saved last.

    The run goes on from there when it is started again. `-` reads the state from standard input.
    """
    inside = Inside.here()
    if state is None:
        rows = inside.call("checkpoint")
    else:
        saved = _object(sys.stdin.read() if state == "-" else state)
        asked = {"operation": _object(operation)} if operation else {}
        rows = inside.call("checkpoint", state=saved, tree=identity(Path.cwd()), **asked)
    show_json(rows, Layout("json"))


@click.command()
@click.argument("key")
@click.option("--done", is_flag=True, help="Record that it is done; the first record stands.")
@click.option("--detail", metavar="JSON", help="What came of it, as an object; with --done.")
@click.pass_context
def receipt(context: click.Context, key: str, done: bool, detail: str | None) -> None:
    """Inside a run: whether the write that KEY names is done (exit code 1: it is not), or that it is.

    A run that is started again looks before it writes.
    """
    if detail and not done:
        raise click.UsageError("--detail goes with --done.")
    recorded = {"detail": _object(detail) if detail else {}} if done else {}
    rows = Inside.here().call("receipt", key=key, **recorded)
    show_json(rows, Layout("json"))
    if not rows:
        context.exit(1)


@click.command()
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path), default=".")
def tree(folder: Path) -> None:
    """Print the identity of a folder's files: another whenever anything in it changes."""
    click.echo(identity(folder))


@click.command()
def mcp() -> None:
    """Inside a run: all of this as a server of the Model Context Protocol, on stdin and stdout."""
    if importlib.util.find_spec("mcp") is None:
        raise UsageProblem("This needs the protocol's SDK.", hint="pip install 'officectl[mcp]'")
    from officectl.agent.mcp_server import serve

    Inside.here()
    asyncio.run(serve([command for command in COMMANDS if command is not mcp]))


COMMANDS = (
    task,
    comment,
    move,
    create_task,
    complete,
    review,
    block,
    document,
    write_document,
    wake_self,
    note_decision,
    add_folder,
    ask,
    request_approval,
    answer,
    mcp,
    checkpoint,
    receipt,
    tree,
)


def _object(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except json.JSONDecodeError as error:
        raise UsageProblem(f"That is no JSON: {error}.", hint="An object, as '{\"done\": 3}'.") from None
    if not isinstance(value, dict):
        raise UsageProblem("That is no JSON object.", hint="As '{\"done\": 3}'.")
    return value


def _choice(text: str) -> dict[str, str]:
    name, _, shown = text.partition("=")
    return {"id": name, "text": shown or name}


def _say(rows: list[dict[str, Any]]) -> None:
    for row in rows:
        show_record(row, layout=Layout())
