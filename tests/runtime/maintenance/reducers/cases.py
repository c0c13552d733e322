"""Every refusal of an event, each with the situation that brings it about, in the order of the guards."""

from __future__ import annotations

from tests.runtime.maintenance.operation.situations import (
    CLAIMED,
    CORRECTED,
    DEADLINE,
    FAILED_NOTICE,
    REMINDED,
    VISIT_3,
    WARRANTY_CAME,
    Case,
    after,
    ends,
    excepted,
    handed_over,
    refused_approval,
    told,
)
from tests.runtime.maintenance.operation.usual import CUSTOMER, POLICY, SUPPLIER

EVENT_CASES = (
    # Common guards.
    Case("AFTER_REPLAY_FINAL", "finalized", "supplier_assertion_received"),
    Case("UNKNOWN_ACTOR", "reported", "supplier_assertion_received", {"actor_id": "stranger"}),
    Case("UNKNOWN_EVENT_TYPE", "reported", "weather_turned", {"actor_id": CUSTOMER}),
    Case("EVENT_ACTOR_LACKS_AUTHORITY", "", "customer_issue_reported", {"actor_id": SUPPLIER}),
    Case("MALFORMED_EVENT_PAYLOAD", "", "customer_issue_reported", {"extra": "x"}),
    # The customer.
    Case("DUPLICATE_ISSUE", "reported", "customer_issue_reported"),
    Case("UNSUPPORTED_CLASSIFICATION", "", "customer_issue_reported", {"classification": "EMERGENCY"}),
    Case("UNKNOWN_ISSUE", "", "customer_resolution_reported"),
    Case("UNKNOWN_ISSUE", "reported", "customer_resolution_reported", {"issue_id": "damp_2"}),
    Case("UNKNOWN_WORK_CYCLE", "reported", "customer_resolution_reported", {"cycle_id": "work_cycle_2"}),
    Case("UNKNOWN_VISIT", "reported", "customer_resolution_reported", {"related_visit_id": "visit_1"}),
    Case(
        "UNKNOWN_VISIT",
        "closed",
        "customer_resolution_reported",
        {"related_visit_id": "visit_1", "cycle_id": "work_cycle_2"},
    ),
    Case(
        "REOPEN_WINDOW_CLOSED",
        after("closed", ends(POLICY.provisional_close_minutes + 1)),
        "customer_resolution_reported",
        {"status": "PERSISTS"},
    ),
    # Visits.
    Case("UNKNOWN_WORK_CYCLE", "reported", "supplier_visit_response", {"cycle_id": "work_cycle_9"}),
    Case("UNKNOWN_VISIT", "reported", "supplier_visit_response"),
    Case("UNKNOWN_VISIT", "authorised", "supplier_visit_response", {"cycle_id": "work_cycle_2"}),
    Case("VISIT_NOT_AWAITING_RESPONSE", "visit_accepted", "supplier_visit_response"),
    Case("UNKNOWN_WORK_CYCLE", "reported", "visit_attendance_verified", {"cycle_id": "work_cycle_9"}),
    Case("UNKNOWN_VISIT", "visit_accepted", "visit_attendance_verified", {"visit_id": "visit_2"}),
    Case("VISIT_NOT_SCHEDULED", "visit_requested", "visit_attendance_verified"),
    Case("VISIT_NOT_SCHEDULED", "attended", "visit_attendance_verified"),
    Case(
        "DUPLICATE_AUTHORITATIVE_RECORD",
        after("visit_accepted", told("supplier_assertion_received", assertion_id="attendance:visit_1")),
        "visit_attendance_verified",
    ),
    Case("UNKNOWN_WORK_CYCLE", "attended", "supplier_work_reported", {"cycle_id": "work_cycle_9"}),
    Case("UNKNOWN_VISIT", "attended", "supplier_work_reported", {"visit_id": "visit_2"}),
    Case("VISIT_NOT_ATTENDED", "visit_accepted", "supplier_work_reported"),
    Case(
        "VISIT_NOT_ATTENDED", "verified", "supplier_work_reported", {"visit_id": "visit_2", "cycle_id": "work_cycle_2"}
    ),
    Case("OPERATION_PROVISIONALLY_CLOSED", "closed", "supplier_work_reported"),
    Case("UNKNOWN_WORK_CYCLE", "came", "work_evidence_verified", {"cycle_id": "work_cycle_9"}),
    Case("UNKNOWN_VISIT", "came", "work_evidence_verified", {"visit_id": "visit_1"}),
    Case(
        "OPERATION_PROVISIONALLY_CLOSED",
        "closed",
        "work_evidence_verified",
        {"evidence_id": "proof_2", "visit_id": "visit_1", "cycle_id": "work_cycle_1"},
    ),
    Case("VISIT_NOT_ATTENDED", "authorised", "work_evidence_verified"),
    Case("VISIT_NOT_ATTENDED", "verified", "work_evidence_verified", {"evidence_id": "proof_2"}),
    Case(
        "DUPLICATE_AUTHORITATIVE_RECORD",
        after("came", told("supplier_assertion_received", assertion_id="proof_1")),
        "work_evidence_verified",
    ),
    Case("DUPLICATE_AUTHORITATIVE_RECORD", WARRANTY_CAME, "work_evidence_verified", VISIT_3),
    Case(
        "WARRANTY_SCOPE_MISMATCH",
        WARRANTY_CAME,
        "work_evidence_verified",
        {**VISIT_3, "evidence_id": "proof_2", "scope": "tap"},
    ),
    Case("WORK_SCOPE_MISMATCH", "came", "work_evidence_verified", {"scope": "tap"}),
    # Claims.
    Case("DUPLICATE_ASSERTION", CLAIMED, "supplier_assertion_received"),
    Case("DUPLICATE_ASSERTION", "verified", "supplier_assertion_received", {"assertion_id": "proof_1"}),
    # Quotes.
    Case("ISSUE_NOT_REPORTED", "", "supplier_quote_received"),
    Case("DUPLICATE_QUOTE", "quoted", "supplier_quote_received"),
    Case("OPERATION_PROVISIONALLY_CLOSED", "closed", "supplier_quote_received", {"quote_id": "offer_2"}),
    Case("INVALID_QUOTE_AMOUNT", "further_work", "supplier_quote_received", {"amount_minor": 0}),
    Case("QUOTE_CURRENCY_MISMATCH", "further_work", "supplier_quote_received", {"currency": "EUR"}),
    Case("STALE_QUOTE_VERSION", "further_work", "supplier_quote_received", {"quote_version": 0}),
    Case(
        "STALE_QUOTE_VERSION",
        after("further_work", told("supplier_quote_received", quote_version=3)),
        "supplier_quote_received",
        {"quote_version": 2},
    ),
    Case("UNKNOWN_WORK_CYCLE", "further_work", "supplier_quote_received", {"parent_cycle_id": "work_cycle_9"}),
    Case("QUOTE_CYCLE_MISMATCH", "quoted", "supplier_quote_received", {"quote_version": 2, "cycle_id": "work_cycle_3"}),
    Case("QUOTE_CYCLE_MISMATCH", "further_work", "supplier_quote_received", {"cycle_id": "work_cycle_1"}),
    Case("QUOTE_CYCLE_MISMATCH", "further_work", "supplier_quote_received", {"cycle_id": "attendance:visit_1"}),
    Case(
        "QUOTE_CYCLE_MISMATCH",
        "quoted",
        "supplier_quote_received",
        {"quote_version": 2, "parent_cycle_id": "work_cycle_2"},
    ),
    Case("WORK_ALREADY_AUTHORISED", "authorised", "supplier_quote_received", {"quote_version": 2}),
    # Approvals.
    Case("UNKNOWN_CHECKPOINT", "quoted", "approver_decision_received"),
    Case("CHECKPOINT_NOT_OPEN", "approved", "approver_decision_received"),
    *(
        Case("QUOTE_BINDING_MISMATCH", "approval_requested", "approver_decision_received", {field: value})
        for field, value in {
            "quote_id": "offer_2",
            "quote_version": 2,
            "amount_minor": 24_601,
            "currency": "EUR",
            "plus_vat": False,
            "scope": "tap",
            "cycle_id": "work_cycle_1",
        }.items()
    ),
    Case("CHECKPOINT_DEADLINE_PASSED", after("approval_requested", ends(DEADLINE + 1)), "approver_decision_received"),
    Case("UNKNOWN_CHECKPOINT", "quoted", "approval_reminder_due"),
    Case("CHECKPOINT_NOT_OPEN", "approved", "approval_reminder_due"),
    Case("REMINDER_ALREADY_FIRED", REMINDED, "approval_reminder_due"),
    Case("UNKNOWN_CHECKPOINT", "quoted", "approval_deadline_due"),
    Case("CHECKPOINT_NOT_OPEN", "approved", "approval_deadline_due"),
    Case("TIMER_NOT_DUE", "approval_requested", "approval_deadline_due"),
    # Bills.
    Case("DUPLICATE_INVOICE", "invoiced", "supplier_invoice_received"),
    Case("DUPLICATE_INVOICE", CLAIMED, "supplier_invoice_received", {"invoice_id": "word_1"}),
    Case("UNKNOWN_WORK_CYCLE", "further_work", "supplier_invoice_received"),
    Case("OPERATION_PROVISIONALLY_CLOSED", "closed", "supplier_invoice_received", {"invoice_id": "bill_2"}),
    Case("INVALID_INVOICE_AMOUNT", "quoted", "supplier_invoice_received", {"amount_minor": 0}),
    Case("INVOICE_CORRECTION_MISMATCH", "quoted", "supplier_invoice_received", CORRECTED),
    Case(
        "INVOICE_CORRECTION_MISMATCH",
        "invoiced",
        "supplier_invoice_received",
        {**CORRECTED, "cycle_id": "work_cycle_1"},
    ),
    Case("INVOICE_CORRECTION_MISMATCH", "validated", "supplier_invoice_received", CORRECTED),
    Case("UNKNOWN_INVOICE", "verified", "invoice_validation_completed"),
    Case("INVOICE_NOT_AWAITING_VALIDATION", "invoiced", "invoice_validation_completed"),
    Case("WORK_CYCLE_MISMATCH", "validation_requested", "invoice_validation_completed", {"cycle_id": "work_cycle_1"}),
    Case(
        "DUPLICATE_AUTHORITATIVE_RECORD",
        "validation_requested",
        "invoice_validation_completed",
        {"validation_id": "proof_1"},
    ),
    Case("NO_PAYMENT_REQUESTED", "validated", "payment_settlement_confirmed"),
    Case(
        "PAYMENT_REQUEST_MISMATCH",
        "payment_requested",
        "payment_settlement_confirmed",
        {"payment_request_id": "payment_2"},
    ),
    Case("PAYMENT_ALREADY_SETTLED", "settled", "payment_settlement_confirmed", {"settlement_id": "money_2"}),
    *(
        Case("SETTLEMENT_BINDING_MISMATCH", "payment_requested", "payment_settlement_confirmed", {field: value})
        for field, value in {
            "invoice_id": "bill_2",
            "cycle_id": "work_cycle_1",
            "amount_minor": 24_600,
            "currency": "EUR",
        }.items()
    ),
    Case(
        "DUPLICATE_AUTHORITATIVE_RECORD",
        "payment_requested",
        "payment_settlement_confirmed",
        {"settlement_id": "check_1"},
    ),
    # Exceptions.
    Case("UNKNOWN_EXCEPTION_CHECKPOINT", refused_approval, "operator_exception_resolved"),
    Case("UNKNOWN_EXCEPTION_CHECKPOINT", excepted, "operator_exception_resolved", {"checkpoint_id": "checkpoint_1"}),
    Case("CHECKPOINT_NOT_OPEN", handed_over, "operator_exception_resolved"),
    Case("WORK_CYCLE_MISMATCH", excepted, "operator_exception_resolved", {"cycle_id": "work_cycle_1"}),
    Case(
        "CHECKPOINT_DEADLINE_PASSED",
        after(excepted, ends(POLICY.exception_deadline_after_minutes + 1)),
        "operator_exception_resolved",
    ),
    Case("UNKNOWN_EXCEPTION_CHECKPOINT", refused_approval, "exception_deadline_due"),
    Case("CHECKPOINT_NOT_OPEN", handed_over, "exception_deadline_due"),
    Case("TIMER_NOT_DUE", excepted, "exception_deadline_due"),
    # Messages and timers.
    Case("UNKNOWN_MESSAGE", "settled", "message_delivered"),
    Case("MESSAGE_STATUS_MISMATCH", FAILED_NOTICE, "message_delivered"),
    Case("UNKNOWN_MESSAGE", "settled", "message_failed"),
    Case("MESSAGE_STATUS_MISMATCH", "told", "message_failed"),
    Case("UNKNOWN_MESSAGE", "settled", "dispatch_retry_due"),
    Case("MESSAGE_STATUS_MISMATCH", "told", "dispatch_retry_due"),
    Case("UNKNOWN_OBLIGATION", "reported", "obligation_due"),
    Case("OBLIGATION_NOT_OPEN", "attended", "obligation_due"),
    Case("TIMER_NOT_DUE", "visit_requested", "obligation_due"),
    Case("NOT_PROVISIONALLY_CLOSED", "told", "provisional_close_expired"),
    Case("NOT_PROVISIONALLY_CLOSED", "closed", "provisional_close_expired", {"cycle_id": "work_cycle_1"}),
    Case("TIMER_NOT_DUE", "closed", "provisional_close_expired"),
)
