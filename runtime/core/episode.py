"""What running an episode gives: its outcome and its decision tape, and their wire forms (evidence contract, 2.3)."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, fields
from typing import Any

import orjson

from .plain import canonical


@dataclass(frozen=True, slots=True)
class EpisodeOutcome:
    """How an episode went.

    Attributes:
        status: a domain terminal, or one of the two halt words.
        terminal_outcome: the domain terminal, or null under a halt.
        replay_final: whether nothing in the operation could change any more.
        started_at: canonical instant.
        ended_at: the clock at the end.
        simulated_minutes: between the two.
        invocations: how often the agent was woken.
        final_state: plain JSON.
        final_state_digest_sha256: of its canonical bytes.
        trajectory: the rows, plain JSON objects.
        trajectory_digest_sha256: of the canonical bytes of the array of rows.
        events: what was delivered, in order: ten fields each.
    """

    status: str
    terminal_outcome: str | None
    replay_final: bool
    started_at: str
    ended_at: str
    simulated_minutes: int
    invocations: int
    final_state: dict[str, Any]
    final_state_digest_sha256: str
    trajectory: tuple[dict[str, Any], ...]
    trajectory_digest_sha256: str
    events: tuple[dict[str, Any], ...]

    def to_wire(self) -> dict[str, Any]:
        """Return ``operatebench.episode_outcome.v2`` as fresh plain JSON."""
        members = {field.name: getattr(self, field.name) for field in fields(self)}
        return _fresh({"schema": "operatebench.episode_outcome.v2", "schema_version": 2, **members})


@dataclass(frozen=True, slots=True)
class Episode:
    """One run of an operation.

    Attributes:
        outcome: how it went.
        decisions: the tape: ``{invocation_index, turn_index, observation_digest_sha256, outcome}`` for every call.
    """

    outcome: EpisodeOutcome
    decisions: tuple[dict[str, Any], ...]

    def tape(self) -> dict[str, Any]:
        """Return ``operatebench.decision_tape.v1`` as fresh plain JSON."""
        return _fresh(
            {
                "schema": "operatebench.decision_tape.v1",
                "schema_version": 1,
                "decisions": self.decisions,
                "decisions_digest_sha256": hashlib.sha256(canonical(self.decisions)).hexdigest(),
            }
        )


def _fresh(document: dict[str, Any]) -> dict[str, Any]:
    copy: dict[str, Any] = orjson.loads(canonical(document))
    return copy
