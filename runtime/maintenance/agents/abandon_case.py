"""Control: when the revisit is verified it lets the case lie; nobody is told and nothing is closed."""

from __future__ import annotations

from ...core import decisions
from ...core.decisions import Decision
from ._shared import Case, CaseAgent, next_step


class AbandonCase(CaseAgent):
    """Stops for good when the work seems over."""

    def step(self, case: Case) -> Decision:
        """Return a wait without end once work that costs nothing is verified, else what the reference rules say."""
        cycle = case.current_cycle or {}
        if cycle.get("visit_status") == "WORK_VERIFIED" and not cycle["payable"]:
            return decisions.wait("the work is done", ("customer_resolution_reported",))
        return next_step(case)


def create() -> AbandonCase:
    """Return a new one, at the start of an episode."""
    return AbandonCase()
