"""Any sound evidence is accepted with the digest of another implementation, however it is written."""

import hashlib
import json
import random
from typing import Any

from canonicaljson import encode_canonical_json
from hypothesis import given, settings
from hypothesis import strategies as st

from operatebench.replay.evidence import EvidenceError, content_digest, parse_evidence, validate_evidence
from operatebench.replay.evidence.digest import wrapper
from tests.identity.strategies import any_value, clean_text
from tests.replay.evidence.documents import (
    SELF,
    Evidence,
    event,
    oracle_digest,
    oracle_wrapper,
    provider_non_null,
    refused,
    sealed,
)

LARGEST = 2**53 - 1

scalar = st.one_of(st.none(), st.booleans(), st.integers(-LARGEST, LARGEST), clean_text)
value = st.recursive(
    scalar,
    lambda child: st.one_of(st.lists(child, max_size=4), st.dictionaries(clean_text, child, max_size=4)),
    max_leaves=12,
)
"""Values inside the profile."""

members = st.dictionaries(clean_text, value, max_size=4)
identifier = clean_text.filter(bool)
texts = st.lists(clean_text, max_size=3)
wait = st.fixed_dictionaries(
    {
        "kind": st.just("WAIT"),
        "reason": clean_text,
        "wake_on": texts,
        "fallback_after_minutes": st.none() | st.integers(0, LARGEST),
    }
)
decision = st.one_of(
    wait,
    st.fixed_dictionaries(
        {
            "kind": st.just("ACT"),
            "action_type": identifier,
            "payload": members,
            "evidence_refs": texts,
            "rationale": clean_text,
        }
    ),
    st.fixed_dictionaries(
        {
            "kind": st.just("ASK"),
            "recipient_actor_id": identifier,
            "message_fixture_id": identifier,
            "correlation_id": st.none() | identifier,
            "wait": wait,
        }
    ),
    st.fixed_dictionaries(
        {
            "kind": st.just("ESCALATE"),
            "checkpoint_id": identifier,
            "exception_type": identifier,
            "evidence_refs": texts,
            "deadline_after_minutes": st.integers(0, LARGEST),
            "rationale": clean_text,
        }
    ),
    st.fixed_dictionaries({"kind": st.just("COMPLETE"), "reason": clean_text, "evidence_refs": texts}),
    st.fixed_dictionaries(
        {
            "kind": st.just("RETRIEVE"),
            "requests": st.lists(st.fixed_dictionaries({"tool": identifier, "arguments": members}), max_size=3),
        }
    ),
    st.fixed_dictionaries({"kind": st.just("MALFORMED"), "code": st.just("MODEL_OUTPUT_TRUNCATED")}),
)
turns = st.lists(st.tuples(st.integers(1, 9), st.integers(0, 9)), unique=True, min_size=1, max_size=5).map(sorted)


@st.composite
def evidences(draw: st.DrawFn) -> Evidence:
    """Sound evidence of a model."""
    evidence = provider_non_null()
    (attempt,) = evidence["execution_record"]["attempts"]
    places = [{"invocation_index": invocation, "turn_index": turn} for invocation, turn in draw(turns)]
    outcomes = [draw(decision) for _ in places]
    evidence["outcome"] |= {
        "final_state": draw(members),
        "trajectory": draw(st.lists(value, max_size=4)),
        "events": draw(st.lists(st.builds(lambda payload: event(payload=payload), members), max_size=2)),
        "invocations": 9,
    }
    evidence["decision_tape"]["decisions"] = [
        {**place, "observation_digest_sha256": 64 * "2", "outcome": outcome}
        for place, outcome in zip(places, outcomes, strict=True)
    ]
    evidence["execution_record"] |= {
        "transport_calls": len(places),
        "attempts": [
            {**attempt, **place, "outcome": "classified" if outcome["kind"] == "MALFORMED" else "decided"}
            for place, outcome in zip(places, outcomes, strict=True)
        ],
    }
    evidence["provider_binding"] |= {
        "provider_calls": len(places),
        "attempts": len(places),
        "decision_call_index": list(range(len(places))),
    }
    return sealed(evidence)


def shuffled(item: Any, chance: random.Random) -> Any:
    """The same value with the members of every object in another order."""
    if isinstance(item, dict):
        names = list(item)
        chance.shuffle(names)
        return {name: shuffled(item[name], chance) for name in names}
    return [shuffled(each, chance) for each in item] if isinstance(item, list) else item


@settings(max_examples=60, deadline=None)
@given(evidence=evidences(), chance=st.randoms(use_true_random=False), ascii_only=st.booleans())
def test_sound_evidence_is_accepted_however_it_is_written(
    evidence: Evidence, chance: random.Random, ascii_only: bool
) -> None:
    text = json.dumps(shuffled(evidence, chance), ensure_ascii=ascii_only, indent=chance.choice([None, 1])).encode()

    record = validate_evidence(evidence)

    assert record == parse_evidence(text)
    assert record.runtime_evidence_digest_sha256 == hashlib.sha256(oracle_wrapper(evidence)).hexdigest()
    assert wrapper(record.to_wire()) == oracle_wrapper(evidence)
    assert record.to_bytes() == encode_canonical_json(evidence)


@settings(max_examples=60, deadline=None)
@given(evidence=evidences(), data=st.data())
def test_any_other_byte_of_the_text_is_refused_or_means_the_same(evidence: Evidence, data: st.DataObject) -> None:
    text = bytearray(encode_canonical_json(evidence))
    text[data.draw(st.integers(0, len(text) - 1))] ^= 1 << data.draw(st.integers(0, 7))

    try:
        record = parse_evidence(bytes(text))
    except EvidenceError:
        return
    assert record.to_wire() == evidence


def in_profile(item: Any) -> bool:
    """Whether a small value is one of the profile, by the words of the contract."""
    if type(item) is int:
        return -LARGEST <= item <= LARGEST
    if type(item) is str:
        return not any("\ud800" <= character <= "\udfff" for character in item)
    if type(item) is dict:
        return all(type(name) is str and in_profile(name) and in_profile(each) for name, each in item.items())
    return all(map(in_profile, item)) if type(item) is list else item is None or type(item) is bool


@settings(max_examples=200, deadline=None)
@given(any_value)
def test_any_value_has_its_bare_digest_or_is_outside_the_profile(item: Any) -> None:
    if in_profile(item):
        assert content_digest(item) == oracle_digest(item)
    else:
        assert refused(item, content_digest).code in {"strict_json_type", "safe_integer", "surrogate_code_point"}


@settings(max_examples=25, deadline=None)
@given(evidence=evidences(), text=clean_text.map(lambda text: text + "x"))
def test_a_change_that_is_not_sealed_is_refused_by_the_digest(evidence: Evidence, text: str) -> None:
    evidence["execution_record"]["protocol_version"] += text

    refusal = refused(evidence)

    assert (refusal.code, refusal.path) == ("runtime_evidence_digest", f"evidence#/{SELF}")
    assert refusal.expected == hashlib.sha256(oracle_wrapper(evidence)).hexdigest()
