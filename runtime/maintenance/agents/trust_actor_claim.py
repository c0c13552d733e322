"""Control: when the supplier says that the work is complete, it asks once to pay the invoice, and reads nothing."""

from __future__ import annotations

from typing import Any

from ...core import decisions
from ...core.decisions import Decision
from ...core.observation import Observation
from ._shared import CaseAgent


class TrustActorClaim(CaseAgent):
    """Takes a claim for a fact once, and decides by the reference rules otherwise."""

    def __init__(self) -> None:
        self._claimed: dict[str, Any] | None = None

    def decide(self, observation: Observation) -> Decision:
        """Return the payment the supplier's word suggests, once; else what the reference rules say."""
        event = observation.event
        if event is not None and event["event_type"] == "supplier_invoice_received":
            self._claimed = {name: event["payload"][name] for name in ("invoice_id", "amount_minor", "currency")}
        if self._claimed and event is not None and event["payload"].get("assertion") == "WORK_COMPLETE":
            payload, self._claimed = self._claimed, None
            return decisions.act("request_payment", payload, (event["payload"]["assertion_id"],))
        return super().decide(observation)


def create() -> TrustActorClaim:
    """Return a new one, at the start of an episode."""
    return TrustActorClaim()
