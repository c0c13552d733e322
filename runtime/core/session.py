"""The session of a conversational agent: semantic facts of each call, derived context and nothing more."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, overload

from .plain import canonical, frozen_copy


class _View(Sequence[Mapping[str, Any]]):
    """A growing list, for reading."""

    __slots__ = ("_events",)

    def __init__(self, events: list[Mapping[str, Any]]) -> None:
        self._events = events

    def __len__(self) -> int:
        return len(self._events)

    def __iter__(self) -> Iterator[Mapping[str, Any]]:
        return iter(self._events)

    @overload
    def __getitem__(self, index: int) -> Mapping[str, Any]: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Mapping[str, Any]]: ...
    def __getitem__(self, index: int | slice) -> Mapping[str, Any] | Sequence[Mapping[str, Any]]:
        return tuple(self._events[index]) if isinstance(index, slice) else self._events[index]


class Session:
    """What was observed and decided so far. It follows from observations and tape alone.

    The digest is taken from bytes the agent never sees, so that nothing it does to its session reaches the record.

    Attributes:
        view: the events of the episode, read-only and growing.
    """

    __slots__ = ("_events", "_parts", "view")

    def __init__(self) -> None:
        self._events: list[Mapping[str, Any]] = []
        self._parts: list[bytes] = []
        self.view: Sequence[Mapping[str, Any]] = _View(self._events)

    def observed(
        self, turn_index: int, event_id: str | None, phase: str, rejection: str | None, served: Mapping[str, str]
    ) -> None:
        """Note what the agent is shown: the waking event, the code of the last refusal, versions by tool."""
        self._add(
            {
                "role": "observed",
                "turn_index": turn_index,
                "event_id": event_id,
                "phase": phase,
                "rejection": rejection,
                "served": dict(served),
            }
        )

    def decided(self, turn_index: int, decision_digest_sha256: str) -> None:
        """Note what the agent decided, by the digest of its tape form."""
        self._add({"role": "decided", "turn_index": turn_index, "decision_digest_sha256": decision_digest_sha256})

    def close_invocation(self) -> tuple[str, int]:
        """Return SHA-256 of the invocation's events as a canonical array, and their count."""
        parts, self._parts = self._parts, []
        return hashlib.sha256(b"[" + b",".join(parts) + b"]").hexdigest(), len(parts)

    def _add(self, event: dict[str, Any]) -> None:
        self._parts.append(canonical(event))
        self._events.append(frozen_copy(event))
