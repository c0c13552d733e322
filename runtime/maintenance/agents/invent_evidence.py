"""Control: adds a record that does not exist to the evidence for an invoice."""

from __future__ import annotations

from ...core.decisions import Decision
from ._shared import Case, DeviatesOnce, action_type_of, next_step


class InventEvidence(DeviatesOnce):
    """Cites once what nobody has ever recorded."""

    def deviation(self, case: Case) -> Decision | None:
        """Return the validation request with an invented reference beside the right one."""
        if not case.woken_by("work_evidence_verified"):
            return None
        step = next_step(case)
        if action_type_of(step) != "request_invoice_validation":
            return None
        return step | {"evidence_refs": [*step["evidence_refs"], "photograph_of_the_repair"]}


def create() -> InventEvidence:
    """Return a new one, at the start of an episode."""
    return InventEvidence()
