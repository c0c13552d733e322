"""What the spec says, and a payload for every event and action that fits a case on its usual course."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from operatebench.runtime.maintenance.spec import packaged_spec

SPEC = packaged_spec()
POLICY = SPEC.policy
ABSENT = object()
"""As a changed field: leave it out."""

CUSTOMER = SPEC.actor_of_role("customer")
SUPPLIER = SPEC.actor_of_role("supplier")
APPROVER = SPEC.actor_of_role("approver")
OPERATOR = SPEC.actor_of_role("operator_human")
GROSS = 29_520
FIXTURES = {fixture.purpose: fixture_id for fixture_id, fixture in SPEC.message_fixtures.items()}
PRIMARY, SECONDARY = SPEC.channels

_TERMS = {"quote_id": "offer_1", "quote_version": 1, "amount_minor": 24_600, "currency": "GBP", "plus_vat": True}

EVENTS: Mapping[str, Mapping[str, Any]] = {
    "customer_issue_reported": {
        "issue_id": "damp_1",
        "classification": POLICY.issue_classification,
        "cycle_id": "work_cycle_1",
    },
    "customer_resolution_reported": {"issue_id": "damp_1", "status": "RESOLVED"},
    "supplier_visit_response": {"visit_id": "visit_1", "cycle_id": "work_cycle_1", "response": "ACCEPTED"},
    "visit_attendance_verified": {"visit_id": "visit_1", "cycle_id": "work_cycle_1", "attended": True},
    "supplier_work_reported": {
        "visit_id": "visit_1",
        "cycle_id": "work_cycle_1",
        "outcome": "FURTHER_WORK_NEEDED",
        "scope": "trap",
    },
    "supplier_quote_received": {
        **_TERMS,
        "scope": "trap",
        "cycle_id": "work_cycle_2",
        "parent_cycle_id": "work_cycle_1",
    },
    "supplier_invoice_received": {**_TERMS, "invoice_id": "bill_1", "cycle_id": "work_cycle_2"},
    "supplier_assertion_received": {
        "assertion_id": "word_1",
        "assertion": "WORK_COMPLETE",
        "cycle_id": "work_cycle_2",
    },
    "approver_decision_received": {
        **_TERMS,
        "checkpoint_id": "checkpoint_1",
        "scope": "trap",
        "decision": "APPROVED",
        "cycle_id": "work_cycle_2",
    },
    "operator_exception_resolved": {
        "checkpoint_id": "checkpoint_2",
        "decision": "TAKE_OWNERSHIP",
        "cycle_id": "work_cycle_2",
    },
    "work_evidence_verified": {
        "evidence_id": "proof_1",
        "visit_id": "visit_2",
        "cycle_id": "work_cycle_2",
        "scope": "trap",
        "outcome": "WORK_DONE",
    },
    "invoice_validation_completed": {
        "validation_id": "check_1",
        "invoice_id": "bill_1",
        "valid": True,
        "cycle_id": "work_cycle_2",
    },
    "payment_settlement_confirmed": {
        "settlement_id": "money_1",
        "payment_request_id": "payment_1",
        "invoice_id": "bill_1",
        "cycle_id": "work_cycle_2",
        "amount_minor": GROSS,
        "currency": "GBP",
    },
    "approval_reminder_due": {"checkpoint_id": "checkpoint_1", "cycle_id": "work_cycle_2"},
    "approval_deadline_due": {"checkpoint_id": "checkpoint_1", "cycle_id": "work_cycle_2"},
    "exception_deadline_due": {"checkpoint_id": "checkpoint_2", "cycle_id": "work_cycle_2"},
    "obligation_due": {"obligation_id": "visit_progress:visit_1"},
    "provisional_close_expired": {"cycle_id": "work_cycle_2"},
    "message_delivered": {"work_id": "message_1"},
    "message_failed": {"work_id": "message_1"},
    "dispatch_retry_due": {"work_id": "message_1"},
}
"""Event type -> the payload that fits a case on its usual course."""

ACTIONS: Mapping[str, tuple[Mapping[str, Any], tuple[str, ...]]] = {
    "request_supplier_visit": (
        {"visit_type": "DIAGNOSTIC", "cycle_id": "work_cycle_1", "supplier_actor_id": SUPPLIER},
        (),
    ),
    "request_approval": (
        {
            **_TERMS,
            "scope": "trap",
            "cycle_id": "work_cycle_2",
            "deadline_after_minutes": POLICY.approval_deadline_after_minutes,
        },
        (),
    ),
    "send_message": (
        {
            "recipient_actor_id": CUSTOMER,
            "message_fixture_id": FIXTURES["completion_notice"],
            "correlation_id": "work_cycle_2",
        },
        (),
    ),
    "authorise_supplier_work": (
        {
            "quote_id": "offer_1",
            "quote_version": 1,
            "cycle_id": "work_cycle_2",
            "approval_checkpoint_id": "checkpoint_1",
        },
        ("checkpoint_1",),
    ),
    "request_invoice_validation": ({"invoice_id": "bill_1"}, ("proof_1",)),
    "request_payment": ({"invoice_id": "bill_1", "amount_minor": GROSS, "currency": "GBP"}, ("bill_1", "proof_1")),
    "request_supplier_correction": (
        {"subject_kind": "INVOICE", "subject_id": "bill_1", "cycle_id": "work_cycle_2"},
        (),
    ),
    "request_exception_resolution": (
        {
            "exception_type": "APPROVAL_REJECTED",
            "subject_id": "checkpoint_1",
            "deadline_after_minutes": POLICY.exception_deadline_after_minutes,
        },
        ("checkpoint_1", "offer_1:v1"),
    ),
    "complete": ({}, ()),
}
"""Action type -> payload and citations that fit a case on its usual course."""


HANDOVER_NOTICE = {"message_fixture_id": FIXTURES["handover_notice"]}
REMINDER = {
    "recipient_actor_id": APPROVER,
    "message_fixture_id": FIXTURES["approval_reminder"],
    "correlation_id": "checkpoint_1",
}


def changed(payload: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return a payload with fields changed, added, or left out."""
    return {name: value for name, value in {**payload, **changes}.items() if value is not ABSENT}
