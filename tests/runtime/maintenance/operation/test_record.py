"""What a whole course leaves behind: every field of every record, and every row, at the instants they belong to."""

from typing import Any

from tests.runtime.maintenance.operation.simulator import COURSE, Simulator
from tests.runtime.maintenance.operation.situations import excepted, failing
from tests.runtime.maintenance.operation.usual import (
    APPROVER,
    CUSTOMER,
    FIXTURES,
    GROSS,
    HANDOVER_NOTICE,
    OPERATOR,
    POLICY,
    PRIMARY,
    SPEC,
)

STEP = 10
"""Minutes between two steps of the course."""


def minute(minutes: int) -> str:
    return Simulator().instant(minutes)


def told_of_the_end() -> Simulator:
    """A case that has come to its provisional close, ten minutes a step."""
    case = Simulator()
    for stage in [stage for stage in COURSE if stage != "finalized"]:
        case.to(stage)
        case.advance(STEP)
    return case


def rows_of(case: Simulator, root: str) -> list[tuple[Any, ...]]:
    return [tuple(record.values()) for record in case.canonical()[root]]


def test_every_record_of_the_usual_course() -> None:
    case = told_of_the_end()
    validity, deadline = POLICY.approval_validity_minutes, POLICY.approval_deadline_after_minutes
    followup, notice = POLICY.visit_followup_after_minutes, POLICY.completion_notice_within_minutes
    terms = ("offer_1", 1)
    money = (24_600, "GBP", True)
    assert {root: rows_of(case, root) for root in ("cycles", "quotes", "approvals", "invoices", "payments")} == {
        "cycles": [
            (
                "work_cycle_1",
                "DIAGNOSTIC",
                None,
                "trap",
                False,
                "visit_1",
                "WORK_REPORTED",
                "FURTHER_WORK_NEEDED",
                False,
                None,
            ),
            (
                "work_cycle_2",
                "APPROVED_WORK",
                "work_cycle_1",
                "trap",
                True,
                "visit_2",
                "WORK_VERIFIED",
                None,
                False,
                "proof_1",
            ),
        ],
        "quotes": [
            ("offer_1:v1", *terms, "work_cycle_2", *money, "trap", "APPROVED", minute(50), minute(50 + validity))
        ],
        "approvals": [
            (
                "checkpoint_1",
                "offer_1:v1",
                *terms,
                "work_cycle_2",
                *money,
                "trap",
                APPROVER,
                minute(60),
                minute(60 + deadline),
                "APPROVED",
                minute(70),
                False,
            )
        ],
        "invoices": [("bill_1", "work_cycle_2", *terms, *money, "VALIDATED", "check_1", None)],
        "payments": [("payment_1", "bill_1", "work_cycle_2", GROSS, "GBP", "SETTLED", "money_1")],
    }
    assert {root: rows_of(case, root) for root in ("obligations", "authoritative_records", "communications")} == {
        "obligations": [
            (
                "visit_progress:visit_1",
                "visit_progress",
                "work_cycle_1",
                minute(10 + followup),
                "DISCHARGED",
                minute(30),
            ),
            (
                "visit_progress:visit_2",
                "visit_progress",
                "work_cycle_2",
                minute(80 + followup),
                "DISCHARGED",
                minute(90),
            ),
            (
                "completion_notice:work_cycle_2",
                "completion_notice",
                "work_cycle_2",
                minute(150 + notice),
                "DISCHARGED",
                minute(160),
            ),
        ],
        "authoritative_records": [
            ("attendance:visit_1", "visit_attendance", "work_cycle_1", "visit_1", minute(30), {"attended": True}),
            ("attendance:visit_2", "visit_attendance", "work_cycle_2", "visit_2", minute(90), {"attended": True}),
            (
                "proof_1",
                "work_evidence",
                "work_cycle_2",
                "visit_2",
                minute(100),
                {"scope": "trap", "outcome": "WORK_DONE"},
            ),
            ("check_1", "invoice_validation", "work_cycle_2", "bill_1", minute(130), {"valid": True}),
            (
                "money_1",
                "payment_settlement",
                "work_cycle_2",
                "payment_1",
                minute(150),
                {"invoice_id": "bill_1", "amount_minor": GROSS, "currency": "GBP"},
            ),
        ],
        "communications": [
            (
                "message_1",
                CUSTOMER,
                FIXTURES["completion_notice"],
                "completion_notice",
                "work_cycle_2",
                PRIMARY,
                None,
                minute(160),
                1,
                "DELIVERED",
                minute(160),
            )
        ],
    }
    canonical = case.canonical()
    assert canonical["issue"] == {
        "issue_id": "damp_1",
        "reporter_actor_id": CUSTOMER,
        "classification": POLICY.issue_classification,
        "reported_at": minute(0),
    }
    assert canonical["provisional_close"] == {
        "cycle_id": "work_cycle_2",
        "accepted_at": minute(170),
        "reopen_until": minute(170 + POLICY.provisional_close_minutes),
        "timer_event_id": "timer_provisional_close:1",
    }


def test_every_row_of_the_usual_course() -> None:
    progress = {"kind": "visit_progress"}
    first = {"obligation_id": "visit_progress:visit_1", **progress, "cycle_id": "work_cycle_1"}
    second = {"obligation_id": "visit_progress:visit_2", **progress, "cycle_id": "work_cycle_2"}
    notice = {
        "obligation_id": "completion_notice:work_cycle_2",
        "kind": "completion_notice",
        "cycle_id": "work_cycle_2",
    }
    followup = POLICY.visit_followup_after_minutes
    approval = {"checkpoint_id": "checkpoint_1", "checkpoint_type": "repair_quote_approval"}
    rows = [tuple(row.values()) for row in told_of_the_end().rows]
    assert rows == [
        ("obligation_created", *first.values(), minute(10 + followup)),
        ("timer_scheduled", "timer_obligation:visit_progress:visit_1"),
        ("obligation_discharged", *first.values()),
        ("timer_cancelled", "timer_obligation:visit_progress:visit_1"),
        (
            *("checkpoint_opened", *approval.values(), APPROVER, "work_cycle_2"),
            *(minute(60 + POLICY.approval_deadline_after_minutes), None, ["offer_1:v1"]),
        ),
        ("timer_scheduled", "timer_approval_reminder:checkpoint_1"),
        ("timer_scheduled", "timer_approval_deadline:checkpoint_1"),
        ("timer_cancelled", "timer_approval_reminder:checkpoint_1"),
        ("timer_cancelled", "timer_approval_deadline:checkpoint_1"),
        ("checkpoint_resolved", *approval.values(), "APPROVED", APPROVER),
        ("obligation_created", *second.values(), minute(80 + followup)),
        ("timer_scheduled", "timer_obligation:visit_progress:visit_2"),
        ("obligation_discharged", *second.values()),
        ("timer_cancelled", "timer_obligation:visit_progress:visit_2"),
        ("obligation_created", *notice.values(), minute(150 + POLICY.completion_notice_within_minutes)),
        ("timer_scheduled", "timer_obligation:completion_notice:work_cycle_2"),
        ("obligation_discharged", *notice.values()),
        ("timer_cancelled", "timer_obligation:completion_notice:work_cycle_2"),
        ("provisional_close_entered", "work_cycle_2", minute(170 + POLICY.provisional_close_minutes)),
        ("timer_scheduled", "timer_provisional_close:1"),
    ]


def test_records_and_rows_of_an_exception() -> None:
    case = excepted()
    deadline = POLICY.exception_deadline_after_minutes
    exception = ("checkpoint_2", "maintenance_exception_resolution")
    evidence = ["checkpoint_1", "offer_1:v1"]
    assert [tuple(row.values()) for row in case.rows[-2:]] == [
        ("checkpoint_opened", *exception, OPERATOR, "work_cycle_2", minute(deadline), "APPROVAL_REJECTED", evidence),
        ("timer_scheduled", "timer_exception_deadline:checkpoint_2"),
    ]
    case.advance(deadline)
    assert tuple(case.rows[-1].values()) == (
        *("checkpoint_resolved", *exception, "EXPIRED", SPEC.actor_of_role("system_scheduler")),
    )
    assert case.propose("request_exception_resolution").accepted
    case.advance(7)
    assert case.deliver("operator_exception_resolved", checkpoint_id="checkpoint_3").accepted
    about = ("APPROVAL_REJECTED", "checkpoint_1", "work_cycle_2", OPERATOR, evidence)
    assert rows_of(case, "exceptions") == [
        ("checkpoint_2", *about, minute(0), minute(deadline), "EXPIRED", None, minute(deadline)),
        (
            "checkpoint_3",
            *about,
            minute(deadline),
            minute(2 * deadline),
            "RESOLVED",
            "TAKE_OWNERSHIP",
            minute(deadline + 7),
        ),
    ]
    assert [row["record_type"] for row in case.rows[-4:]] == [
        "timer_cancelled",
        "checkpoint_resolved",
        "obligation_created",
        "timer_scheduled",
    ]
    assert case.rows[-2]["due_at"] == minute(deadline + 7 + POLICY.handover_notice_within_minutes)


def test_records_of_claims_corrections_and_failed_messages() -> None:
    case = Simulator().to("approval_requested")
    case.advance(5)
    assert case.deliver("supplier_assertion_received").accepted
    claim = ("word_1", SPEC.actor_of_role("supplier"), "WORK_COMPLETE", "work_cycle_2", minute(5))
    assert rows_of(case, "assertions") == [claim]
    assert rows_of(case, "contradictions") == [("word_1", "work_cycle_2", "OPEN", None)]
    case.advance(POLICY.approval_validity_minutes)
    assert case.state.quotes["offer_1:v1"].status == "EXPIRED"
    assert case.propose("request_exception_resolution", exception_type="APPROVAL_EXPIRED").accepted
    assert case.deliver("operator_exception_resolved", decision="AUTHORISE_ALTERNATIVE").accepted
    assert case.propose("request_supplier_correction", subject_kind="QUOTE", subject_id="offer_1").accepted
    assert case.effect.bindings == {"quote_id": "offer_1"}
    at = minute(5 + POLICY.approval_validity_minutes)
    assert rows_of(case, "corrections") == [("QUOTE", "offer_1", "work_cycle_2", at, "OPEN")]

    case = excepted()
    assert case.deliver("operator_exception_resolved").accepted
    failing("handover_notice", PRIMARY, 2)(case)
    assert case.propose("send_message", **HANDOVER_NOTICE).accepted
    case.advance(30)
    case.retry("message_1")
    assert rows_of(case, "communications")[0][-3:] == (2, "FAILED", minute(30))
    assert case.effect.cycle_id == "work_cycle_2"


def test_bindings_lead_from_each_cause_to_what_depends_on_it() -> None:
    visit = {"visit_id": "visit_1", "related_visit_id": "visit_1"}
    expected: dict[str, tuple[str | None, dict[str, str]]] = {
        "reported": ("work_cycle_1", {}),
        "visit_requested": ("work_cycle_1", visit),
        "visit_accepted": ("work_cycle_1", visit),
        "attended": ("work_cycle_1", visit),
        "further_work": ("work_cycle_1", visit),
        "quoted": ("work_cycle_2", {"quote_id": "offer_1"}),
        "approval_requested": ("work_cycle_2", {"checkpoint_id": "checkpoint_1"}),
        "approved": ("work_cycle_2", {"checkpoint_id": "checkpoint_1"}),
        "authorised": ("work_cycle_2", dict.fromkeys(visit, "visit_2")),
        "came": ("work_cycle_2", dict.fromkeys(visit, "visit_2")),
        "verified": ("work_cycle_2", dict.fromkeys(visit, "visit_2")),
        "invoiced": ("work_cycle_2", {"invoice_id": "bill_1"}),
        "validation_requested": ("work_cycle_2", {"invoice_id": "bill_1"}),
        "validated": ("work_cycle_2", {"invoice_id": "bill_1"}),
        "payment_requested": ("work_cycle_2", {"payment_request_id": "payment_1", "invoice_id": "bill_1"}),
        "settled": ("work_cycle_2", {"payment_request_id": "payment_1"}),
        "told": ("work_cycle_2", {"work_id": "message_1"}),
        "closed": ("work_cycle_2", dict.fromkeys(visit, "visit_2")),
        "finalized": ("work_cycle_2", {}),
    }
    case = Simulator()
    for stage, step in COURSE.items():
        outcome = step(case)
        cause: Any = outcome if hasattr(outcome, "bindings") else case.effect
        assert (cause.cycle_id, dict(cause.bindings)) == expected[stage], stage
