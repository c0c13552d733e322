"""Observations made by hand: everything published is the packaged spec's, what was served is given root by root."""

from __future__ import annotations

from typing import Any

from operatebench.runtime.core.observation import Observation
from operatebench.runtime.core.plain import frozen_copy
from operatebench.runtime.maintenance.plan import plan_of
from operatebench.runtime.maintenance.spec import packaged_spec

PLAN = plan_of(packaged_spec(), "V1")
NOW = "2032-04-10T08:30:00Z"
EARLIER = "2032-04-09T08:30:00Z"

ISSUE = {
    "issue_id": "leak_1",
    "reporter_actor_id": "tenant_1",
    "classification": "NON_EMERGENCY_RECURRING_LEAK",
    "reported_at": EARLIER,
}
CATALOGUE = {
    name: {"source": tool.source, "authority": tool.authority.value, "schema_id": tool.schema_id, "roots": tool.roots}
    for name, tool in PLAN.catalogue.items()
}


def event(event_type: str, **payload: Any) -> dict[str, Any]:
    """Return a waking event as an observation shows it."""
    return {
        "event_id": "ev_1",
        "event_type": event_type,
        "actor_id": "scheduler",
        "payload": payload,
        "authority": "system_event",
        "is_authoritative": False,
        "surface": None,
    }


def look(
    *,
    phase: str = "ACTIVE",
    woken_by: dict[str, Any] | None = None,
    turn: int = 1,
    rejection: dict[str, str] | None = None,
    tools: tuple[str, ...] = tuple(CATALOGUE),
    **roots: Any,
) -> Observation:
    """Return an observation to which ``tools`` were served; roots that are not given are empty lists."""
    served = {tool: {"records": {root: roots.get(root, []) for root in CATALOGUE[tool]["roots"]}} for tool in tools}
    return Observation(
        operation_instance_id="opinst_" + "0" * 32,
        operation_id=PLAN.operation_id,
        now=NOW,
        invocation_index=1,
        turn_index=turn,
        phase=phase,
        policy=PLAN.policy,
        actors=PLAN.actors,
        message_fixture_ids=PLAN.message_fixture_ids,
        action_schemas=PLAN.action_schemas,
        wake_event_types=PLAN.wake_event_types,
        last_rejection=rejection,
        event=frozen_copy(woken_by),
        retrieval=frozen_copy(
            {"catalogue": CATALOGUE, "served": served, "batch_budget_remaining": 5, "max_requests_per_batch": 8}
        ),
    )


def cycle(**fields: Any) -> dict[str, Any]:
    """Return a cycle of work to be paid, without a visit, but for the given fields."""
    return {
        "cycle_id": "work_cycle_2",
        "kind": "APPROVED_WORK",
        "parent_cycle_id": "work_cycle_1",
        "scope": "trap",
        "payable": True,
        "visit_id": None,
        "visit_status": "NONE",
        "reported_outcome": None,
        "further_work_open": False,
        "work_evidence_id": None,
    } | fields


def quote(version: int = 1, **fields: Any) -> dict[str, Any]:
    """Return a received quote above the threshold, but for the given fields."""
    return {
        "quote_key": f"quote_1:v{version}",
        "quote_id": "quote_1",
        "quote_version": version,
        "cycle_id": "work_cycle_2",
        "amount_minor": 24_600,
        "currency": "GBP",
        "plus_vat": True,
        "scope": "trap",
        "status": "RECEIVED",
        "received_at": EARLIER,
        "valid_until": "2032-04-17T08:30:00Z",
    } | fields


def approval(**fields: Any) -> dict[str, Any]:
    """Return an open approval of the first version of the quote, but for the given fields."""
    terms = {name: value for name, value in quote().items() if name not in {"status", "received_at", "valid_until"}}
    return terms | {
        "checkpoint_id": "checkpoint_1",
        "assignee_actor_id": "landlord_1",
        "opened_at": EARLIER,
        "deadline_at": "2032-04-12T08:30:00Z",
        "status": "OPEN",
        "resolved_at": None,
        "reminder_fired": False,
        **fields,
    }


def exception(subject_id: str, **fields: Any) -> dict[str, Any]:
    """Return an open exception about a subject, but for the given fields."""
    return {
        "checkpoint_id": "checkpoint_2",
        "exception_type": "APPROVAL_REJECTED",
        "subject_id": subject_id,
        "cycle_id": "work_cycle_2",
        "assignee_actor_id": "duty_manager_1",
        "evidence_refs": [],
        "opened_at": EARLIER,
        "deadline_at": "2032-04-11T08:30:00Z",
        "status": "OPEN",
        "resolution": None,
        "resolved_at": None,
    } | fields


def invoice(**fields: Any) -> dict[str, Any]:
    """Return a received invoice, but for the given fields."""
    return {
        "invoice_id": "invoice_1",
        "cycle_id": "work_cycle_2",
        "quote_id": "quote_1",
        "quote_version": 1,
        "amount_minor": 24_600,
        "currency": "GBP",
        "plus_vat": True,
        "status": "RECEIVED",
        "validation_id": None,
        "corrects_invoice_id": None,
    } | fields


def message(purpose: str, correlation_id: str, **fields: Any) -> dict[str, Any]:
    """Return a delivered message, but for the given fields."""
    return {
        "work_id": "message_1",
        "recipient_actor_id": "tenant_1",
        "message_fixture_id": f"msg_{purpose}",
        "purpose": purpose,
        "correlation_id": correlation_id,
        "channel": "primary",
        "recovery_of": None,
        "sent_at": EARLIER,
        "attempts": 1,
        "dispatch_status": "DELIVERED",
        "ended_at": EARLIER,
    } | fields
