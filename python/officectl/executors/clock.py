"""How long a program has worked: while its run waits for a person, no time passes (S6)."""

import asyncio
import time


class ActiveClock:
    """Runs from its making, on the monotonic clock; stands still between `pause` and `go_on`.

    It begins with the seconds that earlier launches of the attempt have worked.
    """

    def __init__(self, worked: float = 0.0) -> None:
        self._active = worked
        self._running_since: float | None = time.monotonic()
        self.turned = asyncio.Event()
        """It has begun to stand still or to run: whoever waits for a time clears this and looks again."""

    @property
    def stands(self) -> bool:
        """It stands still."""
        return self._running_since is None

    @property
    def seconds(self) -> float:
        """The seconds that have passed while it ran."""
        now = time.monotonic()
        return self._active + (0.0 if self._running_since is None else now - self._running_since)

    def pause(self) -> None:
        """Stand still; again is no change."""
        if not self.stands:
            self._active = self.seconds
            self._running_since = None
            self.turned.set()

    def go_on(self) -> None:
        """Run on; again is no change."""
        if self.stands:
            self._running_since = time.monotonic()
            self.turned.set()
