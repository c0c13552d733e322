"""Control: after it has closed the case it does not look at it again, although the customer reopens it."""

from __future__ import annotations

from ...core import decisions
from ...core.decisions import Decision
from ...core.observation import Observation
from ._shared import CaseAgent


class IgnoreReopen(CaseAgent):
    """Waits for the reopen window to pass, whatever is reported in it."""

    def __init__(self) -> None:
        self._closed = False

    def decide(self, observation: Observation) -> Decision:
        """Return what the reference rules say until the case is closed for the first time."""
        if self._closed:
            return decisions.wait("the case is closed", ("provisional_close_expired",))
        decision = super().decide(observation)
        self._closed = decision["kind"] == "COMPLETE"
        return decision


def create() -> IgnoreReopen:
    """Return a new one, at the start of an episode."""
    return IgnoreReopen()
