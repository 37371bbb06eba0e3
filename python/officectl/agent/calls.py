"""What an agent may call from inside its run: the contract of both ends of the worker's socket.

One request is one line of JSON, answered by one line, in order:

    {"token": "…", "call": "add_comment", "arguments": {"task": "t1", "body": "…"}}
    {"ok": [{"comment_id": "…", "task": "t1"}]}
    {"error": {"code": "not_found", "message": "…", "hint": "…", "status": 404}}

`ok` holds the rows of the function; code, hint and status may be null. Each name is a function of schema
`office`, with its argument names; a JSON array is an SQL array (`blocked_by`). The database decides whether
this attempt's agent may do it.
"""

AGENT_CALLS = (
    "read_task",
    "add_comment",
    "move_task",
    "complete_task",
    "review_task",
    "update_task",
    "add_blocker",
    "remove_blocker",
    "read_document",
    "write_document",
    "create_task",
    "wake",
    "note_decision",
    "add_resource",
    "ask",
    "request_approval",
    "answer",
    "checkpoint",
    "receipt",
)
