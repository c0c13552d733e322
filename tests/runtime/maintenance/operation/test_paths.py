"""Whole courses of a case: every dead end has a way on, every duty can be met or missed, and an end is an end."""

from typing import Any

import pytest

from tests.runtime.maintenance.operation.simulator import Simulator
from tests.runtime.maintenance.operation.situations import (
    AGAIN,
    VISIT_3,
    WARRANTY,
    WARRANTY_CAME,
    at,
    cheap_quote,
    duty,
    excepted,
    handed_over,
    ok,
    phases_from_here_to_the_end,
    refused_approval,
    refused_invoice,
    told,
)
from tests.runtime.maintenance.operation.usual import (
    ABSENT,
    EVENTS,
    GROSS,
    HANDOVER_NOTICE,
    OPERATOR,
    POLICY,
)

_CYCLE_2 = {"cycle_id": "work_cycle_2"}
MISBILLED: dict[str, dict[str, Any]] = {
    "of another amount": {"amount_minor": 24_700},
    "of an unknown quote": {"quote_version": 9},
    "of a superseded quote": {"quote_id": "offer_0"},
}


def test_the_usual_course() -> None:
    case = at("finalized")
    assert case.state.phase == "FINALIZED"
    assert case.recorded("terminal_accepted") == [
        {
            "record_type": "terminal_accepted",
            "outcome": "completed_successfully",
            "cycle_id": "work_cycle_2",
            "actor_id": None,
        }
    ]
    assert case.canonical()["terminal"] == {
        "outcome": "completed_successfully",
        "at": case.instant(POLICY.provisional_close_minutes),
        "cycle_id": "work_cycle_2",
    }
    assert [item.status for item in case.state.obligations.values()] == ["DISCHARGED"] * 3
    assert case.state.payments["payment_1"].amount_minor == GROSS


def test_phases() -> None:
    expected = {
        "": "NEW",
        "reported": "ACTIVE",
        "visit_requested": "WAITING_VISIT",
        "attended": "WAITING_VISIT",
        "further_work": "ACTIVE",
        "approval_requested": "WAITING_APPROVAL",
        "approved": "ACTIVE",
        "authorised": "WAITING_VISIT",
        "verified": "ACTIVE",
        "closed": "PROVISIONALLY_CLOSED",
    }
    assert {stage: at(stage).state.phase for stage in expected} == expected
    assert excepted().state.phase == "WAITING_EXCEPTION"


def test_a_declined_visit_leaves_room_for_another() -> None:
    case = at("visit_requested")
    ok(case.deliver("supplier_visit_response", response="DECLINED"))
    assert duty(case, "visit_progress:visit_1") == "CANCELLED"
    ok(case.propose("request_supplier_visit"))
    assert not case.deliver("supplier_visit_response").accepted
    ok(
        case.deliver("supplier_visit_response", visit_id="visit_2"),
        case.deliver("visit_attendance_verified", visit_id="visit_2"),
    )


def test_a_missed_visit_for_quoted_work_is_authorised_again() -> None:
    case = at("authorised")
    ok(case.deliver("visit_attendance_verified", visit_id="visit_2", attended=False, **_CYCLE_2))
    assert case.state.cycles["work_cycle_2"].visit_status == "MISSED"
    assert duty(case, "visit_progress:visit_2") == "CANCELLED"
    ok(
        case.propose("authorise_supplier_work"),
        case.deliver("visit_attendance_verified", visit_id="visit_3", **_CYCLE_2),
        case.deliver("work_evidence_verified", visit_id="visit_3"),
    )
    facts = {record.record_id: record.facts for record in case.state.authoritative_records.values()}
    assert facts["attendance:visit_2"] == {"attended": False}
    assert facts["attendance:visit_3"] == {"attended": True}
    assert facts["proof_1"] == {"scope": "trap", "outcome": "WORK_DONE"}


@pytest.mark.parametrize("way", ["rejected", *MISBILLED])
def test_an_invoice_that_cannot_be_paid_is_corrected(way: str) -> None:
    if way == "rejected":
        case = refused_invoice()
    else:
        case = at("further_work")
        ok(case.deliver("supplier_quote_received", quote_id="offer_0"))
        case.to("verified")
        ok(case.deliver("supplier_invoice_received", **MISBILLED[way]))
    ok(case.propose("request_supplier_correction"))
    assert case.effect.bindings == {"corrects_invoice_id": "bill_1"}
    ok(case.deliver("supplier_invoice_received", invoice_id="bill_2", corrects_invoice_id="bill_1"))
    assert [item.status for item in case.state.invoices.values()] == ["SUPERSEDED", "RECEIVED"]
    assert [item.status for item in case.state.corrections] == ["RECEIVED"]
    refs = ("bill_2", "proof_1")
    ok(
        case.propose("request_invoice_validation", invoice_id="bill_2", evidence=refs),
        case.deliver("invoice_validation_completed", invoice_id="bill_2", validation_id="check_2"),
        case.propose("request_payment", invoice_id="bill_2", evidence=refs),
        case.deliver("payment_settlement_confirmed", invoice_id="bill_2"),
    )
    assert phases_from_here_to_the_end(case) == ["PROVISIONALLY_CLOSED", "FINALIZED"]


def test_a_rejected_invoice_ends_in_a_transfer_or_another_request() -> None:
    def about_the_invoice(decision: str) -> Simulator:
        case = refused_invoice()
        ok(
            case.propose("request_supplier_correction"),
            case.propose(
                "request_exception_resolution",
                exception_type="INVOICE_REJECTED",
                subject_id="bill_1",
                evidence=("bill_1",),
            ),
            case.deliver("operator_exception_resolved", decision=decision),
        )
        return case

    case = about_the_invoice("TAKE_OWNERSHIP")
    ok(case.propose("send_message", **HANDOVER_NOTICE), case.propose("complete"))
    assert case.state.phase == "TRANSFERRED"

    case = about_the_invoice("AUTHORISE_ALTERNATIVE")
    judgement = case.propose("request_supplier_correction")
    assert (judgement.accepted, judgement.basis) == (True, ("bill_1", "checkpoint_2"))
    assert case.propose("request_supplier_correction").code == "DUPLICATE_CORRECTION_REQUEST"
    ok(case.deliver("supplier_invoice_received", invoice_id="bill_2", corrects_invoice_id="bill_1"))
    assert [item.status for item in case.state.corrections] == ["RECEIVED", "RECEIVED"]


def test_an_alternative_leads_to_a_new_version_and_to_completion() -> None:
    case = excepted()
    ok(case.deliver("operator_exception_resolved", decision="AUTHORISE_ALTERNATIVE"))
    assert (case.state.phase, case.state.handover) == ("ACTIVE", None)
    judgement = case.propose("request_supplier_correction", subject_kind="QUOTE", subject_id="offer_1")
    assert (judgement.accepted, judgement.basis) == (True, ("checkpoint_2", "offer_1:v1"))
    terms = {"quote_version": 2, "amount_minor": 23_000}
    ok(case.deliver("supplier_quote_received", **terms))
    assert [item.status for item in case.state.quotes.values()] == ["SUPERSEDED", "RECEIVED"]
    assert [item.status for item in case.state.corrections] == ["RECEIVED"]
    ok(case.propose("request_approval", **terms))
    assert case.effect.bindings == {"checkpoint_id": "checkpoint_3"}
    ok(case.deliver("approver_decision_received", checkpoint_id="checkpoint_3", **terms))
    named = {"quote_version": 2, "approval_checkpoint_id": "checkpoint_3", "evidence": ("checkpoint_3",)}
    ok(
        case.propose("authorise_supplier_work", **named),
        case.deliver("visit_attendance_verified", visit_id="visit_2", **_CYCLE_2),
        case.deliver("work_evidence_verified"),
        case.deliver("supplier_invoice_received", **terms),
        case.propose("request_invoice_validation"),
        case.deliver("invoice_validation_completed"),
        case.propose("request_payment", amount_minor=27_600),
        case.deliver("payment_settlement_confirmed", amount_minor=27_600),
    )
    assert phases_from_here_to_the_end(case) == ["PROVISIONALLY_CLOSED", "FINALIZED"]


def test_a_quote_that_ran_out_is_asked_for_anew() -> None:
    for stage in ("quoted", "approved"):
        case = at(stage)
        case.advance(POLICY.approval_validity_minutes + 1)
        ok(
            case.propose("request_supplier_correction", subject_kind="QUOTE", subject_id="offer_1"),
            case.deliver("supplier_quote_received", quote_version=2),
            case.propose("request_approval", quote_version=2),
        )
        assert case.effect.bindings["checkpoint_id"] == ("checkpoint_1" if stage == "quoted" else "checkpoint_2")


@pytest.mark.parametrize(
    ("decision", "phase", "outcome", "root"),
    [
        ("TAKE_OWNERSHIP", "TRANSFERRED", "transferred_to_human_ownership", "ownership"),
        ("CANCEL_OPERATION", "CANCELLED", "cancelled_by_operator", "cancellation"),
    ],
)
def test_the_operator_takes_over_or_cancels(decision: str, phase: str, outcome: str, root: str) -> None:
    case = handed_over(decision)
    assert case.canonical()[root] == {
        "actor_id": OPERATOR,
        "checkpoint_id": "checkpoint_2",
        "cycle_id": "work_cycle_2",
        "at": case.instant(0),
    }
    ok(case.propose("send_message", **HANDOVER_NOTICE))
    assert duty(case, "handover_notice:checkpoint_2") == "DISCHARGED"
    ok(case.propose("complete"))
    assert (case.state.phase, case.effect.cycle_id) == (phase, "work_cycle_2")
    assert case.recorded("terminal_accepted")[0]["outcome"] == outcome
    assert case.recorded("terminal_accepted")[0]["actor_id"] == OPERATOR


def test_an_expired_exception_can_be_opened_again() -> None:
    case = excepted()
    (verdict,) = case.advance(POLICY.exception_deadline_after_minutes)
    ok(verdict)
    assert case.state.exceptions["checkpoint_2"].status == "EXPIRED"
    assert case.recorded("checkpoint_resolved")[-1]["resolution"] == "EXPIRED"
    ok(
        case.propose("request_exception_resolution"),
        case.deliver("operator_exception_resolved", checkpoint_id="checkpoint_3"),
    )
    assert case.state.ownership is not None


def test_the_decision_about_a_superseded_version_is_kept_and_worth_nothing() -> None:
    case = at("approval_requested")
    ok(
        case.deliver("supplier_quote_received", quote_version=2, amount_minor=23_000),
        case.deliver("approver_decision_received"),
    )
    assert case.state.approvals["checkpoint_1"].status == "APPROVED"
    assert [item.status for item in case.state.quotes.values()] == ["SUPERSEDED", "RECEIVED"]
    assert case.propose("authorise_supplier_work").code == "QUOTE_NOT_APPROVED"


def test_closing_twice_around_a_warranty_revisit() -> None:
    case = WARRANTY()
    assert (case.state.current_cycle_id, case.state.reopen_count) == ("work_cycle_3", 1)
    warranty = case.state.cycles["work_cycle_3"]
    assert (warranty.kind, warranty.parent_cycle_id, warranty.scope, warranty.payable) == (
        "WARRANTY_REVISIT",
        "work_cycle_2",
        "trap",
        False,
    )
    assert case.recorded("operation_reopened") == [
        {
            "record_type": "operation_reopened",
            "reopened_cycle_id": "work_cycle_2",
            "warranty_cycle_id": "work_cycle_3",
            "reason": "CUSTOMER_REPORTS_PERSISTENCE",
        }
    ]
    case = WARRANTY_CAME()
    ok(case.deliver("work_evidence_verified", evidence_id="proof_2", **VISIT_3))
    assert duty(case, "completion_notice:work_cycle_3") == "OPEN"
    ok(case.deliver("customer_resolution_reported", related_visit_id="visit_3", cycle_id="work_cycle_3"))
    ok(case.propose("send_message", correlation_id="work_cycle_3"), case.propose("complete"))
    assert case.effect.bindings == {"visit_id": "visit_3", "related_visit_id": "visit_3"}
    timers = [row["event_id"] for row in case.rows if str(row.get("event_id")).startswith("timer_provisional")]
    assert timers == ["timer_provisional_close:1", "timer_provisional_close:1", "timer_provisional_close:2"]
    ok(*case.advance(POLICY.provisional_close_minutes))
    assert (case.state.phase, len(case.state.payments)) == ("FINALIZED", 1)


def test_resolved_in_the_window_keeps_the_operation_closed() -> None:
    case = at("closed")
    ok(case.deliver("customer_resolution_reported"))
    assert (case.state.phase, case.state.customer_resolution) == ("PROVISIONALLY_CLOSED", "RESOLVED")


def test_persistence_before_the_close_opens_a_warranty_cycle_too_and_the_bill_stays_due() -> None:
    case = at("verified")
    ok(case.deliver("customer_resolution_reported", status="PERSISTS"))
    ok(
        case.propose("request_supplier_visit", visit_type="WARRANTY_REVISIT", cycle_id="work_cycle_3"),
        case.deliver("supplier_visit_response", **VISIT_3),
        case.deliver("visit_attendance_verified", **VISIT_3),
        case.deliver("work_evidence_verified", evidence_id="proof_2", **VISIT_3),
        case.propose("send_message", correlation_id="work_cycle_3"),
        case.deliver("customer_resolution_reported"),
    )
    assert case.propose("complete").code == "INVOICE_MISSING"
    case.to("settled")
    assert "completion_notice:work_cycle_2" not in case.state.obligations
    ok(case.propose("complete"))


def test_persistence_while_work_is_under_way_is_only_noted() -> None:
    case = at("authorised")
    assert case.deliver("customer_resolution_reported", status="PERSISTS").code == "ACCEPTED"
    assert (case.state.customer_resolution, case.state.current_cycle_id) == ("PERSISTS", "work_cycle_2")


def test_further_work_under_warranty_is_quoted_paid_and_answers_the_signal() -> None:
    case = WARRANTY_CAME()
    ok(case.deliver("supplier_work_reported", **VISIT_3))
    assert case.propose("complete").code == "OPEN_FURTHER_WORK"
    assert case.state.cycles["work_cycle_3"].reported_outcome == "FURTHER_WORK_NEEDED"
    cheap_quote(quote_id="offer_2", cycle_id="work_cycle_4", parent_cycle_id="work_cycle_3")(case)
    assert not any(cycle.further_work_open for cycle in case.state.cycles.values())
    named = {"quote_id": "offer_2", "cycle_id": "work_cycle_4", "approval_checkpoint_id": ABSENT, "evidence": ()}
    ok(case.propose("authorise_supplier_work", **named))
    came = {"visit_id": "visit_4", "cycle_id": "work_cycle_4"}
    ok(
        case.deliver("visit_attendance_verified", **came),
        case.deliver("work_evidence_verified", evidence_id="proof_2", **came),
        case.deliver("customer_resolution_reported"),
    )
    assert case.propose("complete").code == "INVOICE_MISSING"


def test_approved_work_that_was_never_sent_for_blocks_completion() -> None:
    case = at("approved")
    cheap_quote(quote_id="offer_2", cycle_id="work_cycle_3", parent_cycle_id="work_cycle_1")(case)
    named = {"quote_id": "offer_2", "cycle_id": "work_cycle_3", "approval_checkpoint_id": ABSENT, "evidence": ()}
    came = {"visit_id": "visit_2", "cycle_id": "work_cycle_3"}
    ok(
        case.propose("authorise_supplier_work", **named),
        case.deliver("visit_attendance_verified", **came),
        case.deliver("work_evidence_verified", **came),
    )
    assert case.propose("complete").code == "WORK_NOT_VERIFIED"


def test_work_that_was_refused_needs_no_invoice_where_other_work_was_done() -> None:
    case = refused_approval()
    cheap_quote(quote_id="offer_2", cycle_id="work_cycle_3", parent_cycle_id="work_cycle_1")(case)
    about = {"quote_id": "offer_2", "cycle_id": "work_cycle_3"}
    came = {"visit_id": "visit_2", "cycle_id": "work_cycle_3"}
    money = {"amount_minor": POLICY.approval_threshold_minor}
    ok(
        case.propose("authorise_supplier_work", approval_checkpoint_id=ABSENT, evidence=(), **about),
        case.deliver("visit_attendance_verified", **came),
        case.deliver("work_evidence_verified", **came),
        case.deliver("supplier_invoice_received", plus_vat=False, **about, **money),
        case.propose("request_invoice_validation"),
        case.deliver("invoice_validation_completed", cycle_id="work_cycle_3"),
        case.propose("request_payment", **money),
        case.deliver("payment_settlement_confirmed", cycle_id="work_cycle_3", **money),
        case.propose("send_message", correlation_id="work_cycle_3"),
        case.propose("complete"),
    )


def test_a_bill_for_work_under_warranty_is_corrected_to_the_work_it_is_for() -> None:
    case = WARRANTY_CAME()
    ok(
        case.deliver("supplier_invoice_received", invoice_id="bill_2", cycle_id="work_cycle_3"),
        case.deliver("work_evidence_verified", evidence_id="proof_2", **VISIT_3),
        case.propose("send_message", correlation_id="work_cycle_3"),
    )
    assert case.propose("complete").code == "OPEN_INVOICE_REVIEW"
    ok(
        case.propose("request_supplier_correction", subject_id="bill_2", cycle_id="work_cycle_3"),
        case.deliver("supplier_invoice_received", invoice_id="bill_3", corrects_invoice_id="bill_2"),
        case.propose("request_invoice_validation", invoice_id="bill_3"),
        case.deliver("invoice_validation_completed", invoice_id="bill_3", validation_id="check_2"),
        case.propose("complete"),
    )
    assert [item.status for item in case.state.invoices.values()] == ["VALIDATED", "SUPERSEDED", "VALIDATED"]
    assert len(case.state.payments) == 1


def test_a_revisit_verified_after_the_complaint_completes_without_another_word_of_the_customer() -> None:
    case = WARRANTY_CAME()
    ok(case.deliver("work_evidence_verified", evidence_id="proof_2", **VISIT_3))
    assert case.propose("complete").code == "OPEN_OBLIGATION"
    ok(case.propose("send_message", correlation_id="work_cycle_3"), case.propose("complete"))
    assert case.state.customer_resolution == "PERSISTS"
    ok(case.deliver("customer_resolution_reported", status="PERSISTS"))
    assert (case.state.current_cycle_id, case.state.reopen_count) == ("work_cycle_4", 2)


def test_nothing_finishes_while_something_the_completion_guard_names_is_open() -> None:
    case = at("closed")
    case.state.cycles["work_cycle_1"].further_work_open = True
    (verdict,) = case.advance(POLICY.provisional_close_minutes)
    assert (verdict.code, case.state.phase) == ("OPEN_FURTHER_WORK", "PROVISIONALLY_CLOSED")


@pytest.mark.parametrize("answered", [False, True])
def test_a_supplier_who_does_not_come_is_asked_again_once_the_visit_is_overdue(answered: bool) -> None:
    case = at("visit_accepted" if answered else "visit_requested")
    ok(*case.advance(POLICY.visit_followup_after_minutes), case.propose("request_supplier_visit"))
    assert (case.effect.bindings["visit_id"], duty(case, "visit_progress:visit_2")) == ("visit_2", "OPEN")
    assert case.deliver("supplier_visit_response").code == "UNKNOWN_VISIT"
    ok(case.deliver("supplier_visit_response", visit_id="visit_2"))


def test_approved_work_keeps_its_authorisation_when_its_visit_is_overdue() -> None:
    case = at("authorised")
    case.advance(POLICY.visit_followup_after_minutes)
    assert case.propose("authorise_supplier_work").code == "DUPLICATE_WORK_AUTHORISATION"
    assert case.propose("request_supplier_visit", cycle_id="work_cycle_2").code == "VISIT_TYPE_MISMATCH"
    ok(
        case.propose("request_supplier_visit", **AGAIN),
        case.deliver("supplier_visit_response", visit_id="visit_3", **_CYCLE_2),
        case.deliver("visit_attendance_verified", visit_id="visit_3", **_CYCLE_2),
        case.deliver("work_evidence_verified", visit_id="visit_3"),
    )
    assert case.operation.monitor(case.state) is None


def test_evidence_resolves_contradictions_of_the_cycle_and_those_it_follows_from() -> None:
    case = at("approval_requested")
    for number in (1, 2):
        told("supplier_assertion_received", assertion_id=f"word_{number}", cycle_id=f"work_cycle_{number}")(case)
    assert [item.status for item in case.state.contradictions.values()] == ["OPEN", "OPEN"]
    case.to("verified")
    assert {(item.status, item.resolved_by) for item in case.state.contradictions.values()} == {("RESOLVED", "proof_1")}
    told("supplier_assertion_received", assertion_id="word_3", cycle_id="work_cycle_1")(case)
    told("supplier_assertion_received", assertion_id="word_4", assertion="ON_OUR_WAY")(case)
    assert set(case.state.contradictions) == {"word_1", "word_2"}


def test_a_diagnostic_visit_that_mends_it_costs_nothing() -> None:
    case = at("attended")
    ok(
        case.deliver("supplier_work_reported", outcome="WORK_DONE"),
        case.deliver("work_evidence_verified", visit_id="visit_1", cycle_id="work_cycle_1", scope="seal"),
        case.propose("send_message", correlation_id="work_cycle_1"),
        case.propose("complete"),
    )
    assert case.state.cycles["work_cycle_1"].scope == "seal"


@pytest.mark.parametrize("stage", ["finalized", "transferred", "cancelled"])
def test_nothing_changes_what_is_final(stage: str) -> None:
    if stage == "finalized":
        case = at("finalized")
    else:
        case = handed_over("TAKE_OWNERSHIP" if stage == "transferred" else "CANCEL_OPERATION")
        ok(case.propose("send_message", **HANDOVER_NOTICE), case.propose("complete"))
    before = case.canonical()
    for event_type in EVENTS:
        assert case.deliver(event_type).code == "AFTER_REPLAY_FINAL"
    assert case.canonical() == before
    assert case.operation.is_replay_final(case.state)


def test_business_goes_on_arriving_after_a_handover_without_harm() -> None:
    case = handed_over()
    ok(
        case.deliver("supplier_quote_received", quote_version=2),
        case.deliver("supplier_invoice_received", quote_version=2),
        case.propose("send_message", **HANDOVER_NOTICE),
        case.propose("complete"),
    )


def test_a_newer_quote_ends_the_need_for_an_exception() -> None:
    case = refused_approval()
    ok(case.deliver("supplier_quote_received", quote_version=2))
    assert case.propose("request_exception_resolution").code == "EXCEPTION_NOT_ELIGIBLE"
    ok(case.propose("request_approval", quote_version=2))
