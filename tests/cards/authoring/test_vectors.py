"""Every card that the conformance vectors accept is explained, drawn, sealed without change, and can be built upon.

Cards that they refuse for what only references show pass explanation and picture too: authors look at those most.
"""

import json
from importlib.resources import files
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from operatebench.cards import CARD_SCHEMAS, CardValidationError, load_card_chain
from operatebench.cards.authoring.explain import explain
from operatebench.cards.authoring.new import new_card
from operatebench.cards.authoring.picture import picture
from operatebench.cards.authoring.seal import card_text, seal
from operatebench.cards.library import Entry, Library
from operatebench.conformance.cards import CardCase, CardVectorFile
from operatebench.conformance.linking import linked_cards

_OPERATION, _SCENARIO, _VARIANT = CARD_SCHEMAS
_NO_EXAMPLE = {"semantic.hidden_state_mismatch", "semantic.payload_value"}


def cases(name: str) -> list[CardCase]:
    text = files("operatebench.vectors").joinpath("cards", f"{name}.json").read_bytes()
    return CardVectorFile.model_validate(json.loads(text)).cases


def patched(name: str) -> list[Any]:
    """Return the cases that patch cards, as pytest parameters: the three cards of each."""
    found = [case for case in cases(name) if case.patch and not case.raw and not case.raw_hex and not case.raw_repeat]
    return [pytest.param(case, id=case.name) for case in found]


def sound(card: Any) -> bool:
    try:
        Library().require_sound(Entry(card, "card#"))
    except CardValidationError:
        return False
    return True


@pytest.mark.parametrize("case", patched("accepts"))
def test_accepted_cards(case: CardCase) -> None:
    made = linked_cards(case.patch, case.no_relink, case.no_repin)
    for card in made.values():
        assert all(line.isprintable() for line in explain(card))
        ET.fromstring(picture(card))  # noqa: S314  (our own output)
        assert not seal(json.loads(card_text(card))).digest.moved
    upstream = [made["scenario"], made["operation"]]
    assert load_card_chain([card_text(card) for card in (*upstream, new_card(_SCENARIO, "x", upstream[1:]))])
    try:
        variant = new_card(_VARIANT, "x", upstream)
    except CardValidationError as refusal:
        assert refusal.code in _NO_EXAMPLE  # noqa: PT017  (either outcome is right; which one, the operation decides)
    else:
        assert load_card_chain([card_text(card) for card in (*upstream, variant)])


def test_sound_cards_that_only_references_refuse_are_shown() -> None:
    shown = 0
    for parameter in patched("refusals"):
        (case,) = parameter.values
        made = linked_cards(case.patch, case.no_relink, case.no_repin)
        for card in made.values():
            if card is made[case.target] and sound(card):
                assert all(line.isprintable() for line in explain(card))
                ET.fromstring(picture(card))  # noqa: S314  (our own output)
                shown += 1
    assert shown > 50
