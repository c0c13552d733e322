"""Which records to read when: one batch foreseen from what woke the agent, the rest as it is asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from ....core import decisions
from ....core.decisions import Decision
from ....core.observation import Observation
from .case import Case, UnreadError

CASE = "get_case_record"
FACTS = "list_authoritative_records"
BILLING = "list_billing"
CHECKPOINTS = "list_checkpoints"
COMMUNICATIONS = "list_communications"
OBLIGATIONS = "list_obligations"
QUOTES = "list_quotes"

_ON_WAKE: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "approval_deadline_due": (CASE, CHECKPOINTS, COMMUNICATIONS, QUOTES),
        "approval_reminder_due": (CASE, CHECKPOINTS, COMMUNICATIONS),
        "approver_decision_received": (CASE, CHECKPOINTS, COMMUNICATIONS, QUOTES),
        "customer_issue_reported": (CASE,),
        "customer_resolution_reported": (CASE, COMMUNICATIONS),
        "invoice_validation_completed": (BILLING, CASE, FACTS),
        "message_delivered": (CASE, COMMUNICATIONS),
        "message_failed": (CASE, COMMUNICATIONS),
        "operator_exception_resolved": (CASE, COMMUNICATIONS),
        "payment_settlement_confirmed": (BILLING, CASE, COMMUNICATIONS),
        "supplier_quote_received": (CASE, CHECKPOINTS, QUOTES),
        "supplier_work_reported": (CASE,),
        "work_evidence_verified": (BILLING, CASE, COMMUNICATIONS, FACTS, QUOTES),
    }
)
"""What woke the agent -> what its first step is decided on."""

_AFTER_EFFECT: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "approval_deadline_due": (BILLING, CASE, CHECKPOINTS, COMMUNICATIONS, QUOTES),
        "approval_reminder_due": (CASE, CHECKPOINTS, COMMUNICATIONS),
        "invoice_validation_completed": (BILLING, CASE),
        "message_delivered": (BILLING, CASE, CHECKPOINTS, COMMUNICATIONS, OBLIGATIONS),
        "message_failed": (BILLING, CASE, CHECKPOINTS, COMMUNICATIONS, OBLIGATIONS),
        "operator_exception_resolved": (BILLING, CASE, CHECKPOINTS, COMMUNICATIONS, OBLIGATIONS),
        "payment_settlement_confirmed": (BILLING, CASE, CHECKPOINTS, COMMUNICATIONS, OBLIGATIONS),
        "work_evidence_verified": (BILLING, CASE, COMMUNICATIONS),
    }
)
"""The same -> what the step after its first effect is decided on, where the phase alone does not say it."""

_IN_PHASE: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "NEW": (CASE,),
        "PROVISIONALLY_CLOSED": (CASE,),
        "WAITING_APPROVAL": (CASE, CHECKPOINTS),
        "WAITING_EXCEPTION": (CASE, CHECKPOINTS, COMMUNICATIONS, QUOTES),
        "WAITING_VISIT": (CASE,),
    }
)
"""Phase -> what a step in it is decided on."""

_OTHERWISE = (BILLING, CASE, CHECKPOINTS, COMMUNICATIONS, OBLIGATIONS, QUOTES)

_READS_OF = MappingProxyType(
    {"ASK": "send_message", "ESCALATE": "request_exception_resolution", "COMPLETE": "complete"}
)
_RETRY_AFTER_MINUTES = 1_440


def read_then(observation: Observation, step: Callable[[Case], Decision], *, insist: bool = False) -> Decision:
    """Return what ``step`` decides, or first the reads it needs.

    After a wake and after each own effect nothing is served any more, so everything is read anew. A proposal waits for
    the reads that are published as required for it.

    Args:
        observation: what the agent sees.
        step: decides on what was read; it asks for more by raising :class:`UnreadError`.
        insist: make a proposal again that was just refused, instead of waiting for things to change.
    """
    served = observation.retrieval["served"]
    if not served:
        return decisions.retrieve(*_batch(observation))
    try:
        decision = step(Case(observation))
    except UnreadError as unread:
        return decisions.retrieve(unread.tool)
    action_type = action_type_of(decision)
    if action_type is None:
        return decision
    refused = observation.last_rejection
    if refused is not None and refused["action_type"] == action_type and not insist:
        return decisions.wait(f"{action_type} was refused", observation.wake_event_types, _RETRY_AFTER_MINUTES)
    unmet = unmet_reads(observation, action_type)
    return decisions.retrieve(*unmet) if unmet else decision


def action_type_of(decision: Decision) -> str | None:
    """Return the action a decision proposes, or null if it proposes none."""
    return decision["action_type"] if decision["kind"] == "ACT" else _READS_OF.get(decision["kind"])


def unmet_reads(observation: Observation, action_type: str) -> list[str]:
    """Return the reads published as required for an action that are not served; none for an action that is unknown."""
    schema = observation.action_schemas.get(action_type)
    reads = schema["reads"] if schema is not None else {}
    served = observation.retrieval["served"]
    return [tool for tool in sorted(reads) if reads[tool] == "required" and tool not in served]


def _batch(observation: Observation) -> tuple[str, ...]:
    """Return the reads to begin with, after a wake or an own effect."""
    in_phase = _IN_PHASE.get(observation.phase, _OTHERWISE)
    if observation.event is None:
        return in_phase
    by_event = _AFTER_EFFECT if observation.turn_index else _ON_WAKE
    return by_event.get(observation.event["event_type"], in_phase)
