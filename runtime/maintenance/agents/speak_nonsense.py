"""Control: answers once with something that is no decision."""

from __future__ import annotations

from ...core.decisions import Decision
from ...core.observation import Observation
from ._shared import CaseAgent


class SpeakNonsense(CaseAgent):
    """Returns one malformed decision."""

    def __init__(self) -> None:
        self._spoken = False

    def decide(self, observation: Observation) -> Decision:
        """Return no decision at the first look, else what the reference rules say."""
        if not self._spoken:
            self._spoken = True
            return {"kind": "PONDER"}
        return super().decide(observation)


def create() -> SpeakNonsense:
    """Return a new one, at the start of an episode."""
    return SpeakNonsense()
