"""What set off each conditional event of the plan: the first cause that matches its trigger, as the world saw it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from ...core.protocol import PlannedEvent, Trigger
from .case import Case
from .record import Delivery, Row
from .rulebook import checkpoint_cycle, cycles, row_of


@dataclass(frozen=True, slots=True)
class Cause:
    """An accepted effect or event.

    Attributes:
        facts: what a trigger can compare: payload, then bindings, then the cycle it belongs to.
        bindings: what replaces the values its author gave a conditional event.
    """

    row: Row
    facts: Mapping[str, Any]
    bindings: Mapping[str, str]


def cause_of(case: Case, planned: PlannedEvent) -> Cause | None:
    """Return the first cause that matches the trigger of a planned event; null if it has no trigger or none did."""
    trigger = planned.trigger
    if trigger is None:
        return None
    key = "cause", planned.event_id
    return case.once(key, lambda: next((cause for cause in _causes(case, trigger) if _matches(cause, trigger)), None))


def _matches(cause: Cause, trigger: Trigger) -> bool:
    return all(
        field in cause.facts and type(cause.facts[field]) is type(value) and cause.facts[field] == value
        for field, value in trigger.correlation.items()
    )


def _causes(case: Case, trigger: Trigger) -> list[Cause]:
    """Return every cause of the kind and type of a trigger, in order."""
    build = _of_events if trigger.kind == "event" else _of_effects
    return case.once(("causes", trigger.kind, trigger.type_name), lambda: list(build(case, trigger.type_name)))


def _of_effects(case: Case, action_type: str) -> Iterator[Cause]:
    for proposed in case.effects.get(action_type, ()):
        effect = proposed.effect
        assert effect is not None
        yield _cause(effect, proposed.payload, effect["bindings"], effect["cycle_id"])


def _of_events(case: Case, event_type: str) -> Iterator[Cause]:
    for fact in case.facts.get(event_type, ()):
        names = _BOUND.get(event_type, {})
        bindings = {name: fact.payload[field] for name, field in names.items()}
        yield _cause(row_of(fact), fact.payload, bindings, _cycle(case, fact))


def _cause(row: Row, payload: Mapping[str, Any], bindings: Mapping[str, str], cycle_id: str | None) -> Cause:
    belongs = {} if cycle_id is None else {"cycle_id": cycle_id}
    return Cause(row, {**payload, **bindings, **belongs}, bindings)


_VISIT = {"visit_id": "visit_id", "related_visit_id": "visit_id"}
_CHECKPOINT = {"checkpoint_id": "checkpoint_id"}
_BOUND: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "approval_deadline_due": _CHECKPOINT,
        "approval_reminder_due": _CHECKPOINT,
        "approver_decision_received": _CHECKPOINT,
        "exception_deadline_due": _CHECKPOINT,
        "invoice_validation_completed": {"invoice_id": "invoice_id"},
        "operator_exception_resolved": _CHECKPOINT,
        "payment_settlement_confirmed": {"payment_request_id": "payment_request_id"},
        "supplier_invoice_received": {"invoice_id": "invoice_id"},
        "supplier_quote_received": {"quote_id": "quote_id"},
        "supplier_visit_response": _VISIT,
        "supplier_work_reported": _VISIT,
        "visit_attendance_verified": _VISIT,
        "work_evidence_verified": _VISIT,
    }
)
"""Event type -> what an event of it binds, and the field of its payload that has it."""

_OF_MESSAGES = frozenset({"dispatch_retry_due", "message_delivered", "message_failed"})


def _cycle(case: Case, fact: Delivery) -> str | None:
    """Return the cycle an event belongs to, which its payload need not name; null if it belongs to none."""
    payload, place = fact.payload, row_of(fact).position
    if fact.verdict_code == "REOPENED":
        opened = case.at_position.get(place - 1)
        return opened["warranty_cycle_id"] if opened is not None and opened.kind == "operation_reopened" else None
    if "checkpoint_id" in payload:
        return checkpoint_cycle(case, payload["checkpoint_id"])
    if "obligation_id" in payload:
        duty = case.duties.get(payload["obligation_id"])
        return None if duty is None else duty.row["cycle_id"]
    if fact.event_type in _OF_MESSAGES:
        work = case.works.get(payload["work_id"])
        about = work.attempts[0]["correlation_id"] if work is not None and work.attempts else None
        return about if about in cycles(case) and cycles(case)[about].row.position < place else None
    if fact.event_type == "invoice_validation_completed":
        invoices = case.fact("supplier_invoice_received", "invoice_id").get(payload["invoice_id"])
        return invoices[0].payload["cycle_id"] if invoices else None
    cycle_id: str | None = payload.get("cycle_id")
    return cycle_id
