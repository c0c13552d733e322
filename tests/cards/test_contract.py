"""The constants are those of the contract."""

from types import MappingProxyType
from typing import Any

import pytest

from operatebench import cards
from operatebench.cards import contract
from operatebench.errors import CardValidationError


def test_only_the_three_literals_of_generation_one_are_supported() -> None:
    assert cards.CARD_SCHEMAS == (
        "operatebench.operation_card.v1",
        "operatebench.semantic_scenario_card.v1",
        "operatebench.variant_card.v1",
    )
    assert (
        cards.OPERATION_CARD_SCHEMA,
        cards.SEMANTIC_SCENARIO_CARD_SCHEMA,
        cards.VARIANT_CARD_SCHEMA,
    ) == cards.CARD_SCHEMAS
    assert cards.CARD_SCHEMA_VERSION == 1
    assert type(cards.SUPPORTED_CARD_SCHEMA_VERSIONS) is MappingProxyType
    assert dict(cards.SUPPORTED_CARD_SCHEMA_VERSIONS) == dict.fromkeys(cards.CARD_SCHEMAS, 1)


def test_the_map_of_versions_cannot_be_changed() -> None:
    supported: Any = cards.SUPPORTED_CARD_SCHEMA_VERSIONS

    with pytest.raises(TypeError):
        supported["operatebench.operation_card.v2"] = 2


def test_the_limits_are_those_of_section_1() -> None:
    profile = contract.CARD_PROFILE

    assert (profile.max_depth, profile.max_items, profile.max_nodes) == (64, 4_096, 100_000)
    assert (profile.max_string_bytes, profile.max_bytes) == (1_048_576, 8_388_608)
    assert (profile.min_integer, profile.max_integer) == (-(2**63), 2**63 - 1)
    assert (contract.MAX_REFERENCE_CARDS, contract.MAX_ADMISSION_TEXT_BYTES) == (4_096, 8_388_608)
    assert (profile.nodes_count_keys, profile.integral_floats) == (True, False)


@pytest.mark.parametrize("profile", [contract.CARD_PROFILE, contract.CARD_TEXT_PROFILE])
def test_every_rule_of_a_profile_has_a_declared_code(profile: Any) -> None:
    assert set(profile.codes.values()) <= set(CardValidationError.codes)


def test_the_public_names_are_exactly_those_of_the_package_page() -> None:
    assert sorted(cards.__all__) == list(dict.fromkeys(sorted(cards.__all__)))
    for name in cards.__all__:
        assert getattr(cards, name) is not None
    assert cards.CardValidationError is CardValidationError
    assert issubclass(CardValidationError, ValueError)
