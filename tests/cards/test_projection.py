"""A card as flat pointers: everything it says but its own digest and the digests of what it refers to."""

import json
from importlib.resources import files
from typing import Any

import pytest

from operatebench.cards import load_card_chain
from operatebench.cards.projection import CARD_ROOTS, card_pointers
from operatebench.census import load_field_census

SAMPLES = files("operatebench.samples") / "cards"


def sample(name: str) -> Any:
    return json.loads((SAMPLES / f"{name}.json").read_bytes())


@pytest.mark.parametrize("name", ["operation", "scenario", "variant"])
def test_every_member_has_a_pointer_and_no_digest_of_a_card_has(name: str) -> None:
    card = sample(name)
    pointers = card_pointers(card)
    _, root = CARD_ROOTS[card["schema"]]
    assert pointers.keys() == {f"{root}/{member}" for member in ("schema", "schema_version", "id")} | {
        f"{root}/content/{member}" for member in card["content"]
    }
    for pointer, value in pointers.items():
        member = pointer.rpartition("/")[2]
        if "/content/" not in pointer:
            assert value == card[member]
        elif member in ("operation_core", "semantic_scenario"):
            assert value == {name: card["content"][member][name] for name in ("schema", "id")}
        else:
            assert value == card["content"][member]


def test_a_validated_card_has_the_same_pointers() -> None:
    texts = [(SAMPLES / f"{name}.json").read_bytes() for name in ("operation", "scenario", "variant")]
    for card, text in zip(load_card_chain(texts), texts, strict=True):
        assert card_pointers(card).keys() == card_pointers(json.loads(text)).keys()


def test_the_owners_are_those_of_the_census() -> None:
    owners = {
        (entry["owner"], f"/{entry['field_path_pattern'].split('/')[1]}") for entry in load_field_census()["entries"]
    }
    assert owners == {*CARD_ROOTS.values(), ("card_schema_content", "/contract_resources")}


def test_another_document_is_no_card() -> None:
    with pytest.raises(KeyError):
        card_pointers({"schema": "operatebench.identity_manifest.v1"})
