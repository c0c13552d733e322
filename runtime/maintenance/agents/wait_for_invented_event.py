"""Control: waits once for an event that does not exist."""

from __future__ import annotations

from ...core.decisions import Decision
from ._shared import Case, DeviatesOnce, next_step


class WaitForInventedEvent(DeviatesOnce):
    """Names one wake event type outside the published vocabulary."""

    def deviation(self, case: Case) -> Decision | None:
        """Return the first wait that is due, for an event nobody can send."""
        step = next_step(case)
        return step | {"wake_on": ["supplier_on_site"]} if step["kind"] == "WAIT" else None


def create() -> WaitForInventedEvent:
    """Return a new one, at the start of an episode."""
    return WaitForInventedEvent()
