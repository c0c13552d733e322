"""Every refusal of an action and of completion, with the situation for each, in the order of the guards."""

from __future__ import annotations

from functools import partial

from tests.runtime.maintenance.operation.simulator import Simulator
from tests.runtime.maintenance.operation.situations import (
    AGAIN,
    CLAIMED,
    CORRECTED,
    DEADLINE,
    FAILED_NOTICE,
    MINOR_WORK,
    PAID_AND_HANDED_OVER,
    RECOVERY,
    REMINDED,
    SECOND_QUOTE,
    VALIDITY,
    VISIT_3,
    WARRANTY,
    WARRANTY_CAME,
    Case,
    after,
    cheap_quote,
    done,
    entitled,
    excepted,
    failing,
    handed_over,
    later,
    refused_approval,
    refused_invoice,
    told,
)
from tests.runtime.maintenance.operation.usual import (
    ABSENT,
    APPROVER,
    CUSTOMER,
    FIXTURES,
    HANDOVER_NOTICE,
    POLICY,
    PRIMARY,
    REMINDER,
    SECONDARY,
    SPEC,
)

_CONTEXT = {"evidence": ("bill_1",), "exception_type": "INVOICE_REJECTED", "subject_id": "bill_1"}
ACCESS = {"message_fixture_id": FIXTURES["access_question"], "correlation_id": "work_cycle_1"}
REVISIT = {"message_fixture_id": FIXTURES["revisit_notice"]}
CANNOT = {"message_fixture_id": FIXTURES["cannot_proceed"]}
FOLLOW_UP = POLICY.visit_followup_after_minutes
_QUOTE = {"subject_kind": "QUOTE", "subject_id": "offer_1"}

ACTION_CASES = (
    # Common guards.
    Case("OPERATION_IS_REPLAY_FINAL", "finalized", "send_message"),
    Case("OPERATION_IS_REPLAY_FINAL", "finalized", "complete"),
    Case("ACTION_OUTSIDE_AGENT_AUTHORITY", "reported", "change_locks"),
    Case("ACTION_OUTSIDE_AGENT_AUTHORITY", partial(Simulator, entitled()), "complete"),
    Case("UNKNOWN_ACTION_TYPE", partial(Simulator, entitled("change_locks")), "change_locks"),
    Case("MALFORMED_ACTION_PAYLOAD", "reported", "request_supplier_visit", {"visit_type": "REPEAT"}),
    Case("MALFORMED_ACTION_PAYLOAD", "reported", "complete", {"reason": "x"}),
    Case("NON_AUTHORITATIVE_EVIDENCE", CLAIMED, "send_message", {"evidence": ("work_cycle_1", "word_1")}),
    Case("UNRESOLVED_EVIDENCE", "reported", "request_supplier_visit", {"evidence": ("work_cycle_1", "nothing")}),
    *(Case("ALREADY_PROVISIONALLY_CLOSED", "closed", action_type) for action_type in SPEC.actions),
    *(
        Case("OPERATION_HANDED_OVER", handed_over, action_type, {"evidence": ()})
        for action_type in SPEC.actions
        if action_type not in ("send_message", "complete")
    ),
    # Visits.
    Case("UNKNOWN_WORK_CYCLE", "", "request_supplier_visit"),
    Case("STALE_WORK_CYCLE", "quoted", "request_supplier_visit"),
    Case("DUPLICATE_VISIT_REQUEST", "visit_requested", "request_supplier_visit"),
    Case("WORK_REQUIRES_AUTHORISATION", "approved", "request_supplier_visit", {"cycle_id": "work_cycle_2"}),
    Case("DUPLICATE_VISIT_REQUEST", after("came", later(FOLLOW_UP)), "request_supplier_visit", AGAIN),
    Case("DUPLICATE_VISIT_REQUEST", after("authorised", later(FOLLOW_UP - 1)), "request_supplier_visit", AGAIN),
    Case(
        "DUPLICATE_VISIT_REQUEST",
        after("authorised", later(FOLLOW_UP), done("request_supplier_visit", **AGAIN)),
        "request_supplier_visit",
        AGAIN,
    ),
    Case("VISIT_TYPE_MISMATCH", "reported", "request_supplier_visit", {"visit_type": "WARRANTY_REVISIT"}),
    Case("UNKNOWN_SUPPLIER", "reported", "request_supplier_visit", {"supplier_actor_id": "nobody"}),
    Case("UNKNOWN_SUPPLIER", "reported", "request_supplier_visit", {"supplier_actor_id": CUSTOMER}),
    # Approval.
    Case("UNKNOWN_QUOTE", "further_work", "request_approval"),
    Case("UNKNOWN_QUOTE", "quoted", "request_approval", {"quote_version": 2}),
    Case("DUPLICATE_CHECKPOINT", "approval_requested", "request_approval"),
    Case("QUOTE_NOT_OPEN", "approved", "request_approval"),
    *(
        Case("QUOTE_BINDING_MISMATCH", "quoted", "request_approval", {field: value})
        for field, value in {
            "amount_minor": 24_601,
            "currency": "EUR",
            "plus_vat": False,
            "scope": "tap",
            "cycle_id": "work_cycle_1",
        }.items()
    ),
    Case(
        "APPROVAL_NOT_REQUIRED",
        MINOR_WORK,
        "request_approval",
        {"amount_minor": POLICY.approval_threshold_minor, "plus_vat": False},
    ),
    Case("QUOTE_EXPIRED", after("quoted", later(VALIDITY + 1)), "request_approval"),
    Case("DEADLINE_OUTSIDE_POLICY", "quoted", "request_approval", {"deadline_after_minutes": DEADLINE - 1}),
    Case("DEADLINE_OUTSIDE_POLICY", "quoted", "request_approval", {"deadline_after_minutes": DEADLINE + 1}),
    # Authorisation.
    Case("UNKNOWN_QUOTE", "approved", "authorise_supplier_work", {"quote_version": 2}),
    Case("QUOTE_BINDING_MISMATCH", "approved", "authorise_supplier_work", {"cycle_id": "work_cycle_1"}),
    Case("DUPLICATE_WORK_AUTHORISATION", "authorised", "authorise_supplier_work"),
    Case(
        "UNKNOWN_CHECKPOINT",
        "approved",
        "authorise_supplier_work",
        {"approval_checkpoint_id": "checkpoint_9"},
    ),
    Case("WORK_NOT_APPROVED", "approval_requested", "authorise_supplier_work"),
    Case("WORK_NOT_APPROVED", refused_approval, "authorise_supplier_work"),
    Case("WORK_NOT_APPROVED", "approved", "authorise_supplier_work", {"approval_checkpoint_id": ABSENT}),
    Case("MISSING_AUTHORITY_EVIDENCE", "approved", "authorise_supplier_work", {"evidence": ("offer_1:v1",)}),
    Case(
        "STALE_APPROVAL",
        after("approved", told("supplier_quote_received", **SECOND_QUOTE)),
        "authorise_supplier_work",
        {"quote_version": 2},
    ),
    Case(
        "QUOTE_NOT_APPROVED",
        after("approved", told("supplier_quote_received", **SECOND_QUOTE)),
        "authorise_supplier_work",
    ),
    Case(
        "QUOTE_NOT_APPROVED",
        after(MINOR_WORK, cheap_quote(quote_version=2)),
        "authorise_supplier_work",
        {"approval_checkpoint_id": ABSENT, "evidence": ()},
    ),
    Case("QUOTE_EXPIRED", after("approved", later(VALIDITY + 1)), "authorise_supplier_work"),
    # Validation.
    Case("UNKNOWN_INVOICE", "verified", "request_invoice_validation"),
    Case("INVOICE_NOT_PENDING", "validation_requested", "request_invoice_validation"),
    Case(
        "WORK_NOT_VERIFIED",
        after("approved", told("supplier_invoice_received")),
        "request_invoice_validation",
        {"evidence": ()},
    ),
    Case(
        "INVOICE_QUOTE_NOT_APPROVED",
        after("verified", told("supplier_invoice_received", quote_version=2)),
        "request_invoice_validation",
    ),
    Case(
        "INVOICE_QUOTE_NOT_APPROVED",
        after(
            "quoted",
            told("supplier_quote_received", quote_version=2),
            done("request_approval", quote_version=2),
            told("approver_decision_received", quote_version=2),
            done("authorise_supplier_work", quote_version=2),
            told("visit_attendance_verified", visit_id="visit_2", cycle_id="work_cycle_2"),
            told("work_evidence_verified"),
            told("supplier_invoice_received"),
        ),
        "request_invoice_validation",
    ),
    *(
        Case(
            "INVOICE_QUOTE_MISMATCH",
            after("verified", told("supplier_invoice_received", **{field: value})),
            "request_invoice_validation",
        )
        for field, value in {"amount_minor": 24_601, "currency": "EUR", "plus_vat": False}.items()
    ),
    Case(
        "INVOICE_QUOTE_MISMATCH",
        after(
            WARRANTY_CAME,
            told("work_evidence_verified", evidence_id="proof_2", **VISIT_3),
            told("supplier_invoice_received", invoice_id="bill_2", cycle_id="work_cycle_3"),
        ),
        "request_invoice_validation",
        {"invoice_id": "bill_2", "evidence": ("proof_2",)},
    ),
    Case("MISSING_AUTHORITY_EVIDENCE", "invoiced", "request_invoice_validation", {"evidence": ("bill_1",)}),
    # Payment.
    Case("UNKNOWN_INVOICE", "verified", "request_payment", {"evidence": ()}),
    Case("DUPLICATE_PAYMENT_REQUEST", "payment_requested", "request_payment"),
    Case("DUPLICATE_PAYMENT_REQUEST", "settled", "request_payment"),
    Case(
        "PAYMENT_NOT_REQUIRED",
        after(WARRANTY, told("supplier_invoice_received", invoice_id="bill_2", cycle_id="work_cycle_3")),
        "request_payment",
        {"invoice_id": "bill_2"},
    ),
    Case(
        "WORK_NOT_VERIFIED",
        after("approved", told("supplier_invoice_received")),
        "request_payment",
        {"evidence": ("bill_1",)},
    ),
    Case("INVOICE_NOT_VALIDATED", "validation_requested", "request_payment"),
    Case("INVOICE_NOT_VALIDATED", refused_invoice, "request_payment"),
    Case("PAYMENT_AMOUNT_MISMATCH", "validated", "request_payment", {"amount_minor": 24_600}),
    Case("PAYMENT_AMOUNT_MISMATCH", "validated", "request_payment", {"currency": "EUR"}),
    Case("MISSING_AUTHORITY_EVIDENCE", "validated", "request_payment", {"evidence": ("bill_1",)}),
    Case("MISSING_AUTHORITY_EVIDENCE", "validated", "request_payment", {"evidence": ("proof_1",)}),
    # Corrections.
    Case("UNKNOWN_INVOICE", "verified", "request_supplier_correction"),
    Case("UNKNOWN_QUOTE", "verified", "request_supplier_correction", {**_QUOTE, "subject_id": "offer_9"}),
    Case("WORK_CYCLE_MISMATCH", refused_invoice, "request_supplier_correction", {"cycle_id": "work_cycle_1"}),
    Case(
        "DUPLICATE_CORRECTION_REQUEST",
        after(refused_invoice, done("request_supplier_correction")),
        "request_supplier_correction",
    ),
    Case("CORRECTION_NOT_ELIGIBLE", "invoiced", "request_supplier_correction"),
    Case("CORRECTION_NOT_ELIGIBLE", "validated", "request_supplier_correction"),
    Case("CORRECTION_NOT_ELIGIBLE", refused_approval, "request_supplier_correction", _QUOTE),
    Case("CORRECTION_NOT_ELIGIBLE", after("quoted", later(VALIDITY)), "request_supplier_correction", _QUOTE),
    Case(
        "CORRECTION_NOT_ELIGIBLE",
        after(excepted, later(POLICY.exception_deadline_after_minutes)),
        "request_supplier_correction",
        _QUOTE,
    ),
    # Messages.
    Case("UNKNOWN_RECIPIENT", "settled", "send_message", {"recipient_actor_id": "nobody"}),
    Case("UNKNOWN_MESSAGE_FIXTURE", "settled", "send_message", {"message_fixture_id": "nothing"}),
    Case("UNKNOWN_CHANNEL", "settled", "send_message", {"channel": "drums"}),
    Case("COMPLETION_NOTICE_WRONG_RECIPIENT", "settled", "send_message", {"recipient_actor_id": APPROVER}),
    Case("NO_COMPLETION_TO_ANNOUNCE", "verified", "send_message"),
    Case("NO_COMPLETION_TO_ANNOUNCE", "settled", "send_message", {"correlation_id": ABSENT}),
    Case(
        "NO_COMPLETION_TO_ANNOUNCE",
        after("settled", told("customer_resolution_reported", status="PERSISTS")),
        "send_message",
    ),
    Case("NO_HANDOVER_TO_ANNOUNCE", "settled", "send_message", HANDOVER_NOTICE),
    Case(
        "OBLIGATION_MESSAGE_BINDING_MISMATCH",
        handed_over,
        "send_message",
        {**HANDOVER_NOTICE, "correlation_id": "work_cycle_1"},
    ),
    Case(
        "OBLIGATION_MESSAGE_BINDING_MISMATCH",
        handed_over,
        "send_message",
        {**HANDOVER_NOTICE, "recipient_actor_id": APPROVER},
    ),
    Case("OBLIGATION_MESSAGE_BINDING_MISMATCH", "approval_requested", "send_message", REMINDER),
    Case("OBLIGATION_MESSAGE_BINDING_MISMATCH", REMINDED, "send_message", {**REMINDER, "correlation_id": ABSENT}),
    Case("OBLIGATION_MESSAGE_BINDING_MISMATCH", REMINDED, "send_message", {**REMINDER, "recipient_actor_id": CUSTOMER}),
    Case(
        "OBLIGATION_MESSAGE_BINDING_MISMATCH",
        after(REMINDED, told("approver_decision_received")),
        "send_message",
        REMINDER,
    ),
    Case(
        "RECIPIENT_ROLE_MISMATCH",
        "reported",
        "send_message",
        {**ACCESS, "recipient_actor_id": APPROVER},
    ),
    Case("UNKNOWN_WORK_CYCLE", "reported", "send_message", {**ACCESS, "correlation_id": ABSENT}),
    Case("UNKNOWN_WORK_CYCLE", "reported", "send_message", {**ACCESS, "correlation_id": "damp_1"}),
    Case("NO_OCCASION_FOR_MESSAGE", "attended", "send_message", ACCESS),
    Case("NO_OCCASION_FOR_MESSAGE", "verified", "send_message", {**ACCESS, "correlation_id": "work_cycle_2"}),
    Case("NO_OCCASION_FOR_MESSAGE", "approved", "send_message", ACCESS),
    Case("NO_OCCASION_FOR_MESSAGE", "settled", "send_message", REVISIT),
    Case("NO_OCCASION_FOR_MESSAGE", WARRANTY, "send_message", REVISIT),
    *(
        Case("NO_OCCASION_FOR_MESSAGE", situation, "send_message", CANNOT)
        for situation in (
            "quoted",
            "approved",
            "validated",
            after(refused_approval, told("supplier_quote_received", **SECOND_QUOTE)),
            after(refused_invoice, told("supplier_invoice_received", **CORRECTED)),
            handed_over,
        )
    ),
    Case("NO_OCCASION_FOR_MESSAGE", refused_approval, "send_message", {**CANNOT, "correlation_id": "work_cycle_1"}),
    Case("CHANNEL_NOT_FOR_PRIMARY_SEND", "settled", "send_message", {"channel": SECONDARY}),
    Case("RECOVERY_BINDING_MISMATCH", "settled", "send_message", RECOVERY),
    Case("RECOVERY_BINDING_MISMATCH", FAILED_NOTICE, "send_message", {**RECOVERY, "channel": ABSENT}),
    Case(
        "RECOVERY_BINDING_MISMATCH",
        after(
            WARRANTY_CAME,
            told("work_evidence_verified", evidence_id="proof_2", **VISIT_3),
            failing("revisit_notice", PRIMARY, 2),
            done("send_message", message_fixture_id=FIXTURES["revisit_notice"], correlation_id="work_cycle_3"),
            lambda case: case.retry("message_2"),
        ),
        "send_message",
        {**RECOVERY, "recovery_of": "message_2", "correlation_id": "work_cycle_3"},
    ),
    Case(
        "RECOVERY_BINDING_MISMATCH",
        after(
            "reported",
            failing("access_question", PRIMARY, 2),
            done("send_message", **ACCESS),
            lambda case: case.retry("message_1"),
            lambda case: case.to("quoted"),
        ),
        "send_message",
        {**RECOVERY, **ACCESS, "correlation_id": "work_cycle_2"},
    ),
    Case("RECOVERY_NOT_NEEDED", "told", "send_message", RECOVERY),
    Case(
        "RECOVERY_NOT_NEEDED",
        after("settled", failing("completion_notice", PRIMARY, 1), done("send_message")),
        "send_message",
        RECOVERY,
    ),
    Case(
        "RECOVERY_ALREADY_ATTEMPTED",
        after(FAILED_NOTICE, failing("completion_notice", SECONDARY, 1), done("send_message", **RECOVERY)),
        "send_message",
        RECOVERY,
    ),
    Case("DUPLICATE_MESSAGE", "told", "send_message"),
    Case("DUPLICATE_MESSAGE", after(refused_approval, done("send_message", **CANNOT)), "send_message", CANNOT),
    Case(
        "DUPLICATE_MESSAGE",
        after("settled", failing("completion_notice", PRIMARY, 1), done("send_message")),
        "send_message",
    ),
    Case("DUPLICATE_MESSAGE", after(FAILED_NOTICE, done("send_message")), "send_message", RECOVERY),
    # Exceptions.
    Case("EXCEPTION_ALREADY_OPEN", excepted, "request_exception_resolution"),
    Case("EXCEPTION_NOT_ELIGIBLE", "quoted", "request_exception_resolution", {"evidence": ()}),
    Case("EXCEPTION_NOT_ELIGIBLE", "approval_requested", "request_exception_resolution"),
    Case("EXCEPTION_NOT_ELIGIBLE", "approved", "request_exception_resolution"),
    Case(
        "EXCEPTION_NOT_ELIGIBLE",
        refused_approval,
        "request_exception_resolution",
        {"exception_type": "APPROVAL_EXPIRED"},
    ),
    Case(
        "EXCEPTION_NOT_ELIGIBLE",
        after(refused_approval, told("supplier_quote_received", **SECOND_QUOTE)),
        "request_exception_resolution",
    ),
    Case(
        "EXCEPTION_NOT_ELIGIBLE",
        after(excepted, told("operator_exception_resolved", decision="AUTHORISE_ALTERNATIVE")),
        "request_exception_resolution",
    ),
    Case("EXCEPTION_NOT_ELIGIBLE", "validated", "request_exception_resolution", _CONTEXT),
    Case("EXCEPTION_NOT_ELIGIBLE", "validated", "request_exception_resolution", {**_CONTEXT, "subject_id": "bill_9"}),
    Case(
        "DEADLINE_OUTSIDE_POLICY",
        refused_approval,
        "request_exception_resolution",
        {"deadline_after_minutes": POLICY.exception_deadline_after_minutes + 1},
    ),
    *(
        Case("INCOMPLETE_CHECKPOINT_CONTEXT", refused_approval, "request_exception_resolution", {"evidence": refs})
        for refs in ((), ("checkpoint_1",), ("offer_1:v1",))
    ),
    Case(
        "INCOMPLETE_CHECKPOINT_CONTEXT",
        refused_invoice,
        "request_exception_resolution",
        {**_CONTEXT, "evidence": ("proof_1",)},
    ),
    # Completion.
    Case("OPEN_CHECKPOINT", "approval_requested", "complete"),
    Case("OPEN_CHECKPOINT", excepted, "complete"),
    Case("OPEN_OBLIGATION", "visit_requested", "complete"),
    Case("OPEN_OBLIGATION", handed_over, "complete"),
    Case(
        "REQUIRED_WAKE_PENDING",
        after(
            "reported",
            failing("access_question", PRIMARY, 1),
            done("send_message", **ACCESS),
        ),
        "complete",
    ),
    Case(
        "HANDOVER_NOTICE_NOT_SENT",
        after(handed_over, later(POLICY.handover_notice_within_minutes)),
        "complete",
    ),
    Case("PAYMENT_MUTATED_BEFORE_HANDOVER", PAID_AND_HANDED_OVER, "complete"),
    Case("OPEN_FURTHER_WORK", "further_work", "complete"),
    Case("OPEN_QUOTE_DECISION", "quoted", "complete"),
    Case("OPEN_INVOICE_REVIEW", after("approved", told("supplier_invoice_received")), "complete"),
    Case(
        "OPEN_INVOICE_REVIEW",
        after("told", told("supplier_invoice_received", invoice_id="bill_2", cycle_id="work_cycle_1")),
        "complete",
    ),
    Case("OPEN_CONTRADICTION", after(CLAIMED, told("approver_decision_received")), "complete"),
    Case("REQUIRED_WAKE_PENDING", "attended", "complete"),
    Case("REQUIRED_WAKE_PENDING", "validation_requested", "complete"),
    Case("REQUIRED_WAKE_PENDING", "payment_requested", "complete"),
    Case("REQUIRED_WAKE_PENDING", after(refused_invoice, done("request_supplier_correction")), "complete"),
    Case("NO_CURRENT_CYCLE", "", "complete"),
    Case("WORK_NOT_VERIFIED", "reported", "complete"),
    Case("WORK_NOT_VERIFIED", "approved", "complete"),
    Case("INVOICE_MISSING", "verified", "complete"),
    Case("INVOICE_NOT_VALIDATED", refused_invoice, "complete"),
    Case("PAYMENT_NOT_SETTLED", "validated", "complete"),
    Case(
        "COMPLETION_NOTICE_NOT_SENT",
        after(FAILED_NOTICE, later(POLICY.completion_notice_within_minutes)),
        "complete",
    ),
    Case(
        "COMPLETION_NOTICE_NOT_SENT",
        after("settled", later(POLICY.completion_notice_within_minutes)),
        "complete",
    ),
)
