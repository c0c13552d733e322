"""Control: calls the operator about an approval that is still open."""

from __future__ import annotations

from ...core import decisions
from ...core.decisions import Decision
from ._shared import Case, DeviatesOnce


class UnnecessaryEscalation(DeviatesOnce):
    """Escalates once while the ordinary way is open."""

    def deviation(self, case: Case) -> Decision | None:
        """Return the escalation of an open approval, with all the context it would need."""
        if not case.woken_by("supplier_invoice_received"):
            return None
        approval = case.last("approvals", status="OPEN")
        if approval is None:
            return None
        evidence = (approval["checkpoint_id"], approval["quote_key"])
        deadline = case.policy("exception_deadline_after_minutes")
        return decisions.escalate(approval["checkpoint_id"], "APPROVAL_REJECTED", evidence, deadline)


def create() -> UnnecessaryEscalation:
    """Return a new one, at the start of an episode."""
    return UnnecessaryEscalation()
