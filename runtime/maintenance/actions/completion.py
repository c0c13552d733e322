"""Completing the operation: nothing may be open, and what was done must hold."""

from __future__ import annotations

from ...core.protocol import Effect, Environment, Proposal
from ..closing import close_provisionally, finish
from ..refusals import found, require
from ..rules import Rules
from ..state.records import UNDER_WAY, Cycle, Handover
from ..state.state import State


def judge_completion(state: State, proposal: Proposal, rules: Rules) -> tuple[str, ...]:
    """Grant the end of an operation that nothing is left of.

    Refusals, in order:
        * ``ALREADY_PROVISIONALLY_CLOSED``
        * ``OPEN_CHECKPOINT``: an approval or exception
        * ``OPEN_OBLIGATION``
        * ``REQUIRED_WAKE_PENDING``: a message is under way
        * after the operator took over or cancelled: those of :func:`_require_handed_over`
        * otherwise: those of :func:`_require_nothing_open`, then those of :func:`_require_complete`
    """
    del rules
    require(state.provisional_close is None, "ALREADY_PROVISIONALLY_CLOSED")
    require(all(item.status != "OPEN" for item in state.approvals.values()), "OPEN_CHECKPOINT")
    require(all(item.status != "OPEN" for item in state.exceptions.values()), "OPEN_CHECKPOINT")
    require(all(item.status != "OPEN" for item in state.obligations.values()), "OPEN_OBLIGATION")
    require(all(item.dispatch_status != "PENDING" for item in state.communications.values()), "REQUIRED_WAKE_PENDING")
    if state.handover is not None:
        return _require_handed_over(state, state.handover)
    _require_nothing_open(state)
    return _require_complete(state, proposal)


def commit_completion(state: State, proposal: Proposal, rules: Rules, environment: Environment) -> Effect:
    """End the operation for good if the operator has it or cancelled it, else close it provisionally."""
    del proposal
    handover = state.handover
    if handover is not None:
        outcome = "transferred_to_human_ownership" if state.ownership else "cancelled_by_operator"
        finish(state, environment, outcome, handover.cycle_id, handover.actor_id)
        return Effect("TRANSFERRED" if state.ownership else "CANCELLED", cycle_id=handover.cycle_id)
    cycle = state.cycles[str(state.current_cycle_id)]
    close_provisionally(state, rules, environment, cycle)
    visit_id = str(cycle.visit_id)
    return Effect(
        "PROVISIONALLY_CLOSED",
        cycle_id=cycle.cycle_id,
        bindings={"visit_id": visit_id, "related_visit_id": visit_id},
    )


def _require_handed_over(state: State, handover: Handover) -> tuple[str, ...]:
    """Require that a human can take it from here.

    Refusals, in order:
        * ``HANDOVER_NOTICE_NOT_SENT``: delivered, that is
        * ``PAYMENT_MUTATED_BEFORE_HANDOVER``: a payment is requested and not settled
    """
    require(_was_told(state, "handover_notice", handover.cycle_id), "HANDOVER_NOTICE_NOT_SENT")
    require(all(item.status == "SETTLED" for item in state.payments.values()), "PAYMENT_MUTATED_BEFORE_HANDOVER")
    return (handover.checkpoint_id,)


def _require_nothing_open(state: State) -> None:
    """Require that nothing waits for the agent or for somebody outside.

    Refusals, in order:
        * ``OPEN_FURTHER_WORK``: reported, and neither quoted nor verified since
        * ``OPEN_QUOTE_DECISION``: a quote neither decided on nor superseded
        * ``OPEN_INVOICE_REVIEW``: a payable cycle has an invoice that was not sent to validation
        * ``OPEN_CONTRADICTION``
        * ``REQUIRED_WAKE_PENDING``: a validation, settlement, correction or visit is awaited
    """
    cycles = state.cycles
    require(not any(cycle.further_work_open for cycle in cycles.values()), "OPEN_FURTHER_WORK")
    require(all(item.status != "RECEIVED" for item in state.quotes.values()), "OPEN_QUOTE_DECISION")
    require(
        all(item.status != "RECEIVED" or not cycles[item.cycle_id].payable for item in state.invoices.values()),
        "OPEN_INVOICE_REVIEW",
    )
    require(all(item.status != "OPEN" for item in state.contradictions.values()), "OPEN_CONTRADICTION")
    require(
        all(item.status != "VALIDATION_REQUESTED" for item in state.invoices.values())
        and all(item.status != "REQUESTED" for item in state.payments.values())
        and all(item.status != "OPEN" for item in state.corrections)
        and all(cycle.visit_status not in UNDER_WAY for cycle in cycles.values()),
        "REQUIRED_WAKE_PENDING",
    )


def _require_complete(state: State, proposal: Proposal) -> tuple[str, ...]:
    """Require that the work is done, paid for and announced, and that the customer does not say otherwise.

    Refusals, in order:
        * ``NO_CURRENT_CYCLE``
        * ``STALE_WORK_CYCLE``: a cycle is named and is not the current one
        * ``WORK_NOT_VERIFIED``: of the current cycle, or of one with an approved quote that nothing followed
        * ``INVOICE_MISSING``: a payable cycle with verified work has none
        * ``INVOICE_NOT_VALIDATED``: one of its invoices, those superseded apart
        * ``PAYMENT_NOT_SETTLED``
        * ``CUSTOMER_REPORTS_PERSISTENCE``
        * ``COMPLETION_NOTICE_NOT_SENT``: delivered, that is
    """
    current = found(state.cycles.get(state.current_cycle_id or ""), "NO_CURRENT_CYCLE")
    require(proposal.payload.get("cycle_id", current.cycle_id) == current.cycle_id, "STALE_WORK_CYCLE")
    approved = {quote.cycle_id for quote in state.quotes.values() if quote.status == "APPROVED"}
    require(
        current.visit_status == "WORK_VERIFIED"
        and all(state.is_borne_out(state.cycles[cycle_id]) for cycle_id in approved),
        "WORK_NOT_VERIFIED",
    )
    basis = {str(current.work_evidence_id)}
    for cycle in state.cycles.values():
        if cycle.payable and cycle.visit_status == "WORK_VERIFIED":
            basis |= _require_paid(state, cycle)
    require(state.customer_resolution != "PERSISTS", "CUSTOMER_REPORTS_PERSISTENCE")
    require(_was_told(state, "completion_notice", current.cycle_id), "COMPLETION_NOTICE_NOT_SENT")
    return tuple(basis)


def _require_paid(state: State, cycle: Cycle) -> set[str]:
    invoices = [
        item for item in state.invoices.values() if item.cycle_id == cycle.cycle_id and item.status != "SUPERSEDED"
    ]
    require(bool(invoices), "INVOICE_MISSING")
    require(all(item.status == "VALIDATED" for item in invoices), "INVOICE_NOT_VALIDATED")
    settlements = {item.settlement_id for item in state.payments.values() if item.cycle_id == cycle.cycle_id}
    require(bool(settlements), "PAYMENT_NOT_SETTLED")
    return {settlement_id for settlement_id in settlements if settlement_id is not None}


def _was_told(state: State, purpose: str, cycle_id: str) -> bool:
    # Neither notice can be sent before there is something to announce, nor to anybody but the reporter.
    return any(
        item.purpose == purpose and item.correlation_id == cycle_id and item.dispatch_status == "DELIVERED"
        for item in state.communications.values()
    )
