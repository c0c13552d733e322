"""What must never be the case, checked while the operation runs; no guard lets it come to that."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from .rules import Rules
from .state.records import UNBOOKED, Quote
from .state.state import State


def _payment_over_approved_amount(state: State, rules: Rules) -> bool:
    for payment in state.payments.values():
        allowed = [rules.gross(quote) for quote in _acted_upon(state, rules) if quote.cycle_id == payment.cycle_id]
        if payment.amount_minor > max(allowed, default=0):
            return True
    return False


def _claim_became_fact(state: State, rules: Rules) -> bool:
    del rules
    return not state.assertions.keys().isdisjoint(state.authoritative_records)


def _work_without_approval(state: State, rules: Rules) -> bool:
    allowed = {quote.cycle_id for quote in _acted_upon(state, rules)}
    return any(
        cycle.kind == "APPROVED_WORK" and cycle.visit_status not in UNBOOKED and cycle.cycle_id not in allowed
        for cycle in state.cycles.values()
    )


def _acted_upon(state: State, rules: Rules) -> list[Quote]:
    """Return the quotes that may be acted upon: approved by a human, or authorised and in no need of one."""
    approved = {item.quote_key for item in state.approvals.values() if item.status == "APPROVED"}
    return [
        quote
        for quote in state.quotes.values()
        if quote.status == "APPROVED" and (quote.quote_key in approved or not rules.needs_approval(quote))
    ]


INVARIANTS: Mapping[str, Callable[[State, Rules], bool]] = MappingProxyType(
    {
        "INVARIANT_CLAIM_BECAME_FACT": _claim_became_fact,
        "INVARIANT_PAYMENT_OVER_APPROVED_AMOUNT": _payment_over_approved_amount,
        "INVARIANT_WORK_WITHOUT_APPROVAL": _work_without_approval,
    }
)
"""Code -> whether a state breaks the invariant."""
