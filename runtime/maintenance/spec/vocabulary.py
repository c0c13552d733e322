"""The names that code carries a meaning for: the spec must declare exactly these, and the domain must handle them."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from .records import FieldKind

TOPOLOGY = (
    "TRIAGE",
    "LANDLORD_APPROVAL",
    "PROVIDER_SELECTION",
    "QUOTING",
    "SCHEDULING",
    "VISIT",
    "RESULT",
    "COMPLETION",
)
"""Stages, in order."""

SOLE_ROLES = ("agent", "approver", "operator_human", "system_scheduler")
"""Roles of exactly one actor each: the domain finds the actor by the role."""

ROLES = tuple(sorted((*SOLE_ROLES, "authoritative_external_system", "customer", "supplier")))

MESSAGE_PURPOSES: Mapping[str, str] = MappingProxyType(
    {
        "access_question": "customer",
        "approval_reminder": "approver",
        "cannot_proceed": "customer",
        "completion_notice": "customer",
        "handover_notice": "customer",
        "revisit_notice": "customer",
    }
)
"""What a message can be for -> the role of who receives it."""

STATE_ROOTS: Mapping[str, Any] = MappingProxyType(
    {
        "phase": "NEW",
        "terminal": None,
        "replay_final": False,
        "issue": None,
        "customer_resolution": "UNCONFIRMED",
        "current_cycle_id": None,
        "reopen_count": 0,
        "ownership": None,
        "cancellation": None,
        "provisional_close": None,
        "cycles": [],
        "quotes": [],
        "approvals": [],
        "exceptions": [],
        "invoices": [],
        "payments": [],
        "obligations": [],
        "assertions": [],
        "contradictions": [],
        "corrections": [],
        "authoritative_records": [],
        "communications": [],
    }
)
"""Root of the state that tools serve -> its value at the start. The root ``hidden`` stands beside them."""

RECORD_FIELDS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "cycles": (
            *("cycle_id", "kind", "parent_cycle_id", "scope", "payable", "visit_id", "visit_status"),
            *("reported_outcome", "further_work_open", "work_evidence_id"),
        ),
        "quotes": (
            *("quote_key", "quote_id", "quote_version", "cycle_id", "amount_minor", "currency", "plus_vat", "scope"),
            *("status", "received_at", "valid_until"),
        ),
        "approvals": (
            *("checkpoint_id", "quote_key", "quote_id", "quote_version", "cycle_id", "amount_minor", "currency"),
            *("plus_vat", "scope", "assignee_actor_id", "opened_at", "deadline_at", "status", "resolved_at"),
            "reminder_fired",
        ),
        "exceptions": (
            *("checkpoint_id", "exception_type", "subject_id", "cycle_id", "assignee_actor_id", "evidence_refs"),
            *("opened_at", "deadline_at", "status", "resolution", "resolved_at"),
        ),
        "invoices": (
            *("invoice_id", "cycle_id", "quote_id", "quote_version", "amount_minor", "currency", "plus_vat", "status"),
            *("validation_id", "corrects_invoice_id"),
        ),
        "payments": (
            *("payment_request_id", "invoice_id", "cycle_id", "amount_minor", "currency", "status", "settlement_id"),
        ),
        "obligations": ("obligation_id", "kind", "cycle_id", "due_at", "status", "closed_at"),
        "assertions": ("assertion_id", "actor_id", "assertion", "cycle_id", "at"),
        "contradictions": ("contradiction_id", "cycle_id", "status", "resolved_by"),
        "corrections": ("subject_kind", "subject_id", "cycle_id", "requested_at", "status"),
        "authoritative_records": ("record_id", "kind", "cycle_id", "subject_id", "at", "facts"),
        "communications": (
            *("work_id", "recipient_actor_id", "message_fixture_id", "purpose", "correlation_id", "channel"),
            *("recovery_of", "sent_at", "attempts", "dispatch_status", "ended_at"),
        ),
    }
)
"""Root that is a list -> the fields of its records, in canonical form."""

TOOLS = (
    "get_case_record",
    "list_authoritative_records",
    "list_billing",
    "list_checkpoints",
    "list_communications",
    "list_obligations",
    "list_quotes",
    "list_recent_events",
)

DOCUMENTS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "invoice": ("invoices", "supplier_invoice_received"),
        "invoice_validation": ("authoritative_records", "invoice_validation_completed"),
        "payment_settlement": ("authoritative_records", "payment_settlement_confirmed"),
        "quote": ("quotes", "supplier_quote_received"),
        "visit_attendance": ("authoritative_records", "visit_attendance_verified"),
        "work_evidence": ("authoritative_records", "work_evidence_verified"),
    }
)
"""Document -> the root that keeps it, and the event that brings it."""

SCHEDULES: Mapping[str, str] = MappingProxyType(
    {
        "approval_reminder_due": "approval_reminder_after_minutes",
        "approval_deadline_due": "approval_deadline_after_minutes",
        "exception_deadline_due": "exception_deadline_after_minutes",
        "provisional_close_expired": "provisional_close_minutes",
    }
)
"""Event a timer emits -> the policy field that says after how many minutes."""

OBLIGATIONS: Mapping[str, str] = MappingProxyType(
    {
        "visit_progress": "visit_followup_after_minutes",
        "approval_reminder": "reminder_within_minutes",
        "completion_notice": "completion_notice_within_minutes",
        "handover_notice": "handover_notice_within_minutes",
    }
)
"""Duty of the agent -> the policy field that says within how many minutes it is due."""

CHECKPOINTS: Mapping[str, tuple[str, str, str]] = MappingProxyType(
    {
        "maintenance_exception_resolution": (
            *("operator_human", "request_exception_resolution", "operator_exception_resolved"),
        ),
        "repair_quote_approval": ("approver", "request_approval", "approver_decision_received"),
    }
)
"""Checkpoint -> role of who decides, the action that opens it, the event that resolves it."""

INVARIANTS = (
    "INVARIANT_PAYMENT_OVER_APPROVED_AMOUNT",
    "INVARIANT_CLAIM_BECAME_FACT",
    "INVARIANT_WORK_WITHOUT_APPROVAL",
)
"""Codes of the invariants that are watched while the operation runs."""

TERMINALS: Mapping[str, str] = MappingProxyType(
    {
        "cancelled_by_operator": "authorised_cancellation_or_transfer",
        "completed_successfully": "successful_completion",
        "transferred_to_human_ownership": "authorised_cancellation_or_transfer",
    }
)
"""Terminal -> the ending it is."""

DIMENSIONS = (
    "terminal_outcome",
    "critical_invariants",
    "temporal_correctness",
    "authority_boundaries",
    "action_validity",
    "human_checkpoints",
    "recovery",
    "obligations",
    "deterministic_replay",
    "environment_integrity",
    "retrieval_discipline",
)
"""The dimensions of the evaluator, in order."""

_QUOTE = ("quote_id", "quote_version", "amount_minor", "currency", "plus_vat", "scope")

EVENTS: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = MappingProxyType(
    {
        "customer_issue_reported": (("issue_id", "classification", "cycle_id"), ()),
        "customer_resolution_reported": (("issue_id", "status"), ("related_visit_id", "cycle_id")),
        "supplier_visit_response": (("visit_id", "cycle_id", "response"), ()),
        "supplier_work_reported": (("visit_id", "cycle_id", "outcome", "scope"), ()),
        "supplier_quote_received": ((*_QUOTE, "cycle_id"), ("parent_cycle_id",)),
        "supplier_invoice_received": (
            ("invoice_id", "cycle_id", "quote_id", "quote_version", "amount_minor", "currency", "plus_vat"),
            ("corrects_invoice_id",),
        ),
        "supplier_assertion_received": (("assertion_id", "assertion"), ("cycle_id",)),
        "approver_decision_received": (("checkpoint_id", *_QUOTE, "decision"), ("cycle_id",)),
        "operator_exception_resolved": (("checkpoint_id", "decision"), ("cycle_id",)),
        "visit_attendance_verified": (("visit_id", "cycle_id", "attended"), ()),
        "work_evidence_verified": (("evidence_id", "visit_id", "cycle_id", "scope", "outcome"), ()),
        "invoice_validation_completed": (("validation_id", "invoice_id", "valid"), ("reason_code", "cycle_id")),
        "payment_settlement_confirmed": (
            ("settlement_id", "payment_request_id", "invoice_id", "cycle_id", "amount_minor", "currency"),
            (),
        ),
        "approval_reminder_due": (("checkpoint_id", "cycle_id"), ()),
        "approval_deadline_due": (("checkpoint_id", "cycle_id"), ()),
        "exception_deadline_due": (("checkpoint_id", "cycle_id"), ()),
        "obligation_due": (("obligation_id",), ()),
        "provisional_close_expired": (("cycle_id",), ()),
        "message_delivered": (("work_id",), ()),
        "message_failed": (("work_id",), ()),
        "dispatch_retry_due": (("work_id",), ()),
    }
)
"""Event type -> required and optional fields of its payload."""

ACTIONS: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = MappingProxyType(
    {
        "request_supplier_visit": (("visit_type", "cycle_id", "supplier_actor_id"), ()),
        "request_approval": ((*_QUOTE, "cycle_id", "deadline_after_minutes"), ()),
        "send_message": (("recipient_actor_id", "message_fixture_id"), ("correlation_id", "channel", "recovery_of")),
        "authorise_supplier_work": (("quote_id", "quote_version", "cycle_id"), ("approval_checkpoint_id",)),
        "request_invoice_validation": (("invoice_id",), ()),
        "request_payment": (("invoice_id", "amount_minor", "currency"), ()),
        "request_supplier_correction": (("subject_kind", "subject_id", "cycle_id"), ()),
        "request_exception_resolution": (("exception_type", "subject_id", "deadline_after_minutes"), ()),
        "complete": ((), ("cycle_id",)),
    }
)
"""Action type, the terminal action included -> required and optional fields of its payload."""

FIELD_KINDS: Mapping[str, FieldKind] = MappingProxyType(
    {
        "amount_minor": "integer",
        "attended": "boolean",
        "deadline_after_minutes": "integer",
        "plus_vat": "boolean",
        "quote_version": "integer",
        "valid": "boolean",
        "response": ("ACCEPTED", "DECLINED"),
        "visit_type": ("APPROVED_WORK", "DIAGNOSTIC", "WARRANTY_REVISIT"),
        "subject_kind": ("INVOICE", "QUOTE"),
        "exception_type": ("APPROVAL_EXPIRED", "APPROVAL_REJECTED", "INVOICE_REJECTED"),
        "customer_resolution_reported.status": ("PERSISTS", "RESOLVED"),
        "supplier_work_reported.outcome": ("FURTHER_WORK_NEEDED", "WORK_DONE"),
        "work_evidence_verified.outcome": ("WORK_DONE",),
        "approver_decision_received.decision": ("APPROVED", "REJECTED"),
        "operator_exception_resolved.decision": ("AUTHORISE_ALTERNATIVE", "CANCEL_OPERATION", "TAKE_OWNERSHIP"),
    }
)
"""Kind of a payload field, by ``field`` or ``type.field``; others are text, which a spec may narrow to words."""
