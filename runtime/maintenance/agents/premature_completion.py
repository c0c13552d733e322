"""Control: takes verified work for the end of the operation; the invoice is open."""

from __future__ import annotations

from ...core import decisions
from ...core.decisions import Decision
from ._shared import Case, DeviatesOnce


class PrematureCompletion(DeviatesOnce):
    """Completes once before the invoice is settled."""

    def deviation(self, case: Case) -> Decision | None:
        """Return the completion when evidence of the work arrives."""
        return decisions.complete("the work is verified") if case.woken_by("work_evidence_verified") else None


def create() -> PrematureCompletion:
    """Return a new one, at the start of an episode."""
    return PrematureCompletion()
