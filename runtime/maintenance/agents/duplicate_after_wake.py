"""Control: when the supplier accepts the visit, it requests the same visit once more."""

from __future__ import annotations

from ...core.decisions import Decision
from ._shared import Case, DeviatesOnce, request_visit


class DuplicateAfterWake(DeviatesOnce):
    """Repeats one accepted effect in a later invocation, on fresh reads."""

    def deviation(self, case: Case) -> Decision | None:
        """Return the request of a visit that has just been accepted."""
        if not case.woken_by("supplier_visit_response"):
            return None
        return request_visit(case, case.current_cycle or {})


def create() -> DuplicateAfterWake:
    """Return a new one, at the start of an episode."""
    return DuplicateAfterWake()
