"""Holds the measured cards to what the table says of them: valid, one upstream chain, as many as named."""

import json

import pytest
from jsonschema import ValidationError

from benchmarks.cards import StraightWay, chain, folder
from benchmarks.samples import Sample
from operatebench.cards import CARD_SCHEMAS, load_card_chain
from operatebench.cards.authoring.folder import check_cards


def test_the_chain_is_the_three_cards_of_the_vectors() -> None:
    cards = load_card_chain([text.data for text in chain()])
    assert tuple(card["schema"] for card in cards) == CARD_SCHEMAS


def test_the_straight_way_takes_the_chain_and_refuses_a_wrong_shape() -> None:
    straight = StraightWay()
    straight(chain())
    operation = json.loads(chain()[0].data)
    operation["content"]["policy_contract"]["currency"] = "eur"
    with pytest.raises(ValidationError):
        straight((Sample("wrong", json.dumps(operation).encode(), 1, 0.0), *chain()[1:]))


def test_a_folder_is_one_scenario_with_so_many_valid_variants() -> None:
    cards = list(check_cards(folder(12)))
    assert all(card.refusal is None for card in cards)
    assert [card.refers_to == cards[1].key for card in cards] == [False, False] + [True] * 12
    assert len({card.digest for card in cards}) == 14
