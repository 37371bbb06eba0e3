"""From bytes to lines that Postgres can store."""

import json
from typing import Any

LONGEST_LINE = 1_048_576
CUT = " … [cut: the line is longer than 1 MB]"


class Lines:
    """Splits a stream into lines; one that is too long is cut and marked."""

    def __init__(self, longest: int = LONGEST_LINE) -> None:
        self._longest = longest
        self._rest = b""
        self._skipping = False

    def feed(self, data: bytes) -> list[str]:
        """The lines that this data completes."""
        *complete, self._rest = (self._rest + data).split(b"\n")
        lines = []
        for line in complete:
            if not self._skipping:
                lines.append(self._text(line))
            self._skipping = False
        if self._skipping:
            self._rest = b""
        elif len(self._rest) > self._longest:
            lines.append(self._text(self._rest))
            self._rest = b""
            self._skipping = True
        return lines

    def end(self) -> list[str]:
        """The last line, when it had no end of its own."""
        rest, self._rest = self._rest, b""
        return [self._text(rest)] if rest else []

    def _text(self, line: bytes) -> str:
        text = storable(line[: self._longest].removesuffix(b"\r").decode("utf-8", "replace"))
        return text + CUT if len(line) > self._longest else text


def storable(text: str) -> str:
    """The text without what Postgres cannot store: NUL, and halves of surrogate pairs."""
    return text.replace("\0", "\ufffd").encode("utf-8", "replace").decode()


def json_object(line: str) -> dict[str, Any] | None:
    """The JSON object that the line is; None when it is anything else, or is none that jsonb can hold."""
    if not line.lstrip().startswith("{"):
        return None
    try:
        value = json.loads(line)
        if not isinstance(value, dict):
            return None
        json.dumps(value, allow_nan=False)
        return {storable(key): _storable_value(part) for key, part in value.items()}
    except (ValueError, RecursionError):
        return None


def _storable_value(value: Any) -> Any:
    if isinstance(value, str):
        return storable(value)
    if isinstance(value, list):
        return [_storable_value(part) for part in value]
    if isinstance(value, dict):
        return {storable(key): _storable_value(part) for key, part in value.items()}
    return value
