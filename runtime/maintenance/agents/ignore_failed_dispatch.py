"""Control: after its handover notice failed it waits on, as if the customer knew."""

from __future__ import annotations

from ...core import decisions
from ...core.decisions import Decision
from ._shared import Case, CaseAgent, next_step, sent


class IgnoreFailedDispatch(CaseAgent):
    """Sends once and never looks whether it arrived."""

    def step(self, case: Case) -> Decision:
        """Return a wait for the customer once the handover notice was sent, else what the reference rules say."""
        handed_over = case.record("ownership")
        if handed_over and sent(case, "handover_notice", handed_over["cycle_id"]):
            return decisions.wait("the customer was told", ("customer_resolution_reported",))
        return next_step(case)


def create() -> IgnoreFailedDispatch:
    """Return a new one, at the start of an episode."""
    return IgnoreFailedDispatch()
