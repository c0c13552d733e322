"""Events of quotes: the price, the approver's decision, and what falls due while it is awaited."""

from __future__ import annotations

from ...core.protocol import Environment, Event, Verdict
from ..checkpoints import close_approval
from ..duties import open_duty
from ..refusals import found, require
from ..rules import Rules
from ..state.records import UNBOOKED, Approval, Cycle, Quote
from ..state.state import State

TERMS = ("quote_id", "quote_version", "amount_minor", "currency", "plus_vat", "scope")
"""What an approver decides about; a decision must repeat all of it."""


def quote_received(state: State, event: Event, rules: Rules, environment: Environment) -> Verdict:
    """Keep a quote, which supersedes every earlier one of its cycle; the first one makes the cycle.

    Refusals, in order:
        * ``ISSUE_NOT_REPORTED``
        * ``DUPLICATE_QUOTE``
        * ``OPERATION_PROVISIONALLY_CLOSED``
        * ``INVALID_QUOTE_AMOUNT``: not positive
        * ``QUOTE_CURRENCY_MISMATCH``
        * ``STALE_QUOTE_VERSION``: not newer than every version of this quote; the first is at least 1
        * ``UNKNOWN_WORK_CYCLE``: the parent cycle
        * ``QUOTE_CYCLE_MISMATCH``: the cycle is not one of quoted work with this parent, or was another for this quote
        * ``WORK_ALREADY_AUTHORISED``
    """
    payload = event.payload
    quote_id, version, cycle_id = payload["quote_id"], payload["quote_version"], payload["cycle_id"]
    quote_key = f"{quote_id}:v{version}"
    require(state.issue is not None, "ISSUE_NOT_REPORTED")
    require(not state.is_taken(quote_key), "DUPLICATE_QUOTE")
    require(state.provisional_close is None, "OPERATION_PROVISIONALLY_CLOSED")
    require(payload["amount_minor"] > 0, "INVALID_QUOTE_AMOUNT")
    require(payload["currency"] == rules.policy.currency, "QUOTE_CURRENCY_MISMATCH")
    versions = [quote for quote in state.quotes.values() if quote.quote_id == quote_id]
    require(max((quote.quote_version for quote in versions), default=0) < version, "STALE_QUOTE_VERSION")
    cycle = state.cycles.get(cycle_id)
    parent_id = payload.get("parent_cycle_id", cycle.parent_cycle_id if cycle else state.current_cycle_id)
    require(parent_id in state.cycles, "UNKNOWN_WORK_CYCLE")
    require(all(quote.cycle_id == cycle_id for quote in versions), "QUOTE_CYCLE_MISMATCH")
    if cycle is None:
        require(not state.is_taken(cycle_id), "QUOTE_CYCLE_MISMATCH")
        cycle = Cycle(cycle_id, "APPROVED_WORK", parent_id, scope=None, payable=True)
    else:
        require(cycle.kind == "APPROVED_WORK" and cycle.parent_cycle_id == parent_id, "QUOTE_CYCLE_MISMATCH")
        require(cycle.visit_status in UNBOOKED, "WORK_ALREADY_AUTHORISED")

    state.cycles[cycle_id] = cycle
    cycle.scope = payload["scope"]
    state.current_cycle_id = cycle_id
    for taken_up in state.lineage(cycle):
        taken_up.further_work_open = False
    for earlier in state.quotes.values():
        if earlier.cycle_id == cycle_id:
            earlier.status = "SUPERSEDED"
    for correction in state.corrections:
        if correction.subject_kind == "QUOTE" and correction.cycle_id == cycle_id:
            correction.status = "RECEIVED"
    now = environment.now
    state.quotes[quote_key] = Quote(
        quote_key,
        quote_id,
        version,
        cycle_id,
        payload["amount_minor"],
        payload["currency"],
        payload["plus_vat"],
        payload["scope"],
        "RECEIVED",
        received_at=environment.instant(now),
        valid_until=environment.instant(now + rules.policy.approval_validity_minutes),
    )
    return Verdict(True, cycle_id=cycle_id, bindings={"quote_id": quote_id})


def approver_decided(state: State, event: Event, rules: Rules, environment: Environment) -> Verdict:
    """Close an approval with the decision on exactly the terms that were put to the approver.

    Refusals, in order:
        * ``UNKNOWN_CHECKPOINT``
        * ``CHECKPOINT_NOT_OPEN``
        * ``QUOTE_BINDING_MISMATCH``: a term, or the cycle if it is named, differs
        * ``CHECKPOINT_DEADLINE_PASSED``: at the deadline itself the decision still counts
    """
    del rules
    approval = _open_approval(state, event)
    require(all(event.payload[term] == getattr(approval, term) for term in TERMS), "QUOTE_BINDING_MISMATCH")
    require(event.payload.get("cycle_id", approval.cycle_id) == approval.cycle_id, "QUOTE_BINDING_MISMATCH")
    require(environment.instant(environment.now) <= approval.deadline_at, "CHECKPOINT_DEADLINE_PASSED")
    close_approval(state, environment, approval, event.payload["decision"], event.actor_id)
    return _about(approval)


def reminder_due(state: State, event: Event, rules: Rules, environment: Environment) -> Verdict:
    """Let the reminder of an approval fall due, which makes reminding the approver a duty.

    Refusals, in order:
        * ``UNKNOWN_CHECKPOINT``
        * ``CHECKPOINT_NOT_OPEN``
        * ``REMINDER_ALREADY_FIRED``
    """
    approval = _open_approval(state, event)
    require(not approval.reminder_fired, "REMINDER_ALREADY_FIRED")
    approval.reminder_fired = True
    open_duty(state, rules, environment, f"approval_reminder:{approval.checkpoint_id}", approval.cycle_id)
    return _about(approval)


def approval_deadline_due(state: State, event: Event, rules: Rules, environment: Environment) -> Verdict:
    """Let an approval expire.

    Refusals, in order:
        * ``UNKNOWN_CHECKPOINT``
        * ``CHECKPOINT_NOT_OPEN``
        * ``TIMER_NOT_DUE``
    """
    del rules
    approval = _open_approval(state, event)
    require(environment.instant(environment.now) >= approval.deadline_at, "TIMER_NOT_DUE")
    close_approval(state, environment, approval, "EXPIRED", event.actor_id)
    return _about(approval)


def _open_approval(state: State, event: Event) -> Approval:
    approval = found(state.approvals.get(event.payload["checkpoint_id"]), "UNKNOWN_CHECKPOINT")
    require(approval.status == "OPEN", "CHECKPOINT_NOT_OPEN")
    return approval


def _about(approval: Approval) -> Verdict:
    return Verdict(True, cycle_id=approval.cycle_id, bindings={"checkpoint_id": approval.checkpoint_id})
