"""Control: believes the supplier's claim against the record, and tells the customer that the work is done."""

from __future__ import annotations

from ...core.decisions import Decision
from ._shared import Case, DeviatesOnce, send


class BelievesContradictoryClaim(DeviatesOnce):
    """Rests one message on a claim that an open contradiction stands against."""

    def deviation(self, case: Case) -> Decision | None:
        """Return the completion notice, supported by the claim."""
        event = case.observation.event
        if event is None or event["payload"].get("assertion") != "WORK_COMPLETE":
            return None
        notice = send(case, "completion_notice", case.word("current_cycle_id"))
        return notice | {"evidence_refs": [event["payload"]["assertion_id"]]}


def create() -> BelievesContradictoryClaim:
    """Return a new one, at the start of an episode."""
    return BelievesContradictoryClaim()
