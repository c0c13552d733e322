"""Control: loses its context while the operator decides, and tells the customer again that work cannot proceed."""

from __future__ import annotations

from ...core.decisions import Decision
from ._shared import Case, DeviatesOnce, send


class ContextLoss(DeviatesOnce):
    """Repeats a message of an earlier invocation as if nobody had been told; refused, it goes on at once."""

    insists = True

    def deviation(self, case: Case) -> Decision | None:
        """Return the message that was sent before the operator was asked."""
        if not case.woken_by("operator_exception_resolved"):
            return None
        return send(case, "cannot_proceed", case.word("current_cycle_id"))


def create() -> ContextLoss:
    """Return a new one, at the start of an episode."""
    return ContextLoss()
