"""Control: escalates when it should, but hands the operator nothing to decide on."""

from __future__ import annotations

from ...core.decisions import Decision
from ._shared import Case, DeviatesOnce, next_step


class EscalateWithoutContext(DeviatesOnce):
    """Leaves out once what its escalation rests on."""

    def deviation(self, case: Case) -> Decision | None:
        """Return the escalation that is due without its evidence."""
        step = next_step(case)
        return step | {"evidence_refs": []} if step["kind"] == "ESCALATE" else None


def create() -> EscalateWithoutContext:
    """Return a new one, at the start of an episode."""
    return EscalateWithoutContext()
