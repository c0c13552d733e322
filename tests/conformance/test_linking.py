"""The cards of a case are linked and pinned with digests that owe nothing to the code under test."""

import hashlib
import json
from typing import Any

import pytest
from pydantic import TypeAdapter

from operatebench.cards import load_card_chain, recompute_card_digest
from operatebench.conformance.linking import FILES, CardFile, linked_cards, repin, sample_text, written
from operatebench.conformance.patching import PatchOp

PATCHES: TypeAdapter[dict[CardFile, list[PatchOp]]] = TypeAdapter(dict[CardFile, list[PatchOp]])


def linked(
    no_relink: tuple[CardFile, ...] = (), no_repin: tuple[CardFile, ...] = (), **patches: Any
) -> dict[CardFile, Any]:
    ops = {name: [ops] if isinstance(ops, dict) else ops for name, ops in patches.items()}
    return linked_cards(PATCHES.validate_python(ops), no_relink, no_repin)


def replace(path: str, value: Any) -> dict[str, Any]:
    return {"op": "replace", "path": path, "value": value}


def test_unpatched_cards_are_the_sample_files_byte_for_byte() -> None:
    cards = linked()

    assert {name: written(cards[name]).encode() for name in FILES} == {name: sample_text(name) for name in FILES}


def test_cards_of_two_calls_share_nothing() -> None:
    linked()["operation"]["content"].clear()

    assert linked()["operation"] == json.loads(sample_text("operation"))


def test_a_change_moves_every_reference_below_it() -> None:
    start = linked()
    made = linked(operation=[replace("/id", "moved.core"), replace("/content/policy_contract/horizon_minutes", 9)])

    assert made["scenario"]["content"]["operation_core"] == {
        "schema": "operatebench.operation_card.v1",
        "id": "moved.core",
        "content_digest_sha256": made["operation"]["content_digest_sha256"],
    }
    for name in FILES:
        assert made[name]["content_digest_sha256"] != start[name]["content_digest_sha256"]
        assert made[name]["content_digest_sha256"] == recompute_card_digest(made[name])
    assert load_card_chain([written(made[name]) for name in FILES])[0]["id"] == "moved.core"


def test_a_patch_on_a_reference_wins_over_relinking() -> None:
    made = linked(scenario=replace("/content/operation_core/id", "another"))

    assert made["scenario"]["content"]["operation_core"]["id"] == "another"


def test_files_named_so_keep_their_reference_or_digest() -> None:
    start = linked()
    change = replace("/content/policy_contract/horizon_minutes", 9)

    unlinked, unpinned = (
        linked(no_relink=("scenario",), operation=change),
        linked(no_repin=("operation",), operation=change),
    )

    assert unlinked["scenario"] == start["scenario"]
    assert unpinned["operation"]["content_digest_sha256"] == start["operation"]["content_digest_sha256"]


@pytest.mark.parametrize("operation", [replace("", []), replace("", {}), replace("", None)])
def test_an_upstream_card_without_identity_leaves_the_reference_as_it_is(operation: dict[str, Any]) -> None:
    assert linked(operation=operation)["scenario"] == linked()["scenario"]


@pytest.mark.parametrize(
    "card", [None, [], {}, {"schema": "x", "schema_version": 1, "id": "x"}, {"schema": 1, "id": 1, "content": 1}]
)
def test_a_card_without_the_hashed_members_is_left_alone(card: Any) -> None:
    before = json.dumps(card)

    repin(card)

    assert json.dumps(card) == before


def test_a_card_without_canonical_form_is_left_alone() -> None:
    card = {"schema": "x", "schema_version": 1, "id": "\ud800", "content": {}}

    repin(card)

    assert "content_digest_sha256" not in card


def test_the_digest_is_the_hash_of_the_four_members() -> None:
    card: dict[str, Any] = {
        "schema": "x",
        "schema_version": 2**70,
        "id": "é",
        "content": {"b": 1, "a": "\x1f"},
        "more": 1,
    }

    repin(card)

    data = '{"content":{"a":"\\u001f","b":1},"domain":"x","id":"é","schema_version":1180591620717411303424}'
    assert card["content_digest_sha256"] == hashlib.sha256(data.encode()).hexdigest()
