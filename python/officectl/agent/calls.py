"""What an agent may call from inside its run: the same list on both ends of the worker's socket.

Each name is a function of schema `office`; the database decides what the agent may do with it.
"""

AGENT_CALLS = (
    "read_task",
    "add_comment",
    "move_task",
    "complete_task",
    "create_task",
    "wake",
    "note_decision",
)
