"""The reference on each variant: where it ends, by which steps, and with how few reads."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.runtime.maintenance.agents.episodes import episode, refusals, rows, sent

ENDS = {
    "V1": "completed_successfully",
    "V2": "transferred_to_human_ownership",
    "V3": "transferred_to_human_ownership",
}
OPENING = ["request_supplier_visit", "request_approval"]
STEPS = {
    "V1": [
        *OPENING,
        "authorise_supplier_work",
        "request_invoice_validation",
        "request_payment",
        "send_message",
        "complete",
        "request_supplier_visit",
        "send_message",
        "send_message",
        "complete",
    ],
    "V2": [*OPENING, "send_message", "request_exception_resolution", "send_message", "send_message", "complete"],
    "V3": [*OPENING, "send_message", "send_message", "request_exception_resolution", "send_message", "complete"],
}
MESSAGES = {
    "V1": [
        ("primary", "completion_notice", "work_cycle_2", None),
        ("primary", "revisit_notice", "work_cycle_3", None),
        ("primary", "completion_notice", "work_cycle_3", None),
    ],
    "V2": [
        ("primary", "cannot_proceed", "work_cycle_2", None),
        ("primary", "handover_notice", "work_cycle_2", None),
        ("secondary", "handover_notice", "work_cycle_2", "message_2"),
    ],
    "V3": [
        ("primary", "approval_reminder", "checkpoint_1", None),
        ("primary", "cannot_proceed", "work_cycle_2", None),
        ("primary", "handover_notice", "work_cycle_2", None),
    ],
}
INVOCATIONS = {"V1": 14, "V2": 9, "V3": 9}

variants = pytest.mark.parametrize("variant_id", ["V1", "V2", "V3"])


@variants
def test_it_reaches_the_expected_end(variant_id: str) -> None:
    outcome = episode("reference", variant_id).outcome
    assert (outcome.status, outcome.terminal_outcome, outcome.replay_final) == (
        ENDS[variant_id],
        ENDS[variant_id],
        True,
    )
    assert outcome.invocations == INVOCATIONS[variant_id]


@variants
def test_it_takes_the_steps_that_are_needed_and_no_other(variant_id: str) -> None:
    effects = [row["action_type"] for row in rows(episode("reference", variant_id), "effect_accepted")]
    assert effects == STEPS[variant_id]
    assert sent(episode("reference", variant_id)) == MESSAGES[variant_id]


@variants
def test_nothing_is_refused_breached_or_unexpected(variant_id: str) -> None:
    run = episode("reference", variant_id)
    assert refusals(run) == []
    assert (
        rows(run, "obligation_breached", "wait_interrupted", "wait_unresolved_at_horizon", "critical_violation") == []
    )


@variants
def test_it_reads_once_after_each_wake_and_each_own_effect(variant_id: str) -> None:
    run = episode("reference", variant_id)
    batches = Counter(entry["invocation_index"] for entry in run.decisions if entry["outcome"]["kind"] == "RETRIEVE")
    chances = Counter(row["invocation_index"] for row in rows(run, "derived_context_invalidated"))
    assert batches.keys() == chances.keys()
    assert all(batches[invocation] <= chances[invocation] for invocation in chances)
    assert sum(batches.values()) * 2 == len(run.decisions)  # each read is followed by one decision, and that is all


def test_the_lost_notice_is_made_good_on_the_other_channel() -> None:
    run = episode("reference", "V2")
    attempts = rows(run, "side_effect", "side_effect_failed", "work_failed", "work_completed")
    assert [(row["record_type"], row["work_id"]) for row in attempts if row["work_id"] != "message_1"] == [
        ("side_effect_failed", "message_2"),
        ("side_effect_failed", "message_2"),
        ("work_failed", "message_2"),
        ("side_effect", "message_3"),
        ("work_completed", "message_3"),
    ]
    woken_by = [row["trigger_event_type"] for row in rows(run, "agent_invoked")]
    assert woken_by[-2:] == ["operator_exception_resolved", "message_failed"]


def test_the_late_approval_changes_nothing() -> None:
    run = episode("reference", "V3")
    assert [(row["event_type"], row["code"]) for row in rows(run, "event_rejected")] == [
        ("approver_decision_received", "CHECKPOINT_NOT_OPEN")
    ]
    assert [item["status"] for item in run.outcome.final_state["approvals"]] == ["EXPIRED"]
