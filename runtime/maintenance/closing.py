"""What stands in the way of an end, provisional close, what reopens it, and the ends that are final."""

from __future__ import annotations

from ..core.protocol import Environment
from .duties import close_duty
from .rules import Rules
from .state.records import UNDER_WAY, Cycle, ProvisionalClose, Terminal
from .state.state import State


def what_is_open(state: State) -> str | None:
    """Return the code of the first thing that nobody has closed yet, or null.

    In order:
        * ``OPEN_CHECKPOINT``: an approval or exception
        * ``OPEN_OBLIGATION``
        * ``REQUIRED_WAKE_PENDING``: a message is under way
        * unless the operator took over or cancelled, and so has the rest to see to: those of :func:`_open_business`
    """
    if any(item.status == "OPEN" for item in state.approvals.values()):
        return "OPEN_CHECKPOINT"
    if any(item.status == "OPEN" for item in state.exceptions.values()):
        return "OPEN_CHECKPOINT"
    if any(item.status == "OPEN" for item in state.obligations.values()):
        return "OPEN_OBLIGATION"
    if any(item.dispatch_status == "PENDING" for item in state.communications.values()):
        return "REQUIRED_WAKE_PENDING"
    return _open_business(state) if state.handover is None else None


def _open_business(state: State) -> str | None:
    """Return the code of the first matter that waits for the agent or for somebody outside, or null.

    In order:
        * ``OPEN_FURTHER_WORK``: reported, and neither quoted nor verified since
        * ``OPEN_QUOTE_DECISION``: a quote neither decided on nor superseded
        * ``OPEN_INVOICE_REVIEW``: an invoice that was not sent to validation, whatever it is for
        * ``OPEN_CONTRADICTION``
        * ``REQUIRED_WAKE_PENDING``: a validation, settlement, correction or visit is awaited
    """
    cycles, invoices = state.cycles.values(), state.invoices.values()
    if any(cycle.further_work_open for cycle in cycles):
        return "OPEN_FURTHER_WORK"
    if any(item.status == "RECEIVED" for item in state.quotes.values()):
        return "OPEN_QUOTE_DECISION"
    if any(item.status == "RECEIVED" for item in invoices):
        return "OPEN_INVOICE_REVIEW"
    if any(item.status == "OPEN" for item in state.contradictions.values()):
        return "OPEN_CONTRADICTION"
    if (
        any(item.status == "VALIDATION_REQUESTED" for item in invoices)
        or any(item.status == "REQUESTED" for item in state.payments.values())
        or any(item.status == "OPEN" for item in state.corrections)
        or any(cycle.visit_status in UNDER_WAY for cycle in cycles)
    ):
        return "REQUIRED_WAKE_PENDING"
    return None


def close_provisionally(state: State, rules: Rules, environment: Environment, cycle: Cycle) -> None:
    """Close the operation on a cycle, for as long as the customer may report otherwise."""
    now, window = environment.now, rules.policy.provisional_close_minutes
    close = state.provisional_close = ProvisionalClose(
        cycle.cycle_id,
        accepted_at=environment.instant(now),
        reopen_until=environment.instant(now + window),
        # Every close before this one was followed by a reopening.
        timer_event_id=f"timer_provisional_close:{state.reopen_count + 1}",
    )
    environment.record("provisional_close_entered", cycle_id=cycle.cycle_id, reopen_until=close.reopen_until)
    environment.set_timer(close.timer_event_id, "provisional_close_expired", window, {"cycle_id": cycle.cycle_id})


def reopen(state: State, environment: Environment, cycle: Cycle) -> Cycle:
    """Open a warranty cycle for a cycle whose verified work did not last, and make it the current one."""
    if state.provisional_close is not None:
        environment.cancel_timer(state.provisional_close.timer_event_id)
        state.provisional_close = None
    close_duty(state, environment, f"completion_notice:{cycle.cycle_id}", "CANCELLED")
    state.reopen_count += 1
    warranty = Cycle(state.next_cycle_id(), "WARRANTY_REVISIT", cycle.cycle_id, cycle.scope, payable=False)
    state.cycles[warranty.cycle_id] = warranty
    state.current_cycle_id = warranty.cycle_id
    environment.record(
        "operation_reopened",
        reopened_cycle_id=cycle.cycle_id,
        warranty_cycle_id=warranty.cycle_id,
        reason="CUSTOMER_REPORTS_PERSISTENCE",
    )
    return warranty


def finish(state: State, environment: Environment, outcome: str, cycle_id: str, actor_id: str | None) -> None:
    """End the operation for good."""
    state.provisional_close = None
    state.terminal = Terminal(outcome, environment.instant(environment.now), cycle_id)
    environment.accept_terminal(outcome, cycle_id, actor_id)
