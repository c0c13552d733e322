"""The conversational reference: it is given the session, and decides by the record all the same."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...core.decisions import Decision
from ...core.observation import Observation
from ._shared import CaseAgent


class Conversational(CaseAgent):
    """Decides by the reference rules. No fact may rest on a session, so nothing is taken from it."""

    def converse(self, observation: Observation, session: Sequence[Mapping[str, Any]]) -> Decision:  # noqa: ARG002 - the engine passes it
        """Return what the reference would decide, whatever the session says."""
        return self.decide(observation)


def create() -> Conversational:
    """Return a new one, at the start of an episode."""
    return Conversational()
