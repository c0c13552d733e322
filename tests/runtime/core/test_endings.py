"""Each of the seven endings is reached, and one function names it."""

from dataclasses import replace
from typing import Any

import pytest

from operatebench.runtime.core.decisions import act, complete, escalate, wait
from operatebench.runtime.core.endings import VIOLATION_DETAILS, outcome_class
from operatebench.runtime.core.episode import Episode
from operatebench.runtime.core.protocol import PlannedEvent
from operatebench.runtime.core.vocabulary import DEADLOCK, HALTS, HORIZON_EXHAUSTED, Ending
from tests.runtime.core.licensing import CHECK, HORIZON, PLAN, REVIEW, Scripted, audit_at, rows, run

LAPSE = PlannedEvent("ev_lapse", "licence_lapsed", "vera", 3, {}, at=100)
ASK_REVIEW = escalate("case", "UNCLEAR", [], 90)
ASK_CHECK = act("request_check", {"application_id": "app_1"})


def ending(episode: Episode) -> Ending:
    outcome = episode.outcome
    violations = rows(episode, "critical_violation")
    code = violations[-1]["code"] if violations else None
    ended = rows(episode, "episode_ended")
    assert len(ended) == 1
    assert outcome.trajectory[-1] == ended[0]
    assert (ended[0]["status"], ended[0]["terminal_outcome"], ended[0]["invocations"]) == (
        outcome.status,
        outcome.terminal_outcome,
        outcome.invocations,
    )
    if outcome.status not in HALTS:
        assert (outcome.terminal_outcome, outcome.replay_final) == (outcome.status, True)
        assert not violations
    else:
        assert outcome.terminal_outcome is None
    if outcome.status == DEADLOCK:
        assert outcome.trajectory[-2]["record_type"] == "critical_violation"
    return outcome_class(outcome.status, outcome.terminal_outcome, code, PLAN.terminals)


def violation(episode: Episode) -> str:
    code: str = rows(episode, "critical_violation")[-1]["code"]
    return code


def test_successful_completion() -> None:
    episode = run(Scripted(ASK_CHECK, wait("on", ["document_checked"]), complete("done")), CHECK)
    assert ending(episode) is Ending.SUCCESSFUL_COMPLETION
    assert (episode.outcome.status, episode.outcome.simulated_minutes) == ("licence_issued", 60)


def test_authorised_cancellation_or_transfer() -> None:
    withdraws = replace(REVIEW, payload={"review_id": "guess", "decision": "WITHDRAW"})
    assert ending(run(Scripted(ASK_REVIEW), withdraws)) is Ending.AUTHORISED_CANCELLATION_OR_TRANSFER


def test_irreversible_business_failure() -> None:
    assert ending(run(Scripted(), LAPSE)) is Ending.IRREVERSIBLE_BUSINESS_FAILURE


def test_critical_invariant_violation_halts_after_the_commit_is_whole() -> None:
    episode = run(Scripted(act("break_seal", {})), LAPSE)
    assert ending(episode) is Ending.CRITICAL_INVARIANT_VIOLATION
    assert violation(episode) == "INVARIANT_SEAL_BROKEN"
    shown = [row["record_type"] for row in episode.outcome.trajectory]
    assert shown[-4:] == ["effect_accepted", "derived_context_invalidated", "critical_violation", "episode_ended"]
    assert episode.outcome.final_state["broken"] is True


def test_operational_horizon_exhausted_under_a_wait_that_nothing_ends() -> None:
    episode = run(Scripted())
    assert ending(episode) is Ending.OPERATIONAL_HORIZON_EXHAUSTED
    assert (episode.outcome.status, episode.outcome.simulated_minutes) == (HORIZON_EXHAUSTED, HORIZON)
    unresolved = rows(episode, "wait_unresolved_at_horizon")[0]
    assert (unresolved["at"], unresolved["horizon_at"], unresolved["reason"]) == (
        episode.outcome.ended_at,
        "2040-01-07T22:40:00Z",
        "rest",
    )


def test_operation_deadlock_when_nothing_is_due_and_nobody_waits() -> None:
    sleepy = replace(CHECK, event_id="ev_never")
    episode = run(Scripted(), of=replace(PLAN, events=(sleepy,)))
    assert ending(episode) is Ending.OPERATION_DEADLOCK
    assert violation(episode) == "OPERATION_DEADLOCK"
    assert rows(episode, "critical_violation")[0]["detail"] == VIOLATION_DETAILS["OPERATION_DEADLOCK"]
    assert episode.outcome.invocations == 0


def test_human_intervention_budget_exceeded_when_one_checkpoint_more_would_open() -> None:
    again = act("request_review", {"deadline_after_minutes": 90})
    episode = run(Scripted(ASK_REVIEW, again), REVIEW)
    assert ending(episode) is Ending.HUMAN_INTERVENTION_BUDGET_EXCEEDED
    assert violation(episode) == "HUMAN_CHECKPOINT_BUDGET_EXCEEDED"
    assert len(rows(episode, "checkpoint_opened")) == 1
    shown = [row["record_type"] for row in episode.outcome.trajectory]
    assert shown[-3:] == ["action_proposed", "critical_violation", "episode_ended"]
    assert len(episode.outcome.final_state["reviews"]) == 1


@pytest.mark.parametrize(("at", "delivered"), [(HORIZON, True), (HORIZON + 1, False)])
def test_an_event_exactly_at_the_horizon_still_runs(at: int, delivered: bool) -> None:
    episode = run(Scripted(), replace(audit_at(at), triggers_agent=True))
    assert [event["event_id"] for event in episode.outcome.events][1:] == (["ev_claim_1"] if delivered else [])
    assert ending(episode) is Ending.OPERATIONAL_HORIZON_EXHAUSTED
    assert episode.outcome.simulated_minutes == HORIZON
    assert len(rows(episode, "wait_unresolved_at_horizon")) == 1


@pytest.mark.parametrize(("after", "fires"), [(HORIZON, True), (HORIZON + 1, False)])
def test_a_fallback_exactly_at_the_horizon_still_fires(after: int, fires: bool) -> None:
    episode = run(Scripted(wait("on", [], after)))
    assert bool(rows(episode, "wait_fallback_fired")) is fires
    assert ending(episode) is Ending.OPERATIONAL_HORIZON_EXHAUSTED


def test_the_horizon_without_a_wait_has_no_wait_row() -> None:
    late = replace(audit_at(HORIZON + 1), triggers_agent=True)
    episode = run(Scripted(), of=replace(PLAN, events=(late,)))
    assert ending(episode) is Ending.OPERATIONAL_HORIZON_EXHAUSTED
    assert not rows(episode, "wait_unresolved_at_horizon")


def test_after_a_terminal_the_queue_drains_to_the_horizon_and_changes_nothing() -> None:
    episode = run(Scripted(), LAPSE, audit_at(HORIZON, 1), audit_at(HORIZON + 1, 2))
    assert ending(episode) is Ending.IRREVERSIBLE_BUSINESS_FAILURE
    assert [event["disposition"] for event in episode.outcome.events] == ["accepted", "accepted", "post_terminal"]
    assert episode.outcome.final_state["claims"] == []
    assert episode.outcome.simulated_minutes == HORIZON


def test_finality_ends_an_invocation_at_once() -> None:
    forfeit = {"recipient_actor_id": "ann", "message_fixture_id": "receipt", "and_forfeit": True}
    agent = Scripted(act("send_letter", forfeit))
    episode = run(agent)
    assert ending(episode) is Ending.IRREVERSIBLE_BUSINESS_FAILURE
    assert len(agent.seen) == 1


@pytest.mark.parametrize(
    ("status", "terminal", "code", "expected"),
    [
        (HORIZON_EXHAUSTED, None, "INVARIANT_X", Ending.OPERATIONAL_HORIZON_EXHAUSTED),
        (DEADLOCK, None, None, Ending.OPERATION_DEADLOCK),
        (DEADLOCK, None, "RECORD_BUDGET_EXHAUSTED", Ending.OPERATION_DEADLOCK),
        (DEADLOCK, None, "HUMAN_CHECKPOINT_BUDGET_EXCEEDED", Ending.HUMAN_INTERVENTION_BUDGET_EXCEEDED),
        (DEADLOCK, None, "INVARIANT_ANY", Ending.CRITICAL_INVARIANT_VIOLATION),
        ("licence_forfeited", "licence_forfeited", None, Ending.IRREVERSIBLE_BUSINESS_FAILURE),
    ],
)
def test_one_function_names_the_ending(status: str, terminal: Any, code: Any, expected: Ending) -> None:
    assert outcome_class(status, terminal, code, PLAN.terminals) is expected


@pytest.mark.parametrize(
    ("status", "terminal"),
    [
        ("licence_issued", None),
        ("licence_issued", "licence_forfeited"),
        (DEADLOCK, "licence_issued"),
        (HORIZON_EXHAUSTED, "licence_issued"),
        (DEADLOCK, DEADLOCK),
        ("invented", "invented"),
    ],
)
def test_no_ending_is_made_up_for_what_the_engine_never_writes(status: str, terminal: Any) -> None:
    with pytest.raises(ValueError, match="no ending has this status and terminal"):
        outcome_class(status, terminal, None, PLAN.terminals)
