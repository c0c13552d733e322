"""Simulated time: whole minutes from the start, and the one text form of an instant."""

from __future__ import annotations

from datetime import datetime, timedelta

_MINUTE = timedelta(minutes=1)
_LAST = datetime(9999, 12, 31, 23, 59)  # noqa: DTZ001 - the form knows UTC only


class Clock:
    """The clock of one episode. It moves only forward, only when told, and nothing else knows the time.

    Attributes:
        now: minutes from the start.
        text: the canonical instant of ``now``.
        last: the last minute from the start that has a canonical instant.
    """

    __slots__ = ("_start", "last", "now", "text")

    def __init__(self, starts_at: str) -> None:
        """Start the clock at ``starts_at``.

        Raises:
            ValueError: ``starts_at`` is no instant of the form ``YYYY-MM-DDTHH:MM:SSZ``.
        """
        self._start = datetime.strptime(starts_at, "%Y-%m-%dT%H:%M:%SZ")  # noqa: DTZ007 - the form knows UTC only
        self.last = (_LAST - self._start) // _MINUTE
        self.now = 0
        self.text = self.instant(0)
        if self.text != starts_at:
            raise ValueError(f"not a canonical instant: {starts_at!r}")

    def instant(self, minutes: int) -> str:
        """Return the canonical instant ``minutes`` after the start.

        Raises:
            OverflowError: there is none; see :attr:`last`.
        """
        return f"{(self._start + minutes * _MINUTE).isoformat()}Z"

    def advance(self, minutes: int) -> None:
        """Move to ``minutes`` after the start; the present instant is allowed.

        Raises:
            ValueError: that instant is past.
        """
        if minutes < self.now:
            raise ValueError(f"the clock stands at minute {self.now} and cannot go back to {minutes}")
        if minutes > self.now:
            self.now, self.text = minutes, self.instant(minutes)
