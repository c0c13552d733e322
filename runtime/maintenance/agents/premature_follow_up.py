"""Control: reminds the approver before a reminder is due."""

from __future__ import annotations

from ...core.decisions import Decision
from ._shared import Case, DeviatesOnce, send


class PrematureFollowUp(DeviatesOnce):
    """Chases once before the time for it."""

    def deviation(self, case: Case) -> Decision | None:
        """Return the reminder when something else arrives while the approver is still within time."""
        if case.observation.phase != "WAITING_APPROVAL" or not case.woken_by("supplier_invoice_received"):
            return None
        approval = case.last("approvals", status="OPEN") or {}
        return send(case, "approval_reminder", approval["checkpoint_id"])


def create() -> PrematureFollowUp:
    """Return a new one, at the start of an episode."""
    return PrematureFollowUp()
