"""The reference in courses that the packaged variants do not take: each ends as it should, with nothing refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from operatebench.runtime.core.episode import Episode
from operatebench.runtime.core.plain import thaw
from operatebench.runtime.maintenance.spec import packaged_spec
from operatebench.runtime.maintenance.spec.load import parse_spec
from tests.runtime.maintenance.agents.episodes import refusals, rows, run, sent

Variant = dict[str, Any]
Change = Callable[[Variant], None]
QUOTE_1 = {"quote_id": "quote_1", "quote_version": 1}


def course(variant_id: str, *changes: Change, terminal: str | None = None, budget: int = 3) -> Episode:
    """Run the reference on a packaged variant after some changes."""
    content = thaw(packaged_spec().content)
    variant = content["variants"][variant_id]
    variant["human_checkpoint_budget"] = budget
    variant["expected_terminal"] = terminal or variant["expected_terminal"]
    for change in changes:
        change(variant)
    events = [*content["opening"], *(event for each in content["variants"].values() for event in each["events"])]
    shown = {event.get("surface_fixture_id") for event in events}
    content["surface_fixtures"] = {name: text for name, text in content["surface_fixtures"].items() if name in shown}
    return run(parse_spec(json.dumps(content).encode(), "changed.yaml"), "reference", variant_id)


def setting(event_id: str, **payload: Any) -> Change:
    """Let an event say something else."""

    def change(variant: Variant) -> None:
        next(event for event in variant["events"] if event["event_id"] == event_id)["payload"].update(payload)

    return change


def without(*event_ids: str) -> Change:
    """Let events not happen."""

    def change(variant: Variant) -> None:
        variant["events"] = [event for event in variant["events"] if event["event_id"] not in event_ids]
        variant["expected_event_rejections"] = []

    return change


def then(event_type: str, after: str, delay: int, match: dict[str, Any], **payload: Any) -> Change:
    """Let an event follow an action or another event."""
    actor = {
        "approver_decision_received": "landlord_1",
        "customer_resolution_reported": "tenant_1",
        "invoice_validation_completed": "verification_desk",
        "operator_exception_resolved": "duty_manager_1",
        "payment_settlement_confirmed": "payment_desk",
        "supplier_assertion_received": "plumber_1",
        "supplier_invoice_received": "plumber_1",
        "supplier_quote_received": "plumber_1",
        "supplier_visit_response": "plumber_1",
        "visit_attendance_verified": "verification_desk",
        "work_evidence_verified": "verification_desk",
    }[event_type]

    kind = "action" if after.startswith("request_") else "event"

    def change(variant: Variant) -> None:
        variant["events"].append(
            {
                "event_id": f"ev_added_{len(variant['events'])}",
                "event_type": event_type,
                "actor_id": actor,
                "trigger": {"kind": kind, "type_name": after, "correlation": match},
                "delay_minutes": delay,
                "triggers_agent": True,
                "payload": payload,
            }
        )

    return change


def fault(channel: str, first_attempts: int) -> Change:
    """Let the first attempts at the handover notice fail on a channel."""

    def change(variant: Variant) -> None:
        kept = [row for row in variant["dispatch_faults"] if row["channel"] != channel]
        row = {"message_fixture_id": "msg_handover_notice", "channel": channel, "first_attempts": first_attempts}
        variant["dispatch_faults"] = [*kept, row]

    return change


TERMS = {"amount_minor": 20_000, "currency": "GBP", "plus_vat": True, "scope": "replace_sink_trap_and_waste_pipe"}
SECOND_QUOTE = then(
    "supplier_quote_received",
    "request_supplier_correction",
    300,
    {"subject_kind": "QUOTE"},
    quote_id="quote_1",
    quote_version=2,
    cycle_id="work_cycle_2",
    parent_cycle_id="work_cycle_1",
    **TERMS,
)


def test_a_cancellation_is_announced_and_final() -> None:
    done = course("V2", setting("ev_9", decision="CANCEL_OPERATION"), terminal="cancelled_by_operator")
    assert (done.outcome.status, refusals(done)) == ("cancelled_by_operator", [])
    assert sent(done)[-1] == ("secondary", "handover_notice", "work_cycle_2", "message_2")


def test_a_notice_that_arrives_at_the_second_attempt_needs_no_recovery() -> None:
    done = course("V2", fault("primary", 1))
    assert (done.outcome.status, refusals(done)) == ("transferred_to_human_ownership", [])
    assert sent(done)[-1] == ("primary", "handover_notice", "work_cycle_2", None)


def test_a_notice_that_no_channel_carries_is_not_sent_for_ever() -> None:
    done = course("V2", fault("primary", 4), fault("secondary", 2))
    assert (done.outcome.status, refusals(done)) == ("operational_horizon_exhausted", [])
    assert [(channel, of) for channel, _, _, of in sent(done)[1:]] == [
        ("primary", None),
        ("secondary", "message_2"),
        ("primary", "message_3"),
        ("secondary", "message_4"),
    ]


def test_a_notice_that_failed_on_both_channels_is_recovered_on_the_first() -> None:
    done = course("V2", fault("secondary", 1))
    assert (done.outcome.status, refusals(done)) == ("transferred_to_human_ownership", [])
    assert sent(done)[-1] == ("primary", "handover_notice", "work_cycle_2", "message_3")


def test_an_operator_who_does_not_answer_is_asked_again() -> None:
    # An answer that followed the deadline directly would be about the exception that had expired.
    between = {"assertion_id": "claim_3", "assertion": "STILL_WAITING", "cycle_id": "work_cycle_2"}
    later = then("supplier_assertion_received", "exception_deadline_due", 10, {"cycle_id": "work_cycle_2"}, **between)
    answer = {"checkpoint_id": "checkpoint_3", "decision": "TAKE_OWNERSHIP"}
    late = then("operator_exception_resolved", "supplier_assertion_received", 50, {"assertion_id": "claim_3"}, **answer)
    done = course("V2", without("ev_9"), later, late)
    assert refusals(done) == []
    assert [item["status"] for item in done.outcome.final_state["exceptions"]] == ["EXPIRED", "RESOLVED"]
    assert done.outcome.status == "transferred_to_human_ownership"


def test_an_alternative_leads_to_a_cheaper_quote_that_needs_no_approval() -> None:
    done = course("V2", setting("ev_9", decision="AUTHORISE_ALTERNATIVE"), SECOND_QUOTE)
    assert refusals(done) == []
    effects = [row["action_type"] for row in rows(done, "effect_accepted")]
    corrected = effects.index("request_supplier_correction")
    assert effects[corrected + 1] == "authorise_supplier_work"
    assert set(effects[corrected + 2 :]) == {"request_supplier_visit"}  # nobody comes in this variant
    assert [item["status"] for item in done.outcome.final_state["quotes"]] == ["SUPERSEDED", "APPROVED"]


def test_an_invalid_invoice_is_corrected_validated_and_paid() -> None:
    done = course(
        "V1",
        setting("ev_11", valid=False, reason_code="NO_REFERENCE"),
        without("ev_12", "ev_18"),
        then(
            "supplier_invoice_received",
            "request_supplier_correction",
            200,
            {"subject_kind": "INVOICE"},
            invoice_id="invoice_2",
            cycle_id="work_cycle_2",
            **QUOTE_1,
            amount_minor=24_600,
            currency="GBP",
            plus_vat=True,
            corrects_invoice_id="invoice_1",
        ),
        then(
            "invoice_validation_completed",
            "request_invoice_validation",
            75,
            {"invoice_id": "invoice_2"},
            validation_id="validation_2",
            invoice_id="invoice_2",
            valid=True,
        ),
        then(
            "payment_settlement_confirmed",
            "request_payment",
            150,
            {"invoice_id": "invoice_2"},
            settlement_id="settlement_1",
            payment_request_id="payment_1",
            invoice_id="invoice_2",
            cycle_id="work_cycle_2",
            amount_minor=29_520,
            currency="GBP",
        ),
    )
    assert (done.outcome.status, refusals(done)) == ("completed_successfully", [])
    assert [item["status"] for item in done.outcome.final_state["invoices"]] == ["SUPERSEDED", "VALIDATED"]


def test_an_invoice_that_is_never_corrected_goes_to_the_operator() -> None:
    done = course(
        "V1",
        setting("ev_11", valid=False),
        without("ev_18"),
        then(
            "operator_exception_resolved",
            "request_exception_resolution",
            60,
            {"exception_type": "INVOICE_REJECTED"},
            checkpoint_id="checkpoint_2",
            decision="TAKE_OWNERSHIP",
        ),
        terminal="transferred_to_human_ownership",
    )
    assert (done.outcome.status, refusals(done)) == ("transferred_to_human_ownership", [])


def test_a_declined_visit_is_requested_again() -> None:
    done = course(
        "V1",
        setting("ev_14", response="DECLINED"),
        without("ev_15", "ev_16", "ev_17", "ev_18"),
    )
    visits = [row for row in rows(done, "effect_accepted") if row["action_type"] == "request_supplier_visit"]
    assert [row["cycle_id"] for row in visits[:3]] == ["work_cycle_1", "work_cycle_3", "work_cycle_3"]
    assert refusals(done) == []


def test_a_supplier_who_does_not_come_is_asked_again_and_the_case_ends() -> None:
    came = {"visit_id": "visit_3", "cycle_id": "work_cycle_2"}
    again = {"visit_type": "APPROVED_WORK"}
    done = course(
        "V1",
        without("ev_9", "ev_10", "ev_13", "ev_14", "ev_15", "ev_16", "ev_17", "ev_18"),
        then("supplier_visit_response", "request_supplier_visit", 60, again, **came, response="ACCEPTED"),
        then("visit_attendance_verified", "request_supplier_visit", 900, again, **came, attended=True),
        then(
            "work_evidence_verified",
            "request_supplier_visit",
            990,
            again,
            **came,
            evidence_id="evidence_1",
            scope=TERMS["scope"],
            outcome="WORK_DONE",
        ),
    )
    assert (done.outcome.status, refusals(done)) == ("completed_successfully", [])
    assert [row["obligation_id"] for row in rows(done, "obligation_breached")] == ["visit_progress:visit_2"]


def test_a_customer_who_says_nothing_after_a_revisit_holds_nothing_up() -> None:
    done = course("V1", without("ev_17", "ev_18"))
    assert (done.outcome.status, refusals(done)) == ("completed_successfully", [])
    assert done.outcome.final_state["customer_resolution"] == "PERSISTS"
    assert sent(done)[-1] == ("primary", "completion_notice", "work_cycle_3", None)


def test_an_invoice_that_cannot_match_its_quote_is_corrected_before_it_is_validated() -> None:
    invoice = {"cycle_id": "work_cycle_2", **QUOTE_1, "currency": "GBP", "plus_vat": True}
    asked = then(
        "supplier_invoice_received",
        "work_evidence_verified",
        60,
        {"cycle_id": "work_cycle_2"},
        **invoice,
        invoice_id="invoice_2",
        amount_minor=24_700,
    )
    corrected = then(
        "supplier_invoice_received",
        "request_supplier_correction",
        200,
        {"subject_id": "invoice_2"},
        **invoice,
        invoice_id="invoice_3",
        amount_minor=24_600,
        corrects_invoice_id="invoice_2",
    )
    validated = then(
        "invoice_validation_completed",
        "request_invoice_validation",
        75,
        {"invoice_id": "invoice_3"},
        validation_id="validation_3",
        invoice_id="invoice_3",
        valid=True,
    )
    done = course("V1", asked, corrected, validated)
    assert (done.outcome.status, refusals(done)) == ("completed_successfully", [])
    assert [item["status"] for item in done.outcome.final_state["invoices"]] == ["VALIDATED", "SUPERSEDED", "VALIDATED"]


def test_a_case_reopened_before_its_work_was_paid_pays_it_in_the_end() -> None:
    complaint = then(
        "customer_resolution_reported",
        "request_invoice_validation",
        30,
        {"invoice_id": "invoice_1"},
        issue_id="leak_1",
        status="PERSISTS",
    )
    done = course("V1", without("ev_13", "ev_18"), complaint)
    assert (done.outcome.status, refusals(done)) == ("completed_successfully", [])
    assert [item["status"] for item in done.outcome.final_state["payments"]] == ["SETTLED"]
