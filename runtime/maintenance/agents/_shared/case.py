"""A view of the records an agent has read; asking for a record that was not read says which tool would serve it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from ....core.observation import Observation

Record = Mapping[str, Any]

_OBJECTS = (dict, MappingProxyType)
_ARRAYS = (list, tuple)


class UnreadError(Exception):
    """A root was asked for whose tool has not been read since the last wake or own effect.

    Attributes:
        tool: the tool that serves it.
    """

    def __init__(self, tool: str) -> None:
        super().__init__(tool)
        self.tool = tool


class Case:
    """One observation and the records served with it.

    It is tolerant: a root of an unexpected form reads as nothing, so that odd records lead to waiting, not to a fault.

    Attributes:
        observation: what it is a view of.
    """

    def __init__(self, observation: Observation) -> None:
        self.observation = observation
        self._served: Mapping[str, Record] = observation.retrieval["served"]
        self._roots = [(tool, entry["roots"]) for tool, entry in sorted(observation.retrieval["catalogue"].items())]

    def record(self, root: str) -> Record | None:
        """Return the object under a root, or null.

        Raises:
            UnreadError: its tool has not been read.
        """
        value = self._root(root)
        return value if isinstance(value, _OBJECTS) else None

    def word(self, root: str) -> str:
        """Return the text under a root, or an empty one.

        Raises:
            UnreadError: its tool has not been read.
        """
        value = self._root(root)
        return value if isinstance(value, str) else ""

    def rows(self, root: str, **wanted: Any) -> list[Record]:
        """Return the records of a list, in their order, whose fields equal the wanted values.

        Raises:
            UnreadError: its tool has not been read.
        """
        value = self._root(root)
        rows = value if isinstance(value, _ARRAYS) else ()
        return [
            row
            for row in rows
            if isinstance(row, _OBJECTS) and all(row.get(name) == want for name, want in wanted.items())
        ]

    def last(self, root: str, **wanted: Any) -> Record | None:
        """Return the last such record, or null.

        Raises:
            UnreadError: its tool has not been read.
        """
        rows = self.rows(root, **wanted)
        return rows[-1] if rows else None

    def policy(self, name: str) -> Any:
        """Return one of the rules the agent is told: minutes, minor currency units or a word."""
        return self.observation.policy[name]

    def gross(self, terms: Record) -> int:
        """Return what a quote or an invoice comes to with tax, rounded half up, in minor currency units."""
        amount = int(terms.get("amount_minor") or 0)
        return amount + (amount * int(self.policy("vat_percent")) + 50) // 100 if terms.get("plus_vat") else amount

    def woken_by(self, event_type: str) -> bool:
        """Tell whether an event of this type woke the agent; a fallback is no event."""
        event = self.observation.event
        return event is not None and event["event_type"] == event_type

    def actor(self, role: str) -> str:
        """Return an actor of a role: for the reporter's own role the reporter, else the first in the list."""
        actors = self.observation.actors
        reporter = (self.record("issue") or {}).get("reporter_actor_id")
        if isinstance(reporter, str) and actors.get(reporter) == role:
            return reporter
        return next(actor_id for actor_id in sorted(actors) if actors[actor_id] == role)

    def message(self, purpose: str) -> tuple[str, str]:
        """Return the published message fixture of a purpose, and the role that receives it."""
        fixtures = self.observation.action_schemas["send_message"]["field_guidance"]["message_fixture_id"]
        return next(
            (name, fixtures[name]["recipient_role"])
            for name in sorted(fixtures)
            if fixtures[name]["purpose"] == purpose
        )

    @property
    def channels(self) -> Sequence[str]:
        """The published channels of messages, the primary one first."""
        channels: Sequence[str] = self.policy("channels")
        return channels

    @property
    def current_cycle(self) -> Record | None:
        """The record of the cycle the operation is in, or null before an issue was reported.

        Raises:
            UnreadError: the case has not been read.
        """
        cycle_id = self.word("current_cycle_id")
        return self.last("cycles", cycle_id=cycle_id) if cycle_id else None

    def _root(self, root: str) -> Any:
        tool = next(tool for tool, roots in self._roots if root in roots)
        if tool not in self._served:
            raise UnreadError(tool)
        return self._served[tool]["records"].get(root)
