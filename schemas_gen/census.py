"""The schema of field censuses and the B1 census: every leaf of the card contract with its one owner (section 18)."""

from collections.abc import Iterator
from typing import Any

from . import lexical
from .cards import OPERATION_FILE, SCENARIO_FILE, VARIANT_FILE
from .forms import DEFINITIONS_FILE, TEXT_MAX, Schema, about, constant, head, one_of, record, shared, text, unordered

CENSUS_SCHEMA_FILE = "identity-field-census-v1.schema.json"
CENSUS_FILE = "identity-field-census-v1.registry.json"

_CENSUS = "operatebench.identity_field_census.v1"
_SURFACE = "operatebench.b1_card_contract.v1"

_RESOURCES = "card_schema_content"
_CARD_CONSUMERS = ("card_loader", "card_validator", "identity_manifest_input")
CONSUMERS = {
    _RESOURCES: ("package_loader", "card_validator"),
    "operation_core_content": _CARD_CONSUMERS,
    "semantic_scenario_content": _CARD_CONSUMERS,
    "variant_content": _CARD_CONSUMERS,
}
"""Who reads what each owner owns, in the order the census gives."""

_CARDS = {
    "operation_core_content": ("operation_card", OPERATION_FILE),
    "semantic_scenario_content": ("semantic_scenario_card", SCENARIO_FILE),
    "variant_content": ("variant_card", VARIANT_FILE),
}
# Frozen facts of the census: where its author kept reader and schemas. They are not where this project keeps them.
_READER_SOURCE = "src/operatebench/cards.py"
_SCHEMA_SOURCES = "docs/schemas/"

_ATOMIC = frozenset({"fieldShapeMap", "stateSchema", "predicate", "policyContract"})
"""Definitions owned as a whole, whatever they are made of."""


def census_schema() -> Schema:
    """Return the schema of field censuses. Its arrays have no duplicates and no prescribed order."""
    entry = {
        "field_path_pattern": about(
            "The leaf: member names from the root down, without array indexes and without wildcards.",
            text(lexical.CENSUS_PATH, 2, 1024),
        ),
        "owner": about("The one identity component that owns the leaf.", one_of(*CONSUMERS)),
        "source_paths": about(
            "The files the leaf is read or declared in.", unordered(text(lexical.SOURCE_PATH, 1, TEXT_MAX), 1)
        ),
        "consumers": about("Who reads the leaf.", unordered(shared("name"), 1)),
        "nullability": about("Whether null may stand for the leaf.", one_of("never", "explicit_null_allowed")),
        "cardinality": about("One leaf, not a pattern of leaves.", constant("exact")),
    }
    return head(
        CENSUS_SCHEMA_FILE,
        "Identity field census, version 1",
        "Which identity component owns which leaf of the card contract. This schema checks shape; that every leaf has"
        " exactly one entry, consumers are the owner's and sources exist is checked in code.",
    ) | record(
        {
            "schema": about("The kind of document.", constant(_CENSUS)),
            "schema_version": about("The version of the census contract.", constant(1)),
            "artifact_schema": about("The surface the census covers: the card contract only.", constant(_SURFACE)),
            "entries": about("One entry for each leaf, in any order.", unordered(record(entry), 1)),
        }
    )


def leaves(schema: Schema, definitions: Schema, classified: frozenset[str], place: str = "") -> Iterator[str]:
    """Yield the leaf paths of one card schema, in the order of its members.

    A closed record is expanded member by member, and so is each item of an array of records, without an index. Atomic
    definitions, free maps, other arrays and scalars are leaves.

    Args:
        schema: the schema of a card or of a part of it.
        definitions: the definitions document.
        classified: pointers of the arrays that the registry calls sets or lists.
        place: where the part stands in the card.

    Raises:
        ValueError: an array of records is neither a set nor a list in the registry.
    """
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        if name in _ATOMIC:
            yield place
            return
        schema = definitions["$defs"][name]
    if "properties" in schema and schema.get("additionalProperties") is False:
        for name, member in schema["properties"].items():
            yield from leaves(member, definitions, classified, f"{place}/{name}")
        return
    if "properties" in schema.get("items", {}):
        if place not in classified:
            raise ValueError(f"{place}: neither a set nor a list in the registry")
        yield from leaves(schema["items"], definitions, classified, place)
        return
    yield place


def census(
    cards: dict[str, Schema], definitions: Schema, registry: dict[str, Any], resources: list[str]
) -> dict[str, Any]:
    """Return the B1 census.

    Args:
        cards: the three card schemas by file name.
        definitions: the definitions document.
        registry: the card registry, for the arrays it classifies.
        resources: names of the files the card contract consists of.
    """
    classified = frozenset(registry["set_class_array_json_pointers"] + registry["ordered_array_json_pointers"])
    rows = [(f"/contract_resources/{file}", _RESOURCES, [_SCHEMA_SOURCES + file]) for file in resources]
    for owner, (root, file) in _CARDS.items():
        found = sorted(leaves(cards[file], definitions, classified), key=lambda place: place.startswith("/content/"))
        rows += [(f"/{root}{place}", owner, [_READER_SOURCE, _SCHEMA_SOURCES + file]) for place in found]
    return {
        "schema": _CENSUS,
        "schema_version": 1,
        "artifact_schema": _SURFACE,
        "entries": [
            {
                "field_path_pattern": place,
                "owner": owner,
                "source_paths": sources,
                "consumers": list(CONSUMERS[owner]),
                "nullability": "never",
                "cardinality": "exact",
            }
            for place, owner, sources in rows
        ],
    }


def resource_files(registry_file: str) -> list[str]:
    """Return the names of the files the card contract consists of, in the order the contract lists them."""
    return [
        DEFINITIONS_FILE,
        OPERATION_FILE,
        SCENARIO_FILE,
        VARIANT_FILE,
        registry_file,
        CENSUS_SCHEMA_FILE,
        CENSUS_FILE,
    ]
