"""What an agent sees: an allow-list of fourteen fields, read-only, and the digest of all of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from .plain import thaw


@dataclass(frozen=True, slots=True)
class Observation:
    """One look at the operation. Values are read-only mappings and tuples; nothing leads from here to the state.

    Attributes:
        operation_instance_id: derived, opaque.
        operation_id: the operation; variant, scenario and expected terminal are withheld.
        now: canonical instant.
        invocation_index: from 1.
        turn_index: from 0; counts every call of the invocation, reads included.
        phase: one coarse word.
        policy: the rules the agent is told.
        actors: actor id -> role.
        message_fixture_ids: sorted.
        action_schemas: action -> what it takes, reads and cites.
        wake_event_types: sorted; what can be waited for.
        last_rejection: ``{action_type, code, detail}`` of the last refusal in this invocation, or null.
        event: the waking event ``{event_id, event_type, actor_id, payload, authority, is_authoritative, surface}``, or
            null after a fallback; ``surface`` is ``{fixture_id, text}`` or null.
        retrieval: ``{catalogue, served, batch_budget_remaining, max_requests_per_batch}``; ``served`` is tool ->
            ``{source, authority, schema_id, record_id, record_version, as_of, records}``.
    """

    operation_instance_id: str
    operation_id: str
    now: str
    invocation_index: int
    turn_index: int
    phase: str
    policy: Mapping[str, Any]
    actors: Mapping[str, str]
    message_fixture_ids: Sequence[str]
    action_schemas: Mapping[str, Any]
    wake_event_types: Sequence[str]
    last_rejection: Mapping[str, Any] | None
    event: Mapping[str, Any] | None
    retrieval: Mapping[str, Any]

    def to_wire(self) -> dict[str, Any]:
        """Return the fourteen fields as fresh plain JSON; the observation's digest is over its canonical bytes."""
        return {field.name: thaw(getattr(self, field.name)) for field in fields(self)}
