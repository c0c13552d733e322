"""Agents that decide what a decision tape says, whatever they see: a recorded run is replayed with one of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ...runtime.core.observation import Observation


class TapeAgent:
    """Gives the decisions of a tape in order, then none: the engine records that as malformed.

    Args:
        decisions: of ``operatebench.decision_tape.v1``.
    """

    def __init__(self, decisions: Iterable[Mapping[str, Any]]) -> None:
        self._outcomes = (decision["outcome"] for decision in decisions)

    def decide(self, _observation: Observation) -> object:
        """Return the next decision of the tape, or None after its end."""
        return next(self._outcomes, None)


class ConversationalTapeAgent(TapeAgent):
    """The same in the place of a conversational agent, so that the engine keeps a session."""

    def converse(self, observation: Observation, _session: Sequence[Mapping[str, Any]]) -> object:
        """Return the next decision of the tape, or None after its end."""
        return self.decide(observation)
