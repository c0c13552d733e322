"""What the reference decides in cases that the packaged variants do not reach."""

from __future__ import annotations

from typing import Any

import pytest

from operatebench.runtime.core.decisions import Decision
from operatebench.runtime.maintenance.agents import create
from operatebench.runtime.maintenance.agents._shared import Case
from tests.runtime.maintenance.agents.looks import (
    EARLIER,
    ISSUE,
    NOW,
    approval,
    cycle,
    event,
    exception,
    invoice,
    look,
    message,
    quote,
)

HANDED_OVER = {"actor_id": "duty_manager_1", "checkpoint_id": "checkpoint_2", "cycle_id": "work_cycle_2", "at": EARLIER}
VERIFIED = cycle(visit_status="WORK_VERIFIED", work_evidence_id="evidence_1", visit_id="visit_2")
REVISITED = VERIFIED | {"kind": "WARRANTY_REVISIT", "payable": False}


def decide(*, now_in: dict[str, Any] | None = None, **given: Any) -> Decision:
    current = now_in or cycle()
    roots: dict[str, Any] = {
        "issue": ISSUE,
        "customer_resolution": "UNCONFIRMED",
        "current_cycle_id": current["cycle_id"],
        "cycles": [current],
        "ownership": None,
        "cancellation": None,
        "provisional_close": None,
    }
    return create("reference").decide(look(**(roots | given)))  # type: ignore[return-value]


def facts(decision: Decision) -> tuple[Any, ...]:
    """Return what counts in a decision, without the texts for people."""
    kind = decision["kind"]
    if kind == "ACT":
        return kind, decision["action_type"], decision["payload"], decision["evidence_refs"]
    if kind == "WAIT":
        return kind, decision["wake_on"]
    if kind == "ESCALATE":
        return kind, decision["checkpoint_id"], decision["exception_type"], decision["evidence_refs"]
    return kind, decision["evidence_refs"]


def notice(purpose: str, correlation_id: str, **more: str) -> tuple[Any, ...]:
    recipient = "landlord_1" if purpose == "approval_reminder" else "tenant_1"
    payload = {
        "recipient_actor_id": recipient,
        "message_fixture_id": f"msg_{purpose}",
        "correlation_id": correlation_id,
    }
    return "ACT", "send_message", payload | more, []


def correction(kind: str, subject_id: str) -> tuple[Any, ...]:
    payload = {"subject_kind": kind, "subject_id": subject_id, "cycle_id": "work_cycle_2"}
    return "ACT", "request_supplier_correction", payload, []


def test_it_waits_for_an_issue() -> None:
    assert facts(decide(issue=None, current_cycle_id=None, cycles=[])) == ("WAIT", ["customer_issue_reported"])


def test_it_waits_while_the_customer_can_still_reopen() -> None:
    close = {"cycle_id": "work_cycle_2", "accepted_at": EARLIER, "reopen_until": NOW, "timer_event_id": "timer_1"}
    assert facts(decide(now_in=VERIFIED, provisional_close=close)) == (
        "WAIT",
        ["customer_resolution_reported", "provisional_close_expired"],
    )


@pytest.mark.parametrize("root", ["ownership", "cancellation"])
@pytest.mark.parametrize(
    ("sent", "expected"),
    [
        ([], notice("handover_notice", "work_cycle_2")),
        ([{"dispatch_status": "PENDING"}], ("WAIT", ["message_delivered", "message_failed"])),
        (
            [{"dispatch_status": "FAILED"}],
            notice("handover_notice", "work_cycle_2", channel="secondary", recovery_of="message_1"),
        ),
        (
            [{"dispatch_status": "FAILED"}, {"dispatch_status": "PENDING", "channel": "secondary"}],
            ("WAIT", ["message_delivered", "message_failed"]),
        ),
        (
            [
                {"dispatch_status": "FAILED"},
                {"dispatch_status": "FAILED", "channel": "secondary", "work_id": "message_2"},
            ],
            notice("handover_notice", "work_cycle_2", channel="primary", recovery_of="message_2"),
        ),
        (
            [{"dispatch_status": "FAILED", "channel": name} for name in ("primary", "secondary") * 2],
            ("WAIT", ["message_delivered", "message_failed"]),
        ),
        ([{"dispatch_status": "FAILED"}, {"dispatch_status": "DELIVERED", "channel": "secondary"}], ("COMPLETE", [])),
    ],
)
def test_an_operator_s_decision_is_announced_until_it_arrives(root: str, sent: Any, expected: Any) -> None:
    communications = [message("handover_notice", "work_cycle_2", **fields) for fields in sent]
    case: dict[str, Any] = {root: HANDED_OVER, "communications": communications}
    assert facts(decide(**case)) == expected


def test_a_notice_about_another_matter_is_not_this_one() -> None:
    earlier = [message("handover_notice", "work_cycle_1")]
    assert facts(decide(ownership=HANDED_OVER, communications=earlier)) == notice("handover_notice", "work_cycle_2")


@pytest.mark.parametrize(
    ("amount", "plus_vat", "action_type"),
    [
        (25_000, False, "authorise_supplier_work"),
        (25_001, False, "request_approval"),
        (20_833, True, "authorise_supplier_work"),  # 24,999.6, rounded half up
        (20_834, True, "request_approval"),
    ],
)
def test_the_gross_amount_decides_whether_approval_is_asked_for(amount: int, plus_vat: bool, action_type: str) -> None:
    decision = decide(quotes=[quote(amount_minor=amount, plus_vat=plus_vat)])
    assert decision["action_type"] == action_type
    assert "approval_checkpoint_id" not in decision["payload"]


@pytest.mark.parametrize("status", ["NONE", "DECLINED", "MISSED"])
def test_approved_work_without_a_visit_is_authorised(status: str) -> None:
    decision = decide(now_in=cycle(visit_status=status), quotes=[quote()], approvals=[approval(status="APPROVED")])
    payload = {
        "quote_id": "quote_1",
        "quote_version": 1,
        "cycle_id": "work_cycle_2",
        "approval_checkpoint_id": "checkpoint_1",
    }
    assert facts(decision) == ("ACT", "authorise_supplier_work", payload, ["checkpoint_1"])


@pytest.mark.parametrize("status", ["NONE", "DECLINED", "MISSED"])
@pytest.mark.parametrize("kind", ["DIAGNOSTIC", "WARRANTY_REVISIT"])
def test_a_cycle_that_costs_nothing_gets_a_visit(kind: str, status: str) -> None:
    decision = decide(now_in=cycle(kind=kind, visit_status=status, payable=False))
    payload = {"visit_type": kind, "cycle_id": "work_cycle_2", "supplier_actor_id": "plumber_1"}
    assert facts(decision) == ("ACT", "request_supplier_visit", payload, [])


@pytest.mark.parametrize("status", ["REJECTED", "EXPIRED"])
def test_a_refused_approval_is_told_escalated_and_then_corrected(status: str) -> None:
    case: dict[str, Any] = {"quotes": [quote(status=status)], "approvals": [approval(status=status)]}
    assert facts(decide(**case)) == notice("cannot_proceed", "work_cycle_2")
    case["communications"] = [message("cannot_proceed", "work_cycle_2", dispatch_status="PENDING")]
    escalation = ("ESCALATE", "checkpoint_1", f"APPROVAL_{status}", ["checkpoint_1", "quote_1:v1"])
    assert facts(decide(**case)) == escalation
    case["exceptions"] = [exception("checkpoint_1", status="EXPIRED", resolved_at=EARLIER)]
    assert facts(decide(**case)) == escalation
    case["exceptions"] = [exception("checkpoint_1")]
    assert facts(decide(**case)) == ("WAIT", ["exception_deadline_due", "operator_exception_resolved"])
    alternative = {"status": "RESOLVED", "resolution": "AUTHORISE_ALTERNATIVE", "resolved_at": EARLIER}
    case["exceptions"] = [exception("checkpoint_1", **alternative)]
    assert facts(decide(**case)) == correction("QUOTE", "quote_1")
    asked = {
        "subject_kind": "QUOTE",
        "subject_id": "quote_1",
        "cycle_id": "work_cycle_2",
        "requested_at": NOW,
        "status": "OPEN",
    }
    case["corrections"] = [asked]
    assert facts(decide(**case)) == ("WAIT", ["supplier_invoice_received", "supplier_quote_received"])
    case["quotes"] = [quote(status="SUPERSEDED"), quote(2, amount_minor=22_000)]
    decision = decide(**case)
    assert (decision["action_type"], decision["payload"]["quote_version"]) == ("request_approval", 2)


def test_the_approver_is_reminded_once_the_reminder_has_fallen_due() -> None:
    assert decide(approvals=[approval()])["kind"] == "WAIT"
    case: dict[str, Any] = {"approvals": [approval(reminder_fired=True)]}
    assert facts(decide(**case)) == notice("approval_reminder", "checkpoint_1")
    case["communications"] = [message("approval_reminder", "checkpoint_1", dispatch_status="FAILED")]
    assert facts(decide(**case)) == notice(
        "approval_reminder", "checkpoint_1", channel="secondary", recovery_of="message_1"
    )
    case["communications"] += [message("approval_reminder", "checkpoint_1")]
    assert decide(**case)["kind"] == "WAIT"


def test_an_invoice_is_validated_paid_and_announced() -> None:
    case: dict[str, Any] = {"now_in": VERIFIED}
    assert facts(decide(**case)) == ("WAIT", ["supplier_invoice_received"])
    case["quotes"] = [quote(status="APPROVED")]
    case["invoices"] = [invoice(invoice_id="invoice_0", status="SUPERSEDED"), invoice()]
    assert facts(decide(**case)) == ("ACT", "request_invoice_validation", {"invoice_id": "invoice_1"}, ["evidence_1"])
    case["invoices"] = [invoice(status="VALIDATION_REQUESTED")]
    assert facts(decide(**case)) == ("WAIT", ["invoice_validation_completed"])
    case["invoices"] = [invoice(status="VALIDATED")]
    payload = {"invoice_id": "invoice_1", "amount_minor": 29_520, "currency": "GBP"}
    assert facts(decide(**case)) == ("ACT", "request_payment", payload, ["evidence_1", "invoice_1"])
    case["payments"] = [{"cycle_id": "work_cycle_2", "status": "REQUESTED"}]
    assert facts(decide(**case)) == ("WAIT", ["payment_settlement_confirmed"])
    case["payments"] = [{"cycle_id": "work_cycle_2", "status": "SETTLED"}]
    assert facts(decide(**case)) == notice("completion_notice", "work_cycle_2")
    case["communications"] = [message("completion_notice", "work_cycle_2")]
    assert facts(decide(**case)) == ("COMPLETE", ["evidence_1"])


def test_a_rejected_invoice_goes_to_the_supplier_then_to_the_operator_then_to_the_supplier() -> None:
    case: dict[str, Any] = {"now_in": VERIFIED, "invoices": [invoice(status="REJECTED")]}
    assert facts(decide(**case)) == correction("INVOICE", "invoice_1")
    asked = {"subject_kind": "INVOICE", "subject_id": "invoice_1", "cycle_id": "work_cycle_2", "status": "OPEN"}
    case["corrections"] = [asked | {"requested_at": EARLIER}]
    waits = ("WAIT", ["supplier_invoice_received", "supplier_quote_received"])
    assert facts(decide(**case, woken_by=event("supplier_assertion_received"))) == waits
    escalation = ("ESCALATE", "invoice_1", "INVOICE_REJECTED", ["invoice_1"])
    assert facts(decide(**case)) == escalation
    case["exceptions"] = [exception("invoice_1", status="EXPIRED", resolved_at=EARLIER)]
    assert facts(decide(**case, woken_by=event("exception_deadline_due"))) == escalation
    case["exceptions"] = [exception("invoice_1", status="RESOLVED", resolved_at=NOW)]
    assert facts(decide(**case)) == correction("INVOICE", "invoice_1")
    case["corrections"] += [asked | {"requested_at": NOW}]
    assert facts(decide(**case)) == waits


def test_the_customer_is_asked_whether_a_revisit_helped_but_not_past_the_notice_s_own_time() -> None:
    case: dict[str, Any] = {"now_in": REVISITED, "customer_resolution": "PERSISTS"}
    assert facts(decide(**case)) == notice("revisit_notice", "work_cycle_2")
    case["communications"] = [message("revisit_notice", "work_cycle_2")]
    assert facts(decide(**case, woken_by=event("work_evidence_verified"))) == ("WAIT", ["customer_resolution_reported"])
    assert facts(decide(**case)) == notice("completion_notice", "work_cycle_2")
    case["communications"] += [message("completion_notice", "work_cycle_2")]
    assert facts(decide(**case)) == ("COMPLETE", ["evidence_1"])
    assert facts(decide(**(case | {"customer_resolution": "RESOLVED"}))) == ("COMPLETE", ["evidence_1"])


def test_a_complaint_older_than_ordinary_work_is_no_reason_to_ask() -> None:
    case: dict[str, Any] = {"now_in": VERIFIED | {"payable": False}, "customer_resolution": "PERSISTS"}
    assert facts(decide(**case)) == notice("completion_notice", "work_cycle_2")


def test_the_shortest_notice_time_still_leaves_a_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Case, "policy", lambda _self, _name: 1)
    asked = [message("revisit_notice", "work_cycle_2")]
    decision = decide(
        now_in=REVISITED,
        customer_resolution="PERSISTS",
        communications=asked,
        woken_by=event("work_evidence_verified"),
    )
    assert decision["fallback_after_minutes"] == 1


@pytest.mark.parametrize(
    "wrong",
    [{"amount_minor": 1}, {"currency": "EUR"}, {"plus_vat": False}, {"quote_version": 2}, {"quote_id": "quote_9"}],
)
def test_an_invoice_that_is_not_the_approved_quote_is_corrected_and_not_sent_to_validation(wrong: Any) -> None:
    case: dict[str, Any] = {"now_in": VERIFIED, "quotes": [quote(status="APPROVED")], "invoices": [invoice(**wrong)]}
    assert facts(decide(**case)) == correction("INVOICE", "invoice_1")
    case["corrections"] = [{"subject_kind": "INVOICE", "subject_id": "invoice_1", "requested_at": EARLIER}]
    assert facts(decide(**case)) == ("WAIT", ["supplier_invoice_received", "supplier_quote_received"])


def test_an_invoice_of_a_superseded_version_is_corrected() -> None:
    quotes = [quote(status="SUPERSEDED"), quote(2, status="APPROVED")]
    assert facts(decide(now_in=VERIFIED, quotes=quotes, invoices=[invoice()])) == correction("INVOICE", "invoice_1")


@pytest.mark.parametrize(
    ("invoices", "payments", "expected"),
    [
        ([], [], ("WAIT", ["supplier_invoice_received"])),
        ([{}], [], ("ACT", "request_invoice_validation", {"invoice_id": "invoice_1"}, ["evidence_1"])),
        ([{"status": "VALIDATED"}], [{"cycle_id": "work_cycle_2", "status": "SETTLED"}], ("COMPLETE", ["evidence_2"])),
    ],
)
def test_the_work_that_was_reopened_is_paid_before_the_end(invoices: Any, payments: Any, expected: Any) -> None:
    warranty = REVISITED | {
        "cycle_id": "work_cycle_3",
        "parent_cycle_id": "work_cycle_2",
        "work_evidence_id": "evidence_2",
    }
    decision = decide(
        now_in=warranty,
        cycles=[VERIFIED, warranty],
        quotes=[quote(status="APPROVED")],
        invoices=[invoice(**fields) for fields in invoices],
        payments=payments,
        communications=[message("completion_notice", "work_cycle_3")],
    )
    assert facts(decision) == expected


def test_an_invoice_for_what_costs_nothing_is_corrected_before_the_end() -> None:
    case: dict[str, Any] = {"now_in": REVISITED, "communications": [message("completion_notice", "work_cycle_2")]}
    assert facts(decide(**case, invoices=[invoice()])) == correction("INVOICE", "invoice_1")


def test_a_refused_completion_is_not_proposed_again_at_once() -> None:
    case: dict[str, Any] = {"now_in": REVISITED, "communications": [message("completion_notice", "work_cycle_2")]}
    assert decide(**case)["kind"] == "COMPLETE"
    decision = decide(**case, rejection={"action_type": "complete", "code": "OPEN_FURTHER_WORK", "detail": "x"})
    assert (decision["kind"], decision["fallback_after_minutes"]) == ("WAIT", 1_440)


@pytest.mark.parametrize("kind", ["DIAGNOSTIC", "APPROVED_WORK", "WARRANTY_REVISIT"])
@pytest.mark.parametrize("status", ["REQUESTED", "SCHEDULED"])
def test_an_overdue_visit_is_requested_again(status: str, kind: str) -> None:
    case: dict[str, Any] = {
        "now_in": cycle(kind=kind, visit_status=status, visit_id="visit_2"),
        "obligations": [{"obligation_id": "visit_progress:visit_2", "status": "BREACHED"}],
    }
    payload = {"visit_type": kind, "cycle_id": "work_cycle_2", "supplier_actor_id": "plumber_1"}
    asked: tuple[Any, ...] = ("ACT", "request_supplier_visit", payload, [])
    assert facts(decide(**case)) == facts(decide(**case, woken_by=event("obligation_due"))) == asked
    assert decide(**(case | {"obligations": []}))["kind"] == "WAIT"


@pytest.mark.parametrize("odd", [None, 7, "text", {"a": 1}, [None, 3, "x", []]])
def test_records_of_an_odd_form_lead_to_waiting(odd: Any) -> None:
    assert decide(cycles=odd)["kind"] == "WAIT"
    assert decide(quotes=odd, approvals=odd)["kind"] == "WAIT"
    assert decide(now_in=VERIFIED, invoices=odd)["kind"] == "WAIT"


def test_claims_are_not_even_read() -> None:
    tools = tuple(tool for tool in look().retrieval["catalogue"] if tool != "list_recent_events")
    claim = {"assertion_id": "claim_1", "assertion": "WORK_COMPLETE", "cycle_id": "work_cycle_2"}
    assert decide(assertions=[claim]) == decide(assertions=[], tools=tools)


@pytest.mark.parametrize(
    ("root", "record"),
    [
        ("approvals", approval(cycle_id="work_cycle_9")),
        ("exceptions", exception("checkpoint_9")),
        ("obligations", {"obligation_id": "visit_progress:visit_2", "status": "OPEN"}),
        ("payments", {"cycle_id": "work_cycle_9", "status": "REQUESTED"}),
        ("communications", message("cannot_proceed", "work_cycle_9", dispatch_status="PENDING")),
    ],
)
def test_it_waits_while_something_stands_in_the_way_of_the_end(root: str, record: Any) -> None:
    told = [message("handover_notice", "work_cycle_2")]
    case: dict[str, Any] = {"ownership": HANDED_OVER, "communications": told}
    assert decide(**case)["kind"] == "COMPLETE"
    assert decide(**(case | {root: [*case.get(root, []), record]}))["kind"] == "WAIT"
