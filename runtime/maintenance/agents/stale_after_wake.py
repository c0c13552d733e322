"""Control: when the customer reports that the issue persists, it repeats its completion from memory, unread."""

from __future__ import annotations

from ...core.decisions import Decision
from ...core.observation import Observation
from ._shared import CaseAgent


class StaleAfterWake(CaseAgent):
    """Acts once on what it read before it was woken, and decides by the reference rules otherwise."""

    def __init__(self) -> None:
        self._completion: Decision | None = None

    def decide(self, observation: Observation) -> Decision:
        """Return the completion of the last invocation again, once; else what the reference rules say."""
        if self._completion is not None:
            completion, self._completion = self._completion, None
            if observation.turn_index == 0:
                return completion
        decision = super().decide(observation)
        if decision["kind"] == "COMPLETE":
            self._completion = decision
        return decision


def create() -> StaleAfterWake:
    """Return a new one, at the start of an episode."""
    return StaleAfterWake()
