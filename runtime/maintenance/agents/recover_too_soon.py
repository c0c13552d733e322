"""Control: makes its handover notice good on another channel while the first is still trying."""

from __future__ import annotations

from ...core.decisions import Decision
from ._shared import Case, DeviatesOnce, recover


class RecoverTooSoon(DeviatesOnce):
    """Takes a message on its way for a failed one, once."""

    def deviation(self, case: Case) -> Decision | None:
        """Return the recovery of a notice whose first attempt failed and whose next is due."""
        if not case.woken_by("operator_exception_resolved"):
            return None
        pending = case.last("communications", dispatch_status="PENDING")
        return recover(case, "handover_notice", pending, case.channels[-1]) if pending else None


def create() -> RecoverTooSoon:
    """Return a new one, at the start of an episode."""
    return RecoverTooSoon()
