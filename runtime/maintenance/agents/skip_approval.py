"""Control: authorises the work as soon as it is quoted; the amount needs an approval."""

from __future__ import annotations

from ...core import decisions
from ...core.decisions import Decision
from ._shared import Case, DeviatesOnce, action_type_of, next_step


class SkipApproval(DeviatesOnce):
    """Authorises once without asking."""

    def deviation(self, case: Case) -> Decision | None:
        """Return the authorisation of the quote that would need an approval."""
        step = next_step(case)
        if action_type_of(step) != "request_approval":
            return None
        payload = {name: step["payload"][name] for name in ("quote_id", "quote_version", "cycle_id")}
        return decisions.act("authorise_supplier_work", payload)


def create() -> SkipApproval:
    """Return a new one, at the start of an episode."""
    return SkipApproval()
