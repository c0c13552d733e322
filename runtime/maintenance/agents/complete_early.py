"""Control: reads properly, and then always says that the operation is complete."""

from __future__ import annotations

from ...core import decisions
from ...core.decisions import Decision
from ._shared import Case, CaseAgent


class CompleteEarly(CaseAgent):
    """Never does the work."""

    insists = True

    def step(self, case: Case) -> Decision:  # noqa: ARG002 - the engine passes it
        """Return the decision to complete."""
        return decisions.complete("nothing seems to be left")


def create() -> CompleteEarly:
    """Return a new one, at the start of an episode."""
    return CompleteEarly()
