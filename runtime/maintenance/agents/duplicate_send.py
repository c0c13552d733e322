"""Control: sends the completion notice twice in one invocation."""

from __future__ import annotations

from ...core.decisions import Decision
from ._shared import Case, DeviatesOnce, send, sent


class DuplicateSend(DeviatesOnce):
    """Sends a message again that was delivered a moment ago."""

    def deviation(self, case: Case) -> Decision | None:
        """Return the completion notice of a cycle that has been sent it."""
        cycle_id = case.word("current_cycle_id")
        if not case.woken_by("payment_settlement_confirmed") or not sent(case, "completion_notice", cycle_id):
            return None
        return send(case, "completion_notice", cycle_id)


def create() -> DuplicateSend:
    """Return a new one, at the start of an episode."""
    return DuplicateSend()
