"""The packaged schemas and the registry are the pinned ones, and what a loader hands out belongs to the caller."""

from dataclasses import replace
from typing import Any

import jsonschema
import pytest

from operatebench.cards import CARD_SCHEMAS, load_card_json, load_card_registry, load_schema
from operatebench.cards.resources import DEFINITIONS, REGISTRY, SCHEMA_FILES, load_resource
from operatebench.conformance.linking import sample_text
from operatebench.errors import CardValidationError


@pytest.mark.parametrize("schema", CARD_SCHEMAS)
def test_a_schema_is_closed_valid_and_named_for_its_card(schema: str) -> None:
    document = load_schema(schema)

    jsonschema.Draft202012Validator.check_schema(document)
    assert document["$id"] == f"https://operatebench.org/schemas/{SCHEMA_FILES[schema].name}"
    assert document["properties"]["schema"]["const"] == schema
    assert document["additionalProperties"] is False


def test_the_registry_names_itself() -> None:
    registry = load_card_registry()

    assert (registry["schema"], registry["schema_version"]) == ("operatebench.card_registry.v1", 1)


@pytest.mark.parametrize("load", [lambda: load_schema(CARD_SCHEMAS[0]), load_card_registry])
def test_a_poisoned_copy_does_not_reach_the_next_caller(load: Any) -> None:
    fresh = load()
    poisoned = load()
    poisoned.clear()

    assert load() == fresh
    assert load_card_json(sample_text("operation"))["id"]


class Name(str):
    __slots__ = ()


@pytest.mark.parametrize(
    "name", ["operatebench.operation_card.v2", "operatebench.card_defs.v1", "", None, 1, Name(CARD_SCHEMAS[0])]
)
def test_only_the_exact_literals_of_cards_have_a_schema(name: Any) -> None:
    with pytest.raises(CardValidationError) as refused:
        load_schema(name)

    assert (refused.value.code, refused.value.path) == ("resource.unknown", "")
    assert refused.value.expected == " or ".join(CARD_SCHEMAS)
    assert type(refused.value.__cause__) is (KeyError if type(name) is str else TypeError)


@pytest.mark.parametrize(
    "resource", [*SCHEMA_FILES.values(), DEFINITIONS, REGISTRY], ids=lambda resource: str(resource.name)
)
def test_a_resource_that_is_not_the_pinned_one_or_missing_is_refused(resource: Any) -> None:
    wrong = replace(resource, sha256="0" * 64)
    with pytest.raises(CardValidationError) as unpinned:
        load_resource(wrong)
    assert (unpinned.value.code, unpinned.value.path) == ("resource.unavailable", resource.name)
    assert (unpinned.value.expected, unpinned.value.actual) == ("0" * 64, resource.sha256)

    with pytest.raises(CardValidationError) as missing:
        load_resource(replace(resource, name="missing.json"))
    assert (missing.value.code, missing.value.path) == ("resource.unavailable", "missing.json")
    assert isinstance(missing.value.__cause__, OSError)
