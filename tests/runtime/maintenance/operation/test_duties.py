"""Duties and messages: met, met late, missed, cancelled; sent, failed, retried, recovered."""

from tests.runtime.maintenance.operation.situations import (
    FAILED_NOTICE,
    RECOVERY,
    WARRANTY,
    at,
    duty,
    handed_over,
    ok,
    phases_from_here_to_the_end,
    refused_approval,
    refused_invoice,
)
from tests.runtime.maintenance.operation.usual import (
    FIXTURES,
    HANDOVER_NOTICE,
    POLICY,
    PRIMARY,
    REMINDER,
    SECONDARY,
)


def test_an_unanswered_approval_reminds_then_expires_and_late_answers_change_nothing() -> None:
    case = at("approval_requested")
    (reminder,) = case.advance(POLICY.approval_reminder_after_minutes)
    ok(reminder, case.propose("send_message", **REMINDER))
    assert duty(case, "approval_reminder:checkpoint_1") == "DISCHARGED"
    expired = case.advance(POLICY.approval_deadline_after_minutes)[-1]
    ok(expired)
    assert {case.state.approvals["checkpoint_1"].status, case.state.quotes["offer_1:v1"].status} == {"EXPIRED"}
    assert case.deliver("approver_decision_received").code == "CHECKPOINT_NOT_OPEN"
    ok(case.propose("request_exception_resolution", exception_type="APPROVAL_EXPIRED"))


def test_a_decision_closes_timers_and_the_reminder_duty() -> None:
    case = at("approval_requested")
    case.advance(POLICY.approval_reminder_after_minutes)
    ok(case.deliver("approver_decision_received"))
    assert duty(case, "approval_reminder:checkpoint_1") == "CANCELLED"
    assert case.advance(POLICY.approval_deadline_after_minutes) == []


def test_duties_can_be_missed_and_met_late() -> None:
    case = at("visit_requested")
    (verdict,) = case.advance(POLICY.visit_followup_after_minutes)
    assert (verdict.accepted, verdict.code) == (True, "OBLIGATION_BREACHED")
    ok(case.deliver("supplier_visit_response"), case.deliver("visit_attendance_verified"))
    assert duty(case, "visit_progress:visit_1") == "BREACHED"

    case = at("settled")
    case.advance(POLICY.completion_notice_within_minutes)
    assert duty(case, "completion_notice:work_cycle_2") == "BREACHED"
    assert phases_from_here_to_the_end(case) == ["PROVISIONALLY_CLOSED", "FINALIZED"]
    assert duty(case, "completion_notice:work_cycle_2") == "BREACHED"

    case = handed_over()
    case.advance(POLICY.handover_notice_within_minutes)
    ok(case.propose("send_message", **HANDOVER_NOTICE), case.propose("complete"))
    assert duty(case, "handover_notice:checkpoint_2") == "BREACHED"

    case = at("approval_requested")
    case.advance(POLICY.approval_reminder_after_minutes + POLICY.reminder_within_minutes)
    assert duty(case, "approval_reminder:checkpoint_1") == "BREACHED"


def test_a_duty_met_at_its_last_instant_leaves_no_timer() -> None:
    case = at("settled")
    ok(case.propose("send_message"))
    assert case.advance(POLICY.completion_notice_within_minutes) == []


def test_a_failed_notice_discharges_nothing_and_is_recovered_on_the_other_channel() -> None:
    case = FAILED_NOTICE()
    ok(case.deliver("message_failed"))
    first = case.state.communications["message_1"]
    assert (first.dispatch_status, first.attempts, first.channel) == ("FAILED", 2, PRIMARY)
    assert duty(case, "completion_notice:work_cycle_2") == "OPEN"
    ok(case.propose("send_message", **RECOVERY), case.deliver("message_delivered", work_id="message_2"))
    second = case.state.communications["message_2"]
    assert (second.dispatch_status, second.attempts, second.channel) == ("DELIVERED", 1, SECONDARY)
    assert second.recovery_of == "message_1"
    assert duty(case, "completion_notice:work_cycle_2") == "DISCHARGED"
    ok(case.propose("complete"))


def test_a_retried_notice_that_arrives_discharges_its_duty() -> None:
    case = at("settled")
    case.faults = {(FIXTURES["completion_notice"], PRIMARY): 1}
    ok(case.propose("send_message"))
    message = case.state.communications["message_1"]
    assert (message.dispatch_status, message.attempts, message.ended_at) == ("PENDING", 1, None)
    case.advance(30)
    case.retry("message_1")
    assert (message.dispatch_status, message.attempts, message.ended_at) == ("DELIVERED", 2, case.instant(30))
    assert case.state.obligations["completion_notice:work_cycle_2"].closed_at == case.instant(30)


def test_a_message_without_a_duty_changes_nothing_else() -> None:
    case = at("reported")
    about = {"message_fixture_id": FIXTURES["access_question"], "correlation_id": "work_cycle_1"}
    ok(case.propose("send_message", **about))
    assert case.effect.cycle_id == "work_cycle_1"
    assert case.deliver("message_delivered").cycle_id == "work_cycle_1"
    assert case.canonical()["obligations"] == []


def test_a_message_that_failed_for_good_can_be_sent_anew_or_recovered_back_and_forth() -> None:
    case = FAILED_NOTICE()
    case.faults = {(FIXTURES["completion_notice"], SECONDARY): 1}
    ok(case.propose("send_message", **RECOVERY))
    assert case.state.communications["message_2"].dispatch_status == "FAILED"
    ok(case.propose("send_message", recovery_of="message_2", channel=PRIMARY))
    assert duty(case, "completion_notice:work_cycle_2") == "DISCHARGED"
    assert case.propose("send_message").code == "DUPLICATE_MESSAGE"

    case = FAILED_NOTICE()
    ok(case.propose("send_message"), case.propose("complete"))


def test_messages_that_are_no_duty_have_their_occasions() -> None:
    for purpose, cycle_id, situation in (
        ("access_question", "work_cycle_1", at("visit_accepted")),
        ("access_question", "work_cycle_2", at("approved")),
        ("access_question", "work_cycle_3", WARRANTY()),
        ("revisit_notice", "work_cycle_3", WARRANTY()),
        ("cannot_proceed", "work_cycle_2", refused_approval()),
        ("cannot_proceed", "work_cycle_2", refused_invoice()),
    ):
        about = {"message_fixture_id": FIXTURES[purpose], "correlation_id": cycle_id}
        judgement = situation.propose("send_message", **about)
        assert (judgement.code, judgement.basis) == ("GRANTED", (cycle_id,))
        assert situation.propose("send_message", **about).code == "DUPLICATE_MESSAGE"
