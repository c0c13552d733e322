"""Control: asks the operator for an exception about an approval that does not exist."""

from __future__ import annotations

from ...core import decisions
from ...core.decisions import Decision
from ._shared import Case, CaseAgent


class AlwaysEscalate(CaseAgent):
    """Never decides anything itself."""

    insists = True

    def step(self, case: Case) -> Decision:
        """Return the decision to escalate."""
        deadline = case.policy("exception_deadline_after_minutes")
        return decisions.escalate("checkpoint_none", "APPROVAL_REJECTED", (), deadline)


def create() -> AlwaysEscalate:
    """Return a new one, at the start of an episode."""
    return AlwaysEscalate()
