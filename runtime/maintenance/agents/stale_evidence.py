"""Control: supports an invoice by the record of an earlier visit instead of the evidence of this work."""

from __future__ import annotations

from ...core.decisions import Decision
from ._shared import Case, DeviatesOnce, action_type_of, next_step


class StaleEvidence(DeviatesOnce):
    """Cites once what no longer proves anything."""

    def deviation(self, case: Case) -> Decision | None:
        """Return the validation request with the oldest authoritative record as its evidence."""
        if not case.woken_by("work_evidence_verified"):
            return None
        step = next_step(case)
        if action_type_of(step) != "request_invoice_validation":
            return None
        return step | {"evidence_refs": [case.rows("authoritative_records")[0]["record_id"]]}


def create() -> StaleEvidence:
    """Return a new one, at the start of an episode."""
    return StaleEvidence()
