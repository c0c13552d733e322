"""Generation and digest: which cards are read at all, and what their digest covers."""

import hashlib
import json
from typing import Any

import pytest

from operatebench.cards import recompute_card_digest, validate_card
from operatebench.cards.envelope import content_digest, require_digest, require_generation
from operatebench.errors import CardValidationError
from tests.cards.chain import facts, sample

VARIANT = "operatebench.variant_card.v1"


@pytest.mark.parametrize(
    ("card", "code", "path", "actual"),
    [
        ([], "shape.root_not_object", "card#", "an array of 0 items"),
        (None, "shape.root_not_object", "card#", "null"),
        ("card", "shape.root_not_object", "card#", '"card"'),
        ({}, "generation.unsupported_pair", "card#/schema", "null"),
        ({"schema": 1, "schema_version": 1}, "generation.unsupported_pair", "card#/schema", "1"),
        ({"schema": [VARIANT]}, "generation.unsupported_pair", "card#/schema", "an array of 1 items"),
        (
            {"schema": "operatebench.variant_card.v2", "schema_version": 2},
            "generation.unsupported_pair",
            "card#/schema",
            '"operatebench.variant_card.v2"',
        ),
        (
            {"schema": "operatebench.card_defs.v1", "schema_version": 1},
            "generation.unsupported_pair",
            "card#/schema",
            '"operatebench.card_defs.v1"',
        ),
        ({"schema": VARIANT}, "generation.unsupported_pair", "card#/schema_version", "null"),
        ({"schema": VARIANT, "schema_version": True}, "generation.unsupported_pair", "card#/schema_version", "true"),
        ({"schema": VARIANT, "schema_version": 2}, "generation.unsupported_pair", "card#/schema_version", "2"),
        ({"schema": VARIANT, "schema_version": "1"}, "generation.unsupported_pair", "card#/schema_version", '"1"'),
    ],
)
def test_only_v1_pairs_are_read(card: Any, code: str, path: str, actual: str) -> None:
    for call in (validate_card, recompute_card_digest):
        with pytest.raises(CardValidationError) as refused:
            call(card)
        assert (refused.value.code, refused.value.path, refused.value.actual) == (code, path, actual)
    with pytest.raises(CardValidationError):
        require_generation(card, "card#")


@pytest.mark.parametrize("member", ["id", "content"])
def test_the_digest_needs_id_and_content_to_be_there(member: str) -> None:
    card = sample("variant")
    del card[member]

    with pytest.raises(CardValidationError) as refused:
        recompute_card_digest(card)

    assert facts(refused.value) == ("shape.missing_key", "card#", f"the member {member}", "an object with 4 members")


def test_the_digest_of_anything_with_a_generation_can_be_recomputed() -> None:
    card = {"schema": VARIANT, "schema_version": 1, "id": ["no text"], "content": {"b": [2, 1], "a": "é"}, "more": None}

    wrapper = (
        '{"content":{"a":"é","b":[2,1]},"domain":"operatebench.variant_card.v1","id":["no text"],"schema_version":1}'
    )
    assert recompute_card_digest(card) == hashlib.sha256(wrapper.encode()).hexdigest()


@pytest.mark.parametrize("name", ["operation", "scenario", "variant"])
def test_the_digest_covers_id_and_content_and_not_itself(name: Any) -> None:
    card = sample(name)
    digest = card["content_digest_sha256"]
    assert content_digest(card) == recompute_card_digest(card) == digest
    require_digest(card, "card#")

    assert content_digest({**card, "content_digest_sha256": "0" * 64}) == digest
    assert content_digest({**card, "id": "other"}) != digest
    assert content_digest({**card, "content": {**card["content"], "x": 1}}) != digest


@pytest.mark.parametrize("wrong", ["0" * 64, "whole"])
def test_another_digest_is_stale_or_forged(wrong: str) -> None:
    card = sample("operation")
    digest = card["content_digest_sha256"]
    if wrong == "whole":
        text = json.dumps(card, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
        wrong = hashlib.sha256(text.encode()).hexdigest()
    card["content_digest_sha256"] = wrong

    with pytest.raises(CardValidationError) as refused:
        validate_card(card)

    path = "card#/content_digest_sha256"
    assert facts(refused.value) == ("digest.stale_or_forged", path, digest, f'"{wrong}"')
