"""What becomes of a delivered event, what wakes the agent, and what waits."""

from dataclasses import replace

from operatebench.runtime.core.decisions import act, ask, complete, escalate, wait
from operatebench.runtime.core.protocol import PlannedEvent
from tests.runtime.core.licensing import CHECK, REVIEW, Scripted, audit_at, rows, run, types

QUIET = ("derived_context_invalidated", "agent_outcome", "action_proposed", "authority_decided")
LAPSE = PlannedEvent("ev_lapse", "licence_lapsed", "vera", 3, {}, at=100)


def test_the_four_dispositions_are_four_row_types() -> None:
    duplicate = PlannedEvent("ev_again", "application_received", "ann", 1, {"application_id": "app_1"}, at=5)
    episode = run(Scripted(wait("on", [], 9_000)), duplicate, audit_at(6), LAPSE, audit_at(200, 2))
    assert [(event["event_id"], event["disposition"], event["verdict_code"]) for event in episode.outcome.events] == [
        ("ev_application", "accepted", "ACCEPTED"),
        ("ev_again", "rejected", "DUPLICATE_APPLICATION"),
        ("ev_claim_1", "audit", "ACCEPTED"),
        ("ev_lapse", "accepted", "ACCEPTED"),
        ("ev_claim_2", "post_terminal", "AFTER_REPLAY_FINAL"),
    ]
    assert types(episode, QUIET)[1:] == [
        "event_observed",
        "agent_invoked",
        "wait_declared",
        "event_rejected",
        "event_audit_only",
        "terminal_accepted",
        "event_observed",
        "event_after_terminal",
        "episode_ended",
    ]
    rejected, late = rows(episode, "event_rejected", "event_after_terminal")
    assert (rejected["detail"], late["mutating"], late["authority"]) == ("It is on file.", False, "actor_claim")
    assert episode.outcome.invocations == 1
    assert episode.outcome.events[0] == {
        "event_id": "ev_application",
        "event_type": "application_received",
        "actor_id": "ann",
        "at": "2040-01-01T00:00:00Z",
        "sequence": 0,
        "payload": {"application_id": "app_1"},
        "triggers_agent": True,
        "caused_by": None,
        "disposition": "accepted",
        "verdict_code": "ACCEPTED",
    }


def test_an_event_comes_before_a_fallback_of_its_instant() -> None:
    wakes = replace(audit_at(50), triggers_agent=True)
    episode = run(Scripted(wait("on", [], 50)), wakes)
    assert not rows(episode, "wait_fallback_fired")
    assert episode.outcome.invocations == 2


def test_a_fallback_comes_after_an_audit_event_of_its_instant_and_before_later_events() -> None:
    later = replace(audit_at(51, 2), triggers_agent=True)
    episode = run(Scripted(wait("on", ["claim_made"], 50)), audit_at(50), later)
    assert types(episode, QUIET)[4:7] == ["event_audit_only", "wait_fallback_fired", "agent_invoked"]
    fired = rows(episode, "wait_fallback_fired")[0]
    assert (fired["at"], fired["fallback_at"], fired["wake_on"]) == (
        "2040-01-01T00:50:00Z",
        "2040-01-01T00:50:00Z",
        ["claim_made"],
    )
    woken = rows(episode, "agent_invoked")[1]
    assert (woken["trigger_event_id"], woken["trigger_event_authority"], woken["trigger_claim_values"]) == (
        None,
        None,
        [],
    )


def test_authored_events_come_before_timers_of_their_instant() -> None:
    ask = act("request_review", {"deadline_after_minutes": 40})
    episode = run(Scripted(ask), audit_at(40), audit_at(41, 2))
    assert [(event["event_id"], event["sequence"], event["caused_by"]) for event in episode.outcome.events[1:]] == [
        ("ev_claim_1", 11, None),
        ("timer_review_1", 1_000_001, "timer"),
        ("ev_claim_2", 12, None),
    ]


def test_an_undeclared_event_wakes_the_agent_all_the_same_and_the_row_says_so() -> None:
    wakes = replace(audit_at(5), triggers_agent=True)
    episode = run(Scripted(wait("on", ["review_decided", "document_checked", "review_decided"])), wakes)
    assert types(episode, QUIET)[4:7] == ["event_observed", "wait_interrupted", "agent_invoked"]
    row = rows(episode, "wait_interrupted")[0]
    assert (row["event_id"], row["code"], row["wake_on"]) == (
        "ev_claim_1",
        "UNDECLARED_WAKE_EVENT",
        ["document_checked", "review_decided"],
    )


def test_a_pure_fallback_is_interrupted_without_a_row() -> None:
    wakes = replace(audit_at(5), triggers_agent=True)
    assert not rows(run(Scripted(wait("on", [], 500)), wakes), "wait_interrupted")


def test_waiting_for_a_type_no_event_has_is_refused_and_survived() -> None:
    agent = Scripted(wait("on", ["claim_made", "moon_landing"]))
    episode = run(agent)
    row = rows(episode, "wait_rejected")[0]
    assert (row["code"], row["turn_index"]) == ("UNKNOWN_WAKE_EVENT_TYPE", 0)
    assert "moon" not in row["detail"]
    assert agent.seen[1].last_rejection == {"action_type": "wait", "code": row["code"], "detail": row["detail"]}
    assert episode.outcome.invocations == 1


def test_two_futures_give_the_same_wait_row() -> None:
    declared = [rows(run(Scripted(), *events), "wait_declared") for events in ([REVIEW], [audit_at(3)])]
    assert declared[0] == declared[1]


def test_a_timer_can_be_cancelled_and_then_never_fires() -> None:
    ask = act("request_review", {"deadline_after_minutes": 400})
    episode = run(Scripted(ask), REVIEW)
    assert [row["event_id"] for row in rows(episode, "timer_cancelled")] == ["timer_review_1"]
    assert not rows(episode, "obligation_breached")
    resolved = rows(episode, "checkpoint_resolved")[0]
    assert (resolved["resolution"], resolved["resolved_by"]) == ("GRANT", "rex")


def test_rows_of_a_reducer_come_before_the_row_of_its_event() -> None:
    episode = run(Scripted(act("request_review", {"deadline_after_minutes": 400})), REVIEW)
    shown = types(episode)
    resolved = shown.index("checkpoint_resolved")
    assert shown[resolved + 1 : resolved + 4] == ["timer_cancelled", "event_observed", "agent_invoked"]


def test_an_action_leaves_proposal_decision_transition_and_invalidation() -> None:
    episode = run(Scripted(act("file_note", {"text": "hello"}, ["app_1"], "because")), CHECK)
    chain = types(episode)[4:10]
    assert chain == [
        "agent_outcome",
        "action_proposed",
        "authority_decided",
        "note_filed",
        "effect_accepted",
        "derived_context_invalidated",
    ]
    proposed, decided, effect = rows(episode, "action_proposed", "authority_decided", "effect_accepted")
    assert proposed["payload"] == {"text": "hello"}
    assert proposed["evidence_refs"] == ["app_1"]
    assert (decided["authority"], decided["basis"]) == ("file_note", ["rule_1"])
    assert (effect["code"], effect["cycle_id"], effect["bindings"]) == ("ACCEPTED", "app_1", {})
    assert {row["proposal_id"] for row in (proposed, decided, effect)} == {"proposal_1"}


def test_a_refused_action_changes_nothing_and_is_shown_until_the_next_accepted_one() -> None:
    agent = Scripted(act("fly", {}), act("file_note", {"text": "a"}))
    episode = run(agent)
    refused = rows(episode, "action_rejected")[0]
    assert (refused["proposal_id"], refused["code"]) == ("proposal_1", "UNKNOWN_ACTION")
    rejections = [seen.last_rejection for seen in agent.seen]
    assert rejections[0] is None
    assert rejections[1] == {"action_type": "fly", "code": "UNKNOWN_ACTION", "detail": "There is no such action."}
    assert rejections[2] is None


def test_completing_goes_the_way_of_an_action_and_is_a_decision_only() -> None:
    check = act("request_check", {"application_id": "app_1"})
    agent = Scripted(
        complete("too early"),
        act("issue_licence", {}),
        check,
        wait("on", ["document_checked"]),
        complete("now", ["check_1"]),
    )
    episode = run(agent, CHECK)
    early, late = rows(episode, "terminal_proposed")
    assert (early["proposal_id"], late["proposal_id"], late["evidence_refs"]) == (
        "proposal_1",
        "proposal_4",
        ["check_1"],
    )
    assert rows(episode, "terminal_rejected")[0]["code"] == "NOT_CHECKED"
    assert agent.seen[1].last_rejection == {
        "action_type": "issue_licence",
        "code": "NOT_CHECKED",
        "detail": "Nothing was checked.",
    }
    assert rows(episode, "action_rejected")[0]["code"] == "TERMINAL_ACTION_IS_A_DECISION"
    assert types(episode)[-5:] == [
        "terminal_proposed",
        "authority_decided",
        "terminal_accepted",
        "effect_accepted",
        "episode_ended",
    ]


def test_asking_is_the_message_action_and_then_its_wait() -> None:
    question = ask("ann", "reminder", wait("answer", ["claim_made"], 30), "app_1")
    episode = run(Scripted(question, ask("ann", "receipt", wait("answer", [], 20))))
    assert [row["payload"] for row in rows(episode, "action_proposed")] == [
        {"recipient_actor_id": "ann", "message_fixture_id": "reminder", "correlation_id": "app_1"},
        {"recipient_actor_id": "ann", "message_fixture_id": "receipt"},
    ]
    first = rows(episode, "wait_declared")[0]
    assert (first["reason"], first["wake_on"], first["fallback_at"]) == (
        "answer",
        ["claim_made"],
        "2040-01-01T00:30:00Z",
    )


def test_escalating_is_the_exception_action_and_then_a_wait_for_its_answer() -> None:
    episode = run(Scripted(escalate("case_7", "UNCLEAR", ["app_1"], 90, "why")), REVIEW)
    proposed = rows(episode, "action_proposed")[0]
    assert proposed["action_type"] == "request_review"
    assert proposed["payload"] == {"exception_type": "UNCLEAR", "subject_id": "case_7", "deadline_after_minutes": 90}
    assert proposed["evidence_refs"] == ["app_1"]
    declared = rows(episode, "wait_declared")[0]
    assert (declared["wake_on"], declared["fallback_at"]) == (["review_decided"], "2040-01-01T01:30:00Z")
    opened = rows(episode, "checkpoint_opened")[0]
    assert (opened["assignee_actor_id"], opened["deadline_at"], opened["evidence_refs"]) == (
        "rex",
        "2040-01-01T01:30:00Z",
        ["app_1"],
    )
