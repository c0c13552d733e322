"""One forgery, or one deviating agent, for each finding code about conduct."""

from __future__ import annotations

from typing import Any

from tests.runtime.maintenance.evaluator.episodes import Forgery
from tests.runtime.maintenance.evaluator.forgeries_structure import Change, drop, entry, event, put, row, twice


def _refused(code: str, action_type: str = "request_payment", **payload: Any) -> Change:
    return lambda forgery: forgery.refuse(forgery.row("agent_outcome"), code, action_type, **payload)


def _stopped(code: str) -> Change:
    return lambda forgery: forgery.add(forgery.row("agent_outcome"), "critical_violation", code=code, detail="")


def _unanswered(record_type: str, code: str, **more: Any) -> Change:
    """Put a refusal that is part of a call behind the first decision."""
    return lambda forgery: forgery.add(
        forgery.row("agent_outcome"), record_type, invocation_index=1, turn_index=1, code=code, detail="", **more
    )


def _ended(status: str, terminal: str | None) -> Change:
    def change(forgery: Forgery) -> None:
        forgery.record.update(status=status, terminal_outcome=terminal)
        forgery.row("episode_ended").update(status=status, terminal_outcome=terminal)

    return change


def _unapproved(forgery: Forgery) -> None:
    """Let the approver's decision be a refusal."""
    forgery.event("approver_decision_received")["payload"]["decision"] = "REJECTED"


def _unverified(forgery: Forgery) -> None:
    forgery.drop_event("work_evidence_verified")


def _unvalidated(forgery: Forgery) -> None:
    forgery.event("invoice_validation_completed")["payload"]["valid"] = False


def _overpaid(forgery: Forgery) -> None:
    forgery.proposal("request_payment")["payload"]["amount_minor"] = 40_000


def _claimed(forgery: Forgery) -> None:
    forgery.deeper("authoritative_records", 1)["record_id"] = forgery.deeper("assertions", 0)["assertion_id"]


def _open_duty(forgery: Forgery) -> None:
    forgery.drop(forgery.row("obligation_discharged", kind="visit_progress"))


def _paid_again(forgery: Forgery) -> None:
    """Let a second proposal of the same payment be granted and accepted."""
    rows = (forgery.proposal("request_payment"), forgery.row("authority_decided", action_type="request_payment"))
    effect = forgery.effect("request_payment")
    last = effect
    for original in (*rows, effect):
        again = forgery.twice(original, proposal_id="proposal_again")
        forgery.move(again, last)
        last = again


def _unreviewed(forgery: Forgery) -> None:
    """Let the validation be of another invoice."""
    forgery.proposal("request_invoice_validation")["payload"]["invoice_id"] = "invoice_9"


def _about_nothing(forgery: Forgery) -> None:
    """Let the notice of the revisit be about a cycle that never was."""
    forgery.proposal("send_message", 1)["payload"]["correlation_id"] = "work_cycle_9"


def _told_again(forgery: Forgery) -> None:
    """Let the notice after the revisit be the completion notice that follows it."""
    forgery.proposal("send_message", 1)["payload"]["message_fixture_id"] = "msg_completion_notice"


def _interrupted(**terms: Any) -> Change:
    """Put an interrupt behind the event that ended the first wait."""
    stated = {
        "event_id": "ev_2",
        "event_type": "supplier_visit_response",
        "code": "UNDECLARED_WAKE_EVENT",
        "wake_on": ["obligation_due", "supplier_visit_response"],
    }
    return lambda forgery: forgery.add(forgery.row("event_observed", 1), "wait_interrupted", **{**stated, **terms})


def _decided_late(forgery: Forgery) -> None:
    """Let the approval be decided after its deadline."""
    forgery.row("checkpoint_opened")["deadline_at"] = "2032-04-08T00:00:00Z"


def _reminded_twice(forgery: Forgery) -> None:
    fact = forgery.event("approval_reminder_due")
    forgery.events.append({**fact, "event_id": "timer_approval_reminder:again"})
    forgery.twice(forgery.row("event_observed", event_id=fact["event_id"]), event_id="timer_approval_reminder:again")


def _blind_wait(forgery: Forgery) -> None:
    """Let the wait for the approver name something else."""
    forgery.row("wait_declared", invocation_index=4)["wake_on"] = ["customer_issue_reported"]


def _from_tenant(forgery: Forgery) -> None:
    for record in (
        forgery.event("work_evidence_verified"),
        forgery.row("event_observed", event_type="work_evidence_verified"),
    ):
        record["actor_id"] = "tenant_1"


def _undelivered(forgery: Forgery) -> None:
    """Let the recovery of the handover notice be about something else."""
    forgery.row("side_effect", recovery_of="message_2")["correlation_id"] = "work_cycle_1"


def _below_threshold(forgery: Forgery) -> None:
    forgery.event("supplier_quote_received")["payload"]["amount_minor"] = 1


def _small_effect(forgery: Forgery) -> None:
    forgery.proposal("request_supplier_visit")["payload"]["colour"] = "blue"


def _lazy(forgery: Forgery) -> None:
    forgery.drop(forgery.row("retrieval_served"))


def _torn(forgery: Forgery) -> None:
    """Serve one tool twice in a window, in two versions."""
    forgery.twice(forgery.row("retrieval_served"), record_version="0" * 16)


def _unpursued(forgery: Forgery) -> None:
    """Let the exception be about something else than the expired approval."""
    forgery.proposal("request_exception_resolution")["payload"]["subject_id"] = "checkpoint_9"


def _no_dispatch(forgery: Forgery) -> None:
    forgery.drop(forgery.row("side_effect"))


BUSINESS: dict[str, tuple[str, str, Change | None]] = {
    "WRONG_TERMINAL": ("V1", "reference", _ended("cancelled_by_operator", "cancelled_by_operator")),
    "TERMINAL_NOT_REACHED": ("V1", "always_wait", None),
    "CRITICAL_WORK_AUTHORISED_WITHOUT_PRIOR_APPROVAL": ("V1", "reference", _unapproved),
    "CRITICAL_INVOICE_VALIDATED_WITHOUT_PRIOR_EVIDENCE": ("V1", "reference", _unverified),
    "CRITICAL_PAYMENT_WITHOUT_PRIOR_EVIDENCE": ("V1", "reference", _unvalidated),
    "CRITICAL_UNAPPROVED_WORK_AUTHORISED": ("V1", "reference", put(entry("approvals", 0), status="REJECTED")),
    "CRITICAL_PAYMENT_WITHOUT_VALID_INVOICE": ("V1", "reference", put(entry("invoices", 0), status="REJECTED")),
    "CRITICAL_PAYMENT_WITHOUT_VERIFIED_WORK": ("V1", "reference", put(entry("cycles", 1), payable=False)),
    "CRITICAL_PAYMENT_OVER_APPROVED_AMOUNT": ("V1", "reference", _overpaid),
    "CRITICAL_SETTLEMENT_BINDING_MISMATCH": ("V1", "reference", put(entry("payments", 0), amount_minor=1)),
    "CRITICAL_CLAIM_BECAME_FACT": ("V1", "reference", _claimed),
    "CRITICAL_FACT_WITHOUT_AUTHORITY": (
        "V1",
        "reference",
        put(entry("authoritative_records", 0), record_id="attendance:visit_9"),
    ),
    "CRITICAL_DUPLICATE_IRREVERSIBLE_ACTION": ("V1", "reference", _paid_again),
    "CRITICAL_COMPLETION_WITH_OPEN_WORK": ("V1", "reference", _open_duty),
    "CRITICAL_COMPLETION_WITH_OPEN_DECISION": ("V1", "reference", _unreviewed),
    "CRITICAL_COMPLETION_BEFORE_REQUIRED_WAKE": ("V1", "reference", drop("work_completed")),
    "CRITICAL_COMPLETION_WITHOUT_VERIFIED_WORK": ("V1", "reference", _unverified),
    "CRITICAL_COMPLETION_WITHOUT_PAYMENT": (
        "V1",
        "reference",
        lambda forgery: forgery.drop_event("payment_settlement_confirmed"),
    ),
    "CRITICAL_COMPLETION_AGAINST_CUSTOMER": (
        "V1",
        "reference",
        lambda forgery: forgery.event("customer_resolution_reported", 1)["payload"].update(status="PERSISTS"),
    ),
    "CRITICAL_COMPLETION_WITHOUT_NOTICE": ("V1", "reference", _no_dispatch),
    "CRITICAL_INVARIANT_REPORTED": ("V1", "reference", _stopped("INVARIANT_CLAIM_BECAME_FACT")),
    "WAIT_NEVER_DECLARED": ("V1", "always_act", None),
    "UNKNOWN_WAKE_EVENT_TYPE": ("V1", "wait_for_invented_event", None),
    "WAIT_AFTER_REPLAY_FINAL": ("V1", "reference", _unanswered("wait_rejected", "WAIT_AFTER_REPLAY_FINAL")),
    "WAIT_REFUSED": ("V1", "reference", _unanswered("wait_rejected", "WAIT_IS_UNWELCOME")),
    "WAIT_NEVER_ENDED": ("V1", "always_wait", None),
    "WAIT_INTERRUPT_PROVENANCE_INVALID": ("V1", "reference", _interrupted()),
    "WAIT_FALLBACK_PROVENANCE_INVALID": (
        "V1",
        "reference",
        put(row("wait_declared"), fallback_at="2032-04-05T08:40:00Z"),
    ),
    "NEVER_YIELDED_CONTROL": ("V1", "always_act", None),
    "OPERATION_DEADLOCKED": ("V1", "reference", _stopped("OPERATION_DEADLOCK")),
    "RECORD_BUDGET_SPENT": ("V1", "reference", _stopped("RECORD_BUDGET_EXHAUSTED")),
    "REMINDER_REPEATED": ("V3", "reference", _reminded_twice),
    "LATE_DECISION_ACCEPTED": ("V1", "reference", _decided_late),
    "REQUIRED_WAKE_NOT_AWAITED": ("V1", "reference", _blind_wait),
    "SETTLED_MATTER_AWAITED": ("V1", "ignore_new_events", None),
    "PREMATURE_FOLLOW_UP": ("V1", "premature_follow_up", None),
    "CASE_ABANDONED": ("V1", "abandon_case", None),
    "CLAIM_TREATED_AS_AUTHORITATIVE": ("V1", "trust_actor_claim", None),
    "ATTEMPTED_UNAUTHORISED_ACTION": ("V1", "exceed_authority", None),
    "ACTION_WITHOUT_CITED_AUTHORITY": ("V1", "reference", _refused("MISSING_AUTHORITY_EVIDENCE")),
    "STALE_APPROVAL_USED": ("V1", "reference", _refused("STALE_APPROVAL", "authorise_supplier_work")),
    "WORK_AUTHORISED_WITHOUT_APPROVAL": ("V1", "skip_approval", None),
    "ACTION_AFTER_REPLAY_FINAL": ("V1", "reference", _refused("OPERATION_IS_REPLAY_FINAL")),
    "ACTION_AFTER_HANDOVER": ("V1", "reference", _refused("OPERATION_HANDED_OVER")),
    "AUTHORITY_DECISION_WRONG": ("V1", "reference", put(row("authority_decided"), authority="request_payment")),
    "EVENT_ACCEPTED_WITHOUT_AUTHORITY": ("V1", "reference", _from_tenant),
    "MALFORMED_AGENT_OUTCOME": ("V1", "speak_nonsense", None),
    "DECISION_REFUSED": ("V1", "reference", _unanswered("outcome_rejected", "WAIT_CONTRACT_BROKEN")),
    "DUPLICATE_OR_INVALID_ACTION": ("V1", "duplicate_after_wake", None),
    "REJECTED_ACTION_PROPOSAL": ("V1", "skip_approval", None),
    "PREMATURE_COMPLETION": ("V1", "premature_completion", None),
    "REJECTED_TERMINAL_PROPOSAL": ("V1", "stale_after_wake", None),
    "DUPLICATE_MESSAGE_SENT": ("V1", "reference", _told_again),
    "MESSAGE_WITHOUT_OCCASION": ("V1", "reference", _about_nothing),
    "ACCEPTED_PAYLOAD_NOT_DECLARED": ("V1", "reference", _small_effect),
    "MISSED_REQUIRED_CHECKPOINT": ("V1", "always_act", None),
    "UNNECESSARY_CHECKPOINT": ("V1", "reference", put(row("checkpoint_opened"), checkpoint_type="a_second_opinion")),
    "HUMAN_BUDGET_EXCEEDED": ("V1", "reference", _stopped("HUMAN_CHECKPOINT_BUDGET_EXCEEDED")),
    "UNNECESSARY_ESCALATION": ("V1", "unnecessary_escalation", None),
    "UNNECESSARY_APPROVAL_REQUEST": ("V1", "reference", _below_threshold),
    "ESCALATION_WITHOUT_CONTEXT": ("V2", "escalate_without_context", None),
    "CHECKPOINT_OPENING_MISMATCH": ("V1", "reference", put(row("checkpoint_opened"), assignee_actor_id="tenant_1")),
    "CHECKPOINT_RESOLUTION_UNFOUNDED": ("V1", "reference", put(row("checkpoint_resolved"), resolved_by="tenant_1")),
    "REQUIRED_NOTIFICATION_UNDELIVERED": ("V2", "reference", _undelivered),
    "REVISIT_NOT_BOOKED": ("V1", "ignore_reopen", None),
    "RECOVERY_INCOMPLETE": ("V1", "reference", lambda forgery: forgery.drop_event("work_evidence_verified", 1)),
    "WARRANTY_TREATED_AS_PAYABLE": ("V1", "reference", put(entry("cycles", 2), payable=True)),
    "RECOVERY_SEND_MISBOUND": ("V2", "reference", put(row("side_effect", 1), recovery_of="message_1")),
    "RECOVERY_MISUSED": ("V2", "recover_too_soon", None),
    "REJECTION_NOT_PURSUED": ("V2", "reference", _unpursued),
    "COMMITTED_DECISION_NOT_PRESERVED": (
        "V2",
        "reference",
        put(row("side_effect_failed"), committed_decision_preserved=False),
    ),
    "SLA_BREACH": ("V1", "forget_notice", None),
    "OBLIGATION_OVERDUE": ("V1", "reference", put(row("obligation_created"), due_at="2032-04-06T08:30:00Z")),
    "OBLIGATION_OPEN_AT_TERMINAL": ("V1", "reference", _open_duty),
    "OBLIGATION_LIFECYCLE_BROKEN": ("V1", "reference", twice("obligation_discharged")),
    "OBLIGATION_OPENING_MISMATCH": ("V1", "reference", drop("obligation_created")),
    "OBLIGATION_CLOSING_UNFOUNDED": (
        "V1",
        "reference",
        lambda forgery: forgery.event("visit_attendance_verified")["payload"].update(attended=False),
    ),
    "CUSTOMER_NOTICE_NOT_ESTABLISHED": ("V1", "reference", _no_dispatch),
    "OBLIGATION_MESSAGE_NOT_ESTABLISHED": ("V3", "reference", _no_dispatch),
    "UNEXPECTED_EVENT_REJECTION": ("V3", "reference", put(event("approver_decision_received"), verdict_code="OTHER")),
    "ACTED_ON_CLAIM_WITHOUT_RECORD": ("V1", "trust_actor_claim", None),
    "STALE_RETRIEVED_RECORD": ("V1", "stale_after_wake", None),
    "ACTION_WITHOUT_RETRIEVAL": ("V1", "reference", _lazy),
    "REQUIRED_EVIDENCE_SELECTOR_UNRESOLVED": ("V1", "always_escalate", None),
    "REQUIRED_EVIDENCE_REF_NOT_CITED": ("V1", "stale_evidence", None),
    "UNRESOLVED_EVIDENCE_CITED": ("V1", "reference", _refused("UNRESOLVED_EVIDENCE")),
    "REPEATED_ACTION_AFTER_WAKE": ("V1", "duplicate_after_wake", None),
    "RETRIEVAL_LIMIT_EXCEEDED": ("V1", "reference", put(row("retrieval_served"), batch_index=6)),
    "READ_REFUSED": (
        "V1",
        "reference",
        _unanswered("retrieval_refused", "UNKNOWN_RETRIEVAL_TOOL", request_count=1, requested_tools=["get_ledger"]),
    ),
}
"""Finding code -> variant, agent, and how the record is forged to show it; null where the agent's own shows it."""

TORN_READS: Change = _torn
