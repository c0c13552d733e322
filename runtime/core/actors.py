"""The outside world as scripted: each actor answers causes with the conditional events its author gave it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from types import NoneType
from typing import Any

from .plain import frozen_copy
from .protocol import Event, ExternalActor, PlannedEvent, Scalar
from .run import Run
from .vocabulary import Provenance

_Values = tuple[tuple[type, Scalar], ...]
_SCALARS = (str, int, NoneType)


class ScriptedActor:
    """An external actor whose every reaction is authored and one-shot.

    Reactions to one cause are found by their correlation values, so a cause costs what it brings about and no more.
    """

    __slots__ = ("_waiting", "actor_id")

    def __init__(self, actor_id: str, reactions: Iterable[PlannedEvent]) -> None:
        self.actor_id = actor_id
        # (kind, type) of the cause -> correlated fields -> their values -> what then happens
        self._waiting: dict[tuple[str, str], dict[tuple[str, ...], dict[_Values, list[PlannedEvent]]]] = {}
        for planned in reactions:
            trigger = planned.trigger
            assert trigger is not None
            fields = tuple(sorted(trigger.correlation))
            by_fields = self._waiting.setdefault((trigger.kind, trigger.type_name), {})
            by_values = by_fields.setdefault(fields, {})
            by_values.setdefault(_values(trigger.correlation, fields), []).append(planned)

    def react(self, kind: str, type_name: str, facts: Mapping[str, Scalar]) -> Sequence[PlannedEvent]:
        """Return the events this cause brings about, and forget them."""
        found: list[PlannedEvent] = []
        for fields, by_values in self._waiting.get((kind, type_name), {}).items():
            if facts.keys() >= set(fields):
                found += by_values.pop(_values(facts, fields), ())
        return found


def _values(facts: Mapping[str, Scalar], fields: tuple[str, ...]) -> _Values:
    """Return the values of ``fields`` with their types, since true equals 1 and is another fact."""
    return tuple((type(facts[field]), facts[field]) for field in fields)


class Outside:
    """Everybody outside, and what they send to the queue."""

    __slots__ = ("_actors", "_run")

    def __init__(self, run: Run) -> None:
        """Queue the events that have an instant, and give the others to their actors."""
        self._run = run
        reactions: dict[str, list[PlannedEvent]] = defaultdict(list)
        for planned in run.plan.events:
            if planned.at is None:
                reactions[planned.actor_id].append(planned)
            else:
                self._queue(planned, planned.at, Provenance.AUTHORED, None, {})
        self._actors: list[ExternalActor] = [ScriptedActor(*script) for script in reactions.items()]

    def react(
        self,
        kind: str,
        type_name: str,
        payload: Mapping[str, Any],
        bindings: Mapping[str, str],
        cycle_id: str | None,
    ) -> None:
        """Let every actor react to a cause.

        Args:
            kind: ``"action"`` or ``"event"``.
            type_name: which action or event type.
            payload: of the cause.
            bindings: ids the cause allocated; they overwrite payload fields the author of a reaction wrote.
            cycle_id: the cycle the cause belongs to, if any.
        """
        facts: dict[str, Scalar] = {name: value for name, value in payload.items() if isinstance(value, _SCALARS)}
        facts.update(bindings)
        if cycle_id is not None:
            facts["cycle_id"] = cycle_id
        for actor in self._actors:
            for planned in actor.react(kind, type_name, facts):
                at = self._run.clock.now + planned.delay_minutes
                self._queue(planned, at, Provenance.CONDITIONAL, f"{kind}:{type_name}", bindings)

    def _queue(
        self, planned: PlannedEvent, at: int, provenance: Provenance, caused_by: str | None, bindings: Mapping[str, str]
    ) -> None:
        payload = {name: bindings.get(name, value) for name, value in planned.payload.items()}
        self._run.queue.schedule(
            Event(
                event_id=planned.event_id,
                event_type=planned.event_type,
                actor_id=planned.actor_id,
                at=at,
                sequence=planned.sequence,
                payload=frozen_copy(payload),
                triggers_agent=planned.triggers_agent,
                provenance=provenance,
                caused_by=caused_by,
                surface_fixture_id=planned.surface_fixture_id,
            )
        )
