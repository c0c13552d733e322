"""An observation has fourteen fields, is read-only, is digested whole, and shows nothing it should not."""

import dataclasses
import hashlib
import json
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any

import pytest
from canonicaljson import encode_canonical_json

from operatebench.runtime.core.decisions import act, retrieve, wait
from operatebench.runtime.core.observation import Observation
from operatebench.runtime.core.protocol import PlannedEvent
from tests.runtime.core.licensing import CHECK, INSTANCE, PLAN, REVIEW, Scripted, audit_at, run

FIELDS = [
    "operation_instance_id",
    "operation_id",
    "now",
    "invocation_index",
    "turn_index",
    "phase",
    "policy",
    "actors",
    "message_fixture_ids",
    "action_schemas",
    "wake_event_types",
    "last_rejection",
    "event",
    "retrieval",
]

SEE_IT_ALL = (
    retrieve("read_file", "read_post"),
    act("fly", {}),
    act("request_check", {"application_id": "app_1"}),
    retrieve("read_file"),
    wait("on", [], 10),
    retrieve("read_checks"),
)
CLAIM = PlannedEvent("ev_say", "claim_made", "ann", 9, {"claim": "déjà 😀", "n": 1}, at=5, surface_fixture_id="shout")


def observed() -> tuple[list[Observation], list[str]]:
    agent = Scripted(*SEE_IT_ALL)
    episode = run(agent, CHECK, CLAIM, REVIEW)
    return agent.seen, [entry["observation_digest_sha256"] for entry in episode.decisions]


def test_it_has_exactly_fourteen_fields() -> None:
    assert [field.name for field in dataclasses.fields(Observation)] == FIELDS
    seen, _ = observed()
    assert all(list(observation.to_wire()) == FIELDS for observation in seen)


def test_the_digest_is_over_the_whole_wire_form() -> None:
    seen, digests = observed()
    assert len(seen) == len(digests) == 8
    for observation, digest in zip(seen, digests, strict=True):
        assert digest == hashlib.sha256(encode_canonical_json(observation.to_wire())).hexdigest()
    assert len(set(digests)) == len(digests)


def test_it_says_what_is_so() -> None:
    seen, _ = observed()
    first = seen[0].to_wire()
    assert first["operation_instance_id"] == INSTANCE
    assert (first["now"], first["phase"], first["invocation_index"], first["turn_index"]) == (
        "2040-01-01T00:00:00Z",
        "OPEN",
        1,
        0,
    )
    assert first["message_fixture_ids"] == ["receipt", "reminder"]
    assert first["policy"] == {"review_within_minutes": 500, "tiers": ["plain", "full"]}
    assert first["event"] == {
        "event_id": "ev_application",
        "event_type": "application_received",
        "actor_id": "ann",
        "payload": {"application_id": "app_1"},
        "authority": "actor_claim",
        "is_authoritative": False,
        "surface": {"fixture_id": "plea", "text": "Please hurry."},
    }
    assert first["last_rejection"] is None
    assert first["retrieval"]["catalogue"]["read_file"] == {
        "source": "file_room",
        "authority": "system_of_record",
        "schema_id": "licensing.file.v1",
        "roots": ["applications", "reviews"],
    }
    assert (first["retrieval"]["served"], first["retrieval"]["batch_budget_remaining"]) == ({}, 3)
    second = seen[1].to_wire()
    assert second["retrieval"]["batch_budget_remaining"] == 2
    assert second["retrieval"]["served"]["read_file"] == {
        "source": "file_room",
        "authority": "system_of_record",
        "schema_id": "licensing.file.v1",
        "record_id": "file_room:licence",
        "record_version": hashlib.sha256(
            encode_canonical_json(second["retrieval"]["served"]["read_file"]["records"])
        ).hexdigest()[:16],
        "as_of": "2040-01-01T00:00:00Z",
        "records": {
            "applications": [{"application_id": "app_1", "version": 1, "check_id": None}],
            "reviews": [],
        },
    }
    by_claim, by_check = seen[5], seen[7]
    assert by_claim.event is not None
    assert by_claim.event["surface"]["text"] == "It is so!"
    assert by_claim.event["payload"] == {"claim": "déjà 😀", "n": 1}
    assert by_check.event is not None
    assert (by_check.event["authority"], by_check.event["is_authoritative"]) == ("authoritative_verification", True)
    assert by_check.event["surface"] is None


def test_a_wake_by_fallback_shows_no_event() -> None:
    agent = Scripted(wait("on", [], 10))
    run(agent)
    assert [observation.event is None for observation in agent.seen] == [False, True]


def parts(value: Any) -> Iterator[Any]:
    yield value
    if isinstance(value, Mapping):
        for item in value.values():
            yield from parts(item)
    elif isinstance(value, tuple):
        for item in value:
            yield from parts(item)


def test_everything_in_it_is_read_only_plain_data() -> None:
    seen, _ = observed()
    for observation in seen:
        for field in FIELDS:
            for part in parts(getattr(observation, field)):
                assert type(part) in (MappingProxyType, tuple, str, int, bool, type(None))


def test_an_attempt_to_change_it_fails() -> None:
    seen, _ = observed()
    observation: Any = seen[1]
    with pytest.raises(dataclasses.FrozenInstanceError):
        observation.phase = "DONE"
    with pytest.raises(TypeError, match="does not support item assignment"):
        observation.policy["review_within_minutes"] = 1
    with pytest.raises(TypeError, match="does not support item assignment"):
        observation.retrieval["served"]["read_file"]["records"]["applications"] = ()
    with pytest.raises(TypeError, match="does not support item assignment"):
        observation.retrieval["served"]["read_file"]["records"]["applications"][0]["version"] = 2
    with pytest.raises(AttributeError):
        observation.wake_event_types.append("x")


def test_its_wire_form_is_fresh_every_time() -> None:
    seen, _ = observed()
    wire = seen[1].to_wire()
    wire["retrieval"]["served"]["read_file"]["records"]["applications"].clear()
    wire["policy"].clear()
    assert seen[1].to_wire() != wire


def test_it_shows_neither_queue_nor_hidden_state_nor_the_expected_end() -> None:
    secrets = [
        *(event.event_id for event in PLAN.events if event.at is None),
        *PLAN.terminals,
        "never shown",
        "secret",
        "hidden claim",
        "guess",
        "horizon",
    ]
    agent = Scripted(*SEE_IT_ALL[:5], act("file_note", {"text": "a"}))
    later = dataclasses.replace(audit_at(9_000), payload={"claim": "hidden claim"})
    run(agent, CHECK, later)
    text = json.dumps([observation.to_wire() for observation in agent.seen if observation.invocation_index == 1])
    assert [secret for secret in secrets if secret in text] == []


def test_texts_are_surface_and_change_no_row_state_or_event() -> None:
    def outcome(words: str) -> Any:
        agent = Scripted(*SEE_IT_ALL)
        episode = run(agent, CHECK, CLAIM, surfaces=dict.fromkeys(PLAN.surfaces, words))
        shown = [observation.event["surface"]["text"] for observation in agent.seen[:1] if observation.event]
        assert shown == [words]
        return episode.outcome

    assert outcome("one") == outcome("two")
