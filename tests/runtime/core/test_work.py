"""Scheduled work is attempted, retried, completed, failed or cancelled, and never takes back what was committed."""

from typing import Any

import pytest

from operatebench.runtime.core.decisions import act, wait
from operatebench.runtime.core.episode import Episode
from operatebench.runtime.core.protocol import Dispatch, PlannedEvent, RetryPolicy
from operatebench.runtime.core.run import Run
from operatebench.runtime.core.work import Work
from tests.runtime.core.licensing import PLAN, Licensing, Scripted, rows, run, types

WORK = ("work_created", "side_effect", "side_effect_failed", "work_completed", "work_failed", "work_cancelled")


def letter(**more: Any) -> dict[str, Any]:
    return act("send_letter", {"recipient_actor_id": "ann", "message_fixture_id": "receipt", **more})


def course(episode: Episode) -> list[tuple[str, str]]:
    return [(row["record_type"], row["at"][11:16]) for row in rows(episode, *WORK)]


def test_work_is_created_by_a_commit_and_attempted_after_it() -> None:
    episode = run(Scripted(letter(correlation_id="app_1")))
    start = types(episode).index("authority_decided")
    assert types(episode)[start : start + 7] == [
        "authority_decided",
        "work_created",
        "effect_accepted",
        "derived_context_invalidated",
        "side_effect",
        "work_completed",
        "agent_outcome",
    ]
    created, sent, done = rows(episode, *WORK)
    assert (created["max_attempts"], created["backoff_minutes"]) == (2, 15)
    assert (sent["attempt"], sent["status"], sent["correlation_id"], sent["recovery_of"]) == (
        1,
        "delivered",
        "app_1",
        None,
    )
    assert done["attempts"] == 1
    event = episode.outcome.events[1]
    assert (event["event_type"], event["payload"], event["triggers_agent"], event["caused_by"]) == (
        "letter_delivered",
        {"work_id": "letter_1"},
        False,
        "timer",
    )
    assert rows(episode, "event_audit_only")[0]["provenance"] == "timer"


def test_a_retry_wakes_nobody_and_a_delivery_by_it_does() -> None:
    episode = run(Scripted(letter()), faults={("receipt", "courier"): 1})
    assert course(episode) == [
        ("work_created", "00:00"),
        ("side_effect_failed", "00:00"),
        ("side_effect", "00:15"),
        ("work_completed", "00:15"),
    ]
    failed = rows(episode, "side_effect_failed")[0]
    assert (failed["attempt"], failed["retry_at"], failed["committed_decision_preserved"]) == (
        1,
        "2040-01-01T00:15:00Z",
        True,
    )
    retry = episode.outcome.events[1]
    assert (retry["event_type"], retry["caused_by"], retry["disposition"]) == ("letter_retry_due", "retry", "audit")
    assert [row["trigger_event_type"] for row in rows(episode, "agent_invoked")][1:] == ["letter_delivered"]
    assert episode.outcome.final_state["letters"] == [{"work_id": "letter_1", "status": "DELIVERED", "failures": 1}]


def test_a_final_failure_wakes_the_agent_and_keeps_the_commit() -> None:
    episode = run(Scripted(letter()), faults={("receipt", "courier"): 2})
    assert course(episode) == [
        ("work_created", "00:00"),
        ("side_effect_failed", "00:00"),
        ("side_effect_failed", "00:15"),
        ("work_failed", "00:15"),
    ]
    assert rows(episode, "side_effect_failed")[1]["retry_at"] is None
    assert rows(episode, "agent_invoked")[1]["trigger_event_type"] == "letter_failed"
    assert episode.outcome.final_state["letters"][0]["status"] == "FAILED"
    assert rows(episode, "effect_accepted")[0]["action_type"] == "send_letter"
    lost = types(episode).index("note_filed")
    assert types(episode)[lost - 1 : lost + 2] == ["side_effect_failed", "note_filed", "work_failed"]


def test_faults_count_the_attempts_of_a_fixture_on_a_channel_over_the_episode() -> None:
    agent = Scripted(letter(), letter(channel="pigeon"), wait("on", [], 500), letter())
    episode = run(agent, faults={("receipt", "courier"): 3})
    sent = [(row["channel"], row["record_type"]) for row in rows(episode, "side_effect", "side_effect_failed")]
    assert sent == [
        ("courier", "side_effect_failed"),
        ("pigeon", "side_effect"),
        ("courier", "side_effect_failed"),
        ("courier", "side_effect_failed"),
        ("courier", "side_effect"),
    ]


def test_work_of_an_operation_that_became_final_is_cancelled() -> None:
    at_once = run(Scripted(letter(and_forfeit=True)))
    assert course(at_once) == [("work_created", "00:00"), ("work_cancelled", "00:00")]
    lapse = PlannedEvent("ev_lapse", "licence_lapsed", "vera", 3, {}, at=5)
    before_retry = run(Scripted(letter()), lapse, faults={("receipt", "courier"): 1})
    assert course(before_retry)[2:] == [("work_cancelled", "00:15")]
    assert before_retry.outcome.events[-1]["disposition"] == "post_terminal"
    assert before_retry.outcome.final_state["letters"][0]["status"] == "PENDING"


def test_a_work_id_is_used_once_and_a_channel_is_declared() -> None:
    work = Work(Run(Licensing(), None))
    dispatch = Dispatch("w", "courier", "ann", "receipt", None, None)
    work.create(dispatch)
    with pytest.raises(ValueError, match="work id 'w' is used twice"):
        work.create(dispatch)
    with pytest.raises(KeyError, match="balloon"):
        work.create(Dispatch("v", "balloon", "ann", "receipt", None, None))


def test_attempts_and_backoff_follow_the_authored_policy() -> None:
    channels = {**PLAN.channels, "courier": RetryPolicy(4, 7)}
    episode = run(Scripted(letter()), channels=channels, faults={("receipt", "courier"): 3})
    assert [at for kind, at in course(episode) if kind != "work_created"] == [
        "00:00",
        "00:07",
        "00:14",
        "00:21",
        "00:21",
    ]
