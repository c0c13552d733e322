"""Conditional events: one-shot, correlated, rebound to allocated ids, and caused by what they say."""

from dataclasses import replace
from typing import Any

import pytest

from operatebench.runtime.core.actors import ScriptedActor
from operatebench.runtime.core.decisions import act, wait
from operatebench.runtime.core.protocol import PlannedEvent, Trigger
from tests.runtime.core.licensing import CHECK, Scripted, audit_at, rows, run

ASK_CHECK = act("request_check", {"application_id": "app_1"})


def reaction(event_id: str, correlation: dict[str, Any]) -> PlannedEvent:
    return replace(CHECK, event_id=event_id, trigger=Trigger("action", "request_check", correlation))


def fired(correlation: dict[str, Any], facts: dict[str, Any]) -> list[str]:
    actor = ScriptedActor("vera", [reaction("e", correlation)])
    return [planned.event_id for planned in actor.react("action", "request_check", facts)]


@pytest.mark.parametrize(
    ("correlation", "happens"),
    [
        ({}, True),
        ({"a": 1}, True),
        ({"a": 1, "b": None}, True),
        ({"a": 2}, False),
        ({"a": True}, False),
        ({"a": "1"}, False),
        ({"c": None}, False),
    ],
)
def test_a_reaction_needs_every_correlated_fact_of_the_same_type(correlation: dict[str, Any], happens: bool) -> None:
    assert fired(correlation, {"a": 1, "b": None}) == (["e"] if happens else [])


def test_a_reaction_happens_once() -> None:
    actor = ScriptedActor("vera", [reaction("one", {}), reaction("two", {}), reaction("other", {"a": 2})])
    first, second = (actor.react("action", "request_check", {"a": 1}) for _ in range(2))
    assert ([planned.event_id for planned in first], second) == (["one", "two"], [])
    assert not actor.react("event", "request_check", {"a": 2})
    assert not actor.react("action", "another", {"a": 2})


def test_bindings_overwrite_only_fields_the_author_wrote_and_the_cause_is_named() -> None:
    other = replace(
        CHECK, event_id="ev_other", payload={"application_id": "app_1", "check_id": "x", "extra": "check_id"}
    )
    follow = PlannedEvent(
        "ev_follow",
        "claim_made",
        "ann",
        5,
        {"claim": "as guessed"},
        triggers_agent=False,
        trigger=Trigger("event", "document_checked", {"cycle_id": "round_1", "check_id": "check_1"}),
        delay_minutes=7,
    )
    episode = run(Scripted(ASK_CHECK), other, follow)
    _, checked, followed = episode.outcome.events
    assert checked["payload"] == {"application_id": "app_1", "check_id": "check_1", "extra": "check_id"}
    assert checked["caused_by"] == "action:request_check"
    assert (followed["payload"], followed["caused_by"]) == ({"claim": "as guessed"}, "event:document_checked")
    assert (checked["at"], followed["at"]) == ("2040-01-01T01:00:00Z", "2040-01-01T01:07:00Z")
    provenance = [row["provenance"] for row in rows(episode, "event_observed", "event_audit_only")]
    assert provenance == ["authored", "conditional", "conditional"]


def test_a_cause_that_is_refused_causes_nothing() -> None:
    again = PlannedEvent("ev_again", "application_received", "ann", 1, {"application_id": "app_1"}, at=5)
    follow = replace(audit_at(0), at=None, trigger=Trigger("event", "application_received", {}), delay_minutes=1)
    episode = run(Scripted(act("fly", {}), wait("on", [], 50)), CHECK, again, replace(follow, event_id="ev_follow"))
    delivered = [event["event_id"] for event in episode.outcome.events]
    assert delivered == ["ev_application", "ev_follow", "ev_again"]


def test_a_correlated_cause_costs_the_same_however_many_reactions_wait() -> None:
    class Counting(dict[str, Any]):
        reads = 0

        def __getitem__(self, key: str) -> Any:
            Counting.reads += 1
            return super().__getitem__(key)

    actor = ScriptedActor("vera", [reaction(f"e{number}", {"n": number}) for number in range(5_000)])
    assert [planned.event_id for planned in actor.react("action", "request_check", Counting(n=4_321))] == ["e4321"]
    assert Counting.reads <= 4
