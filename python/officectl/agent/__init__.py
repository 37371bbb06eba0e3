"""The agent's side of a run: what an agent program may do, by the socket of the worker that launched it."""
