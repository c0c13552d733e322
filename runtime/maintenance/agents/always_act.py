"""Control: requests the same visit again and again."""

from __future__ import annotations

from ...core.decisions import Decision
from ._shared import Case, CaseAgent, request_visit


class AlwaysAct(CaseAgent):
    """Never waits."""

    insists = True

    def step(self, case: Case) -> Decision:
        """Return the decision to request a visit of the current cycle."""
        return request_visit(case, case.current_cycle or {})


def create() -> AlwaysAct:
    """Return a new one, at the start of an episode."""
    return AlwaysAct()
