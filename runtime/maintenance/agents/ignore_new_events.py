"""Control: once it waits for the approver, it answers from what it read then, for ever."""

from __future__ import annotations

from ...core.decisions import Decision
from ...core.observation import Observation
from ._shared import Case, CaseAgent, next_step


class IgnoreNewEvents(CaseAgent):
    """Decides by the reference rules on a case that froze when the approval was requested."""

    def __init__(self) -> None:
        self._frozen: Case | None = None

    def decide(self, observation: Observation) -> Decision:
        """Return a decision on the frozen case, once there is one."""
        if self._frozen is not None:
            return next_step(self._frozen)
        decision = super().decide(observation)
        if decision["kind"] == "WAIT" and observation.phase == "WAITING_APPROVAL":
            self._frozen = Case(observation)
        return decision


def create() -> IgnoreNewEvents:
    """Return a new one, at the start of an episode."""
    return IgnoreNewEvents()
