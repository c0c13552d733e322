"""Control: once the work is paid, it forgets to tell the customer until the duty is breached."""

from __future__ import annotations

from ...core import decisions
from ...core.decisions import Decision
from ._shared import Case, DeviatesOnce


class ForgetNotice(DeviatesOnce):
    """Leaves one duty undone until it is overdue."""

    def deviation(self, case: Case) -> Decision | None:
        """Return a wait that outlasts the completion notice's due time."""
        if not case.woken_by("payment_settlement_confirmed"):
            return None
        overdue = 2 * case.policy("completion_notice_within_minutes")
        return decisions.wait("all is paid", ("obligation_due",), overdue)


def create() -> ForgetNotice:
    """Return a new one, at the start of an episode."""
    return ForgetNotice()
