"""Each refusal of an event, in the situation that brings it about; nothing changes and nothing is recorded."""

import pytest

from operatebench.runtime.maintenance.refusals import REFUSALS
from tests.runtime.maintenance.operation.situations import Case, after, at, ends, excepted
from tests.runtime.maintenance.operation.usual import ABSENT, CUSTOMER, POLICY, SUPPLIER
from tests.runtime.maintenance.reducers.cases import EVENT_CASES


@pytest.mark.parametrize("case", EVENT_CASES, ids=lambda case: f"{case.tried}-{case.code}")
def test_refuses(case: Case) -> None:
    verdict = case.simulator().deliver(case.tried, **case.changes)
    assert (verdict.accepted, verdict.code, verdict.detail) == (False, case.code, REFUSALS[case.code])


ORDER = (
    # What is tried breaks the rule of the code and every one that is written after it.
    Case("AFTER_REPLAY_FINAL", "finalized", "weather_turned", {"actor_id": "stranger"}),
    Case("UNKNOWN_ACTOR", "", "weather_turned", {"actor_id": "stranger"}),
    Case("UNKNOWN_EVENT_TYPE", "", "weather_turned", {"actor_id": CUSTOMER, "x": 1}),
    Case("EVENT_ACTOR_LACKS_AUTHORITY", "reported", "customer_issue_reported", {"actor_id": SUPPLIER, "x": 1}),
    Case("MALFORMED_EVENT_PAYLOAD", "reported", "customer_issue_reported", {"x": 1}),
    Case("DUPLICATE_ISSUE", "reported", "customer_issue_reported", {"classification": "EMERGENCY"}),
    Case(
        "UNKNOWN_ISSUE",
        "reported",
        "customer_resolution_reported",
        {"issue_id": "damp_2", "cycle_id": "work_cycle_9", "related_visit_id": "visit_9"},
    ),
    Case(
        "UNKNOWN_WORK_CYCLE",
        after("closed", ends(POLICY.provisional_close_minutes + 1)),
        "customer_resolution_reported",
        {"status": "PERSISTS", "cycle_id": "work_cycle_9", "related_visit_id": "visit_9"},
    ),
    Case(
        "UNKNOWN_VISIT",
        after("closed", ends(POLICY.provisional_close_minutes + 1)),
        "customer_resolution_reported",
        {"status": "PERSISTS", "related_visit_id": "visit_9"},
    ),
    Case(
        "UNKNOWN_WORK_CYCLE", "reported", "work_evidence_verified", {"cycle_id": "work_cycle_9", "visit_id": "visit_9"}
    ),
    Case("UNKNOWN_VISIT", "authorised", "work_evidence_verified", {"visit_id": "visit_9", "scope": "tap"}),
    Case("VISIT_NOT_ATTENDED", "verified", "work_evidence_verified", {"scope": "tap"}),
    Case(
        "DUPLICATE_AUTHORITATIVE_RECORD",
        "came",
        "work_evidence_verified",
        {"scope": "tap", "evidence_id": "attendance:visit_2"},
    ),
    Case("ISSUE_NOT_REPORTED", "", "supplier_quote_received", {"amount_minor": 0}),
    Case("DUPLICATE_QUOTE", "closed", "supplier_quote_received", {"amount_minor": 0}),
    Case(
        "OPERATION_PROVISIONALLY_CLOSED", "closed", "supplier_quote_received", {"quote_version": 2, "amount_minor": 0}
    ),
    Case(
        "INVALID_QUOTE_AMOUNT",
        "quoted",
        "supplier_quote_received",
        {"quote_version": 0, "amount_minor": 0, "currency": "EUR"},
    ),
    Case("QUOTE_CURRENCY_MISMATCH", "quoted", "supplier_quote_received", {"quote_version": 0, "currency": "EUR"}),
    Case(
        "STALE_QUOTE_VERSION",
        "authorised",
        "supplier_quote_received",
        {"quote_version": 0, "parent_cycle_id": "work_cycle_9"},
    ),
    Case(
        "UNKNOWN_WORK_CYCLE",
        "authorised",
        "supplier_quote_received",
        {"quote_version": 2, "parent_cycle_id": "work_cycle_9", "cycle_id": "work_cycle_9"},
    ),
    Case(
        "QUOTE_CYCLE_MISMATCH",
        "authorised",
        "supplier_quote_received",
        {"quote_version": 2, "parent_cycle_id": "work_cycle_2"},
    ),
    Case(
        "CHECKPOINT_NOT_OPEN",
        after("approved", ends(POLICY.approval_deadline_after_minutes + 1)),
        "approver_decision_received",
        {"amount_minor": 1},
    ),
    Case(
        "QUOTE_BINDING_MISMATCH",
        after("approval_requested", ends(POLICY.approval_deadline_after_minutes + 1)),
        "approver_decision_received",
        {"amount_minor": 1},
    ),
    Case(
        "WORK_CYCLE_MISMATCH",
        after(excepted, ends(POLICY.exception_deadline_after_minutes + 1)),
        "operator_exception_resolved",
        {"cycle_id": "work_cycle_1"},
    ),
    Case("DUPLICATE_INVOICE", "invoiced", "supplier_invoice_received", {"cycle_id": "work_cycle_9"}),
    Case(
        "UNKNOWN_WORK_CYCLE",
        "closed",
        "supplier_invoice_received",
        {"invoice_id": "bill_2", "cycle_id": "work_cycle_9", "amount_minor": 0},
    ),
    Case(
        "OPERATION_PROVISIONALLY_CLOSED",
        "closed",
        "supplier_invoice_received",
        {"invoice_id": "bill_2", "amount_minor": 0},
    ),
    Case(
        "INVALID_INVOICE_AMOUNT",
        "validated",
        "supplier_invoice_received",
        {"invoice_id": "bill_2", "amount_minor": -1, "corrects_invoice_id": "bill_1"},
    ),
    Case("INVOICE_NOT_AWAITING_VALIDATION", "validated", "invoice_validation_completed", {"cycle_id": "work_cycle_1"}),
    Case(
        "WORK_CYCLE_MISMATCH",
        "validation_requested",
        "invoice_validation_completed",
        {"cycle_id": "work_cycle_1", "validation_id": "proof_1"},
    ),
    Case("PAYMENT_ALREADY_SETTLED", "settled", "payment_settlement_confirmed", {"currency": "EUR"}),
    Case(
        "SETTLEMENT_BINDING_MISMATCH",
        "payment_requested",
        "payment_settlement_confirmed",
        {"currency": "EUR", "settlement_id": "proof_1"},
    ),
)


@pytest.mark.parametrize("case", ORDER, ids=lambda case: f"{case.tried}-{case.code}")
def test_of_two_that_hold_the_first_is_given(case: Case) -> None:
    assert case.simulator().deliver(case.tried, **case.changes).code == case.code


def test_the_last_instant_still_counts() -> None:
    decided = after("approval_requested", ends(POLICY.approval_deadline_after_minutes))()
    assert decided.deliver("approver_decision_received").accepted
    resolved = after(excepted, ends(POLICY.exception_deadline_after_minutes))()
    assert resolved.deliver("operator_exception_resolved").accepted
    reopened = after("closed", ends(POLICY.provisional_close_minutes))()
    assert reopened.deliver("customer_resolution_reported", status="PERSISTS").code == "REOPENED"


def test_optional_fields_may_be_left_out() -> None:
    case = at("further_work")
    assert case.deliver("supplier_quote_received", parent_cycle_id=ABSENT).accepted
    assert case.state.cycles["work_cycle_2"].parent_cycle_id == "work_cycle_1"
    assert case.propose("request_approval").accepted
    assert case.deliver("approver_decision_received", cycle_id=ABSENT).accepted


def test_a_claim_without_a_known_cycle_contradicts_nothing() -> None:
    case = at("quoted")
    for number, cycle_id in enumerate((ABSENT, "work_cycle_9")):
        verdict = case.deliver("supplier_assertion_received", assertion_id=f"word_{number}", cycle_id=cycle_id)
        assert (verdict.code, verdict.observational) == ("OBSERVATIONAL_ONLY", True)
    assert (len(case.state.assertions), case.state.contradictions) == (2, {})


def test_a_refused_event_uses_up_no_id() -> None:
    case = at("validation_requested")
    assert not case.deliver("invoice_validation_completed", cycle_id="work_cycle_1").accepted
    assert case.deliver("invoice_validation_completed").accepted
