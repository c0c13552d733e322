"""Completing the operation: nothing may be open, and what was done must hold."""

from __future__ import annotations

from ...core.protocol import Effect, Environment, Proposal
from ..closing import close_provisionally, finish, what_is_open
from ..refusals import found, refuse_if, require
from ..rules import Rules
from ..state.records import Cycle, Handover
from ..state.state import State


def judge_completion(state: State, proposal: Proposal, rules: Rules) -> tuple[str, ...]:
    """Grant the end of an operation that nothing is left of.

    Refusals, in order:
        * those of :func:`..closing.what_is_open`
        * after the operator took over or cancelled: those of :func:`_require_handed_over`
        * otherwise: those of :func:`_require_complete`
    """
    del proposal, rules
    refuse_if(what_is_open(state))
    return _require_complete(state) if state.handover is None else _require_handed_over(state, state.handover)


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


def _require_complete(state: State) -> tuple[str, ...]:
    """Require that the work is done, paid for and announced.

    A customer's report that the issue persists needs no guard of its own: verified work it reopens, so whatever is
    verified in the current cycle was verified after it.

    Refusals, in order:
        * ``NO_CURRENT_CYCLE``
        * ``WORK_NOT_VERIFIED``: of the current cycle, or of one with an approved quote that nothing followed
        * ``INVOICE_MISSING``: a payable cycle with verified work has none
        * ``INVOICE_NOT_VALIDATED``: one of its invoices, those superseded apart
        * ``PAYMENT_NOT_SETTLED``
        * ``COMPLETION_NOTICE_NOT_SENT``: delivered, that is
    """
    current = found(state.cycles.get(state.current_cycle_id or ""), "NO_CURRENT_CYCLE")
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
