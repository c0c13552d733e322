"""The event queue: a heap with one total order, in which an event id is used once."""

from __future__ import annotations

from heapq import heappop, heappush

from .protocol import Event

FIRST_ARMED = 1_000_001
"""Sequence of the first timer. Authored events count from 0, so at one instant they come before every timer."""


class EventQueue:
    """Pending events in the order (instant, sequence, event id)."""

    __slots__ = ("_armed", "_heap", "_pending", "_used")

    def __init__(self) -> None:
        self._heap: list[tuple[int, int, str]] = []
        self._pending: dict[str, Event] = {}
        self._used: set[str] = set()
        self._armed = FIRST_ARMED

    def __len__(self) -> int:
        return len(self._pending)

    def next_sequence(self) -> int:
        """Return the sequence of the timer or retry that is armed now; each is given out once."""
        self._armed += 1
        return self._armed - 1

    def schedule(self, event: Event) -> None:
        """Add an event.

        Raises:
            ValueError: its id was used before, by a delivered or cancelled event perhaps.
        """
        if event.event_id in self._used:
            raise ValueError(f"event id {event.event_id!r} is used twice")
        self._used.add(event.event_id)
        self._pending[event.event_id] = event
        heappush(self._heap, (event.at, event.sequence, event.event_id))

    def cancel(self, event_id: str) -> bool:
        """Drop a pending event and tell whether there was one. Its id stays used."""
        return self._pending.pop(event_id, None) is not None

    def next_at(self) -> int | None:
        """Return the instant of the next event, or null when none is pending."""
        while self._heap and self._heap[0][2] not in self._pending:
            heappop(self._heap)
        return self._heap[0][0] if self._heap else None

    def pop(self) -> Event:
        """Remove and return the next event.

        Raises:
            IndexError: none is pending.
        """
        self.next_at()
        return self._pending.pop(heappop(self._heap)[2])
