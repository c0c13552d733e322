"""Each refusal of an action and of completion, in the situation that brings it about; judging changes nothing."""

import pytest

from operatebench.runtime.maintenance.refusals import REFUSALS
from tests.runtime.maintenance.actions.cases import ACTION_CASES
from tests.runtime.maintenance.operation.situations import (
    FAILED_NOTICE,
    MINOR_WORK,
    RECOVERY,
    REMINDED,
    SECOND_QUOTE,
    VALIDITY,
    Case,
    after,
    at,
    done,
    excepted,
    handed_over,
    later,
    refused_approval,
    refused_invoice,
    told,
)
from tests.runtime.maintenance.operation.usual import ABSENT, APPROVER, HANDOVER_NOTICE, PRIMARY, SECONDARY


@pytest.mark.parametrize("case", ACTION_CASES, ids=lambda case: f"{case.tried}-{case.code}")
def test_refuses(case: Case) -> None:
    judgement = case.simulator().propose(case.tried, **case.changes)
    assert (judgement.accepted, judgement.code, judgement.detail) == (False, case.code, REFUSALS[case.code])
    assert (judgement.authority, judgement.basis, judgement.opens_checkpoint) == ("", (), False)


ORDER = (
    # What is tried breaks the rule of the code and, as far as they can be broken together, those written after it.
    Case("OPERATION_IS_REPLAY_FINAL", "finalized", "change_locks"),
    Case("ACTION_OUTSIDE_AGENT_AUTHORITY", "reported", "change_locks", {"evidence": ("nothing",)}),
    Case("MALFORMED_ACTION_PAYLOAD", "reported", "request_payment", {"currency": "", "evidence": ("nothing",)}),
    Case(
        "NON_AUTHORITATIVE_EVIDENCE",
        after("told", told("supplier_assertion_received"), done("complete")),
        "request_payment",
        {"evidence": ("nothing", "word_1")},
    ),
    Case("UNRESOLVED_EVIDENCE", "closed", "request_payment", {"evidence": ("nothing",)}),
    Case("UNRESOLVED_EVIDENCE", handed_over, "request_payment", {"evidence": ("nothing",)}),
    Case("ALREADY_PROVISIONALLY_CLOSED", "closed", "request_supplier_visit", {"cycle_id": "work_cycle_9"}),
    Case("OPERATION_HANDED_OVER", handed_over, "request_supplier_visit", {"cycle_id": "work_cycle_9"}),
    Case("UNKNOWN_WORK_CYCLE", "visit_requested", "request_supplier_visit", {"cycle_id": "work_cycle_9"}),
    Case("STALE_WORK_CYCLE", "quoted", "request_supplier_visit", {"visit_type": "WARRANTY_REVISIT"}),
    Case("DUPLICATE_VISIT_REQUEST", "authorised", "request_supplier_visit", {"cycle_id": "work_cycle_2"}),
    Case(
        "WORK_REQUIRES_AUTHORISATION",
        "quoted",
        "request_supplier_visit",
        {"cycle_id": "work_cycle_2", "supplier_actor_id": "nobody"},
    ),
    Case(
        "VISIT_TYPE_MISMATCH",
        "reported",
        "request_supplier_visit",
        {"visit_type": "WARRANTY_REVISIT", "supplier_actor_id": "nobody"},
    ),
    Case("DUPLICATE_CHECKPOINT", "approval_requested", "request_approval", {"amount_minor": 1}),
    Case("QUOTE_NOT_OPEN", "approved", "request_approval", {"amount_minor": 1}),
    Case("QUOTE_BINDING_MISMATCH", after(MINOR_WORK, later(VALIDITY + 1)), "request_approval"),
    Case(
        "APPROVAL_NOT_REQUIRED",
        after(MINOR_WORK, later(VALIDITY + 1)),
        "request_approval",
        {"amount_minor": 25_000, "plus_vat": False},
    ),
    Case("QUOTE_EXPIRED", after("quoted", later(VALIDITY + 1)), "request_approval", {"deadline_after_minutes": 1}),
    Case(
        "QUOTE_BINDING_MISMATCH",
        "authorised",
        "authorise_supplier_work",
        {"cycle_id": "work_cycle_1", "approval_checkpoint_id": "checkpoint_9"},
    ),
    Case(
        "DUPLICATE_WORK_AUTHORISATION", "authorised", "authorise_supplier_work", {"approval_checkpoint_id": "nothing"}
    ),
    Case("WORK_NOT_APPROVED", refused_approval, "authorise_supplier_work", {"evidence": ()}),
    Case(
        "MISSING_AUTHORITY_EVIDENCE",
        after("approved", told("supplier_quote_received", **SECOND_QUOTE)),
        "authorise_supplier_work",
        {"quote_version": 2, "evidence": ()},
    ),
    Case(
        "STALE_APPROVAL",
        after("approved", told("supplier_quote_received", **SECOND_QUOTE), later(VALIDITY + 1)),
        "authorise_supplier_work",
        {"quote_version": 2},
    ),
    Case(
        "QUOTE_NOT_APPROVED",
        after("approved", told("supplier_quote_received", **SECOND_QUOTE), later(VALIDITY + 1)),
        "authorise_supplier_work",
    ),
    Case("INVOICE_NOT_PENDING", "validation_requested", "request_invoice_validation", {"evidence": ()}),
    Case(
        "INVOICE_QUOTE_MISMATCH",
        after("verified", told("supplier_invoice_received", amount_minor=1)),
        "request_invoice_validation",
        {"evidence": ()},
    ),
    Case("DUPLICATE_PAYMENT_REQUEST", "settled", "request_payment", {"amount_minor": 1, "evidence": ()}),
    Case("INVOICE_NOT_VALIDATED", "invoiced", "request_payment", {"amount_minor": 1, "evidence": ()}),
    Case("PAYMENT_AMOUNT_MISMATCH", "validated", "request_payment", {"amount_minor": 1, "evidence": ()}),
    Case(
        "WORK_CYCLE_MISMATCH",
        after(refused_invoice, done("request_supplier_correction")),
        "request_supplier_correction",
        {"cycle_id": "work_cycle_1"},
    ),
    Case(
        "UNKNOWN_RECIPIENT",
        "settled",
        "send_message",
        {"recipient_actor_id": "nobody", "message_fixture_id": "nothing", "channel": "drums"},
    ),
    Case("UNKNOWN_MESSAGE_FIXTURE", "settled", "send_message", {"message_fixture_id": "nothing", "channel": "drums"}),
    Case("UNKNOWN_CHANNEL", "settled", "send_message", {"recipient_actor_id": APPROVER, "channel": "drums"}),
    Case("COMPLETION_NOTICE_WRONG_RECIPIENT", "verified", "send_message", {"recipient_actor_id": APPROVER}),
    Case("NO_COMPLETION_TO_ANNOUNCE", "verified", "send_message", {"channel": SECONDARY}),
    Case("CHANNEL_NOT_FOR_PRIMARY_SEND", "told", "send_message", {"channel": SECONDARY}),
    Case("RECOVERY_BINDING_MISMATCH", "told", "send_message", {**RECOVERY, "channel": PRIMARY}),
    Case(
        "RECOVERY_NOT_NEEDED",
        after(FAILED_NOTICE, done("send_message", **RECOVERY)),
        "send_message",
        {"recovery_of": "message_2"},
    ),
    Case("EXCEPTION_ALREADY_OPEN", excepted, "request_exception_resolution", {"subject_id": "nothing"}),
    Case(
        "EXCEPTION_NOT_ELIGIBLE",
        refused_approval,
        "request_exception_resolution",
        {"subject_id": "nothing", "deadline_after_minutes": 1},
    ),
    Case(
        "DEADLINE_OUTSIDE_POLICY",
        refused_approval,
        "request_exception_resolution",
        {"deadline_after_minutes": 1, "evidence": ()},
    ),
    Case("OPEN_CHECKPOINT", REMINDED, "complete"),
    Case("OPEN_OBLIGATION", handed_over, "complete"),
    Case("OPEN_OBLIGATION", "settled", "complete"),
    Case(
        "OPEN_INVOICE_REVIEW",
        after(
            "approval_requested",
            told("supplier_assertion_received"),
            told("supplier_invoice_received"),
            told("approver_decision_received"),
        ),
        "complete",
    ),
    Case("WORK_NOT_VERIFIED", "approved", "complete"),
)


@pytest.mark.parametrize("case", ORDER, ids=lambda case: f"{case.tried}-{case.code}")
def test_of_two_that_hold_the_first_is_given(case: Case) -> None:
    assert case.simulator().propose(case.tried, **case.changes).code == case.code


def test_a_refused_request_uses_up_no_id() -> None:
    case = at("reported")
    assert not case.propose("request_supplier_visit", visit_type="WARRANTY_REVISIT").accepted
    assert case.propose("request_supplier_visit").accepted
    assert case.effect.bindings["visit_id"] == "visit_1"
    case = at("quoted")
    assert not case.propose("request_approval", scope="tap").accepted
    assert case.propose("request_approval").accepted
    assert case.effect.bindings["checkpoint_id"] == "checkpoint_1"
    case = at("validated")
    assert not case.propose("request_payment", currency="EUR").accepted
    assert case.propose("request_payment").accepted
    assert case.effect.bindings["payment_request_id"] == "payment_1"
    case = at("settled")
    assert not case.propose("send_message", channel=SECONDARY).accepted
    assert case.propose("send_message").accepted
    assert case.effect.bindings["work_id"] == "message_1"


def test_a_grant_names_authority_and_what_it_rests_on() -> None:
    for stage, action_type, basis in (
        ("reported", "request_supplier_visit", ("work_cycle_1",)),
        ("quoted", "request_approval", ("offer_1:v1",)),
        ("approved", "authorise_supplier_work", ("checkpoint_1", "offer_1:v1")),
        ("invoiced", "request_invoice_validation", ("bill_1", "offer_1:v1", "proof_1")),
        ("validated", "request_payment", ("bill_1", "check_1", "proof_1")),
        ("settled", "send_message", ("work_cycle_2",)),
        ("told", "complete", ("money_1", "proof_1")),
    ):
        judgement = at(stage).propose(action_type)
        assert (judgement.code, judgement.authority, judgement.basis) == ("GRANTED", action_type, basis)
        assert judgement.opens_checkpoint == (action_type == "request_approval")
    judgement = refused_approval().propose("request_exception_resolution")
    assert (judgement.basis, judgement.opens_checkpoint) == (("checkpoint_1", "offer_1:v1"), True)
    assert refused_invoice().propose("request_supplier_correction").basis == ("bill_1",)
    assert handed_over().propose("send_message", **HANDOVER_NOTICE).basis == ("checkpoint_2",)


def test_work_exactly_at_the_threshold_needs_no_human() -> None:
    case = MINOR_WORK()
    judgement = case.propose("authorise_supplier_work", approval_checkpoint_id=ABSENT, evidence=())
    assert (judgement.accepted, judgement.basis) == (True, ("offer_1:v1",))
    assert (case.state.quotes["offer_1:v1"].status, case.state.approvals) == ("APPROVED", {})
    assert case.operation.monitor(case.state) is None
