"""Derives the leaves of the card contract, and who owns them, from the card schemas themselves (section 18).

The rules:

* a closed record is expanded member by member, a reference to another card included;
* a nullable union is expanded through its branch that is not null;
* an array of records is expanded into its items' members, and the registry must call it a set or ordered;
* maps of field shapes, state schemas, predicates and the policy contract are one leaf each;
* so is every scalar, every map, and every other array.

What these rules do not cover is refused, so that no edit of a schema can hide a leaf.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Any

from ..cards.contract import OPERATION_CARD_SCHEMA, SEMANTIC_SCENARIO_CARD_SCHEMA, VARIANT_CARD_SCHEMA
from ..cards.refusal import refusal
from ..cards.resources import DEFINITIONS, REGISTRY, SCHEMA_FILES, load_card_registry, load_resource, load_schema
from ..errors import CardValidationError
from .resources import CENSUS, CENSUS_SCHEMA

CARD_ROOTS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        OPERATION_CARD_SCHEMA: ("/operation_card", "operation_core_content"),
        SEMANTIC_SCENARIO_CARD_SCHEMA: ("/semantic_scenario_card", "semantic_scenario_content"),
        VARIANT_CARD_SCHEMA: ("/variant_card", "variant_content"),
    }
)
"""Card literal -> where its leaves stand in the census, and their owner."""

RESOURCES_ROOT, RESOURCES_OWNER = "/contract_resources", "card_schema_content"

OWNERS = (RESOURCES_OWNER, *(owner for _, owner in CARD_ROOTS.values()))
"""The four identity components that own leaves of the card contract."""

_ATOMIC = frozenset({"fieldShapeMap", "stateSchema", "predicate", "policyContract"})
"""Definitions that are one leaf, however they are built."""

_LEAF_KEYWORDS = frozenset(
    {"type", "const", "enum", "title", "description", "pattern", "minLength", "maxLength", "minimum", "maximum"}
    | {"items", "minItems", "maxItems", "uniqueItems", "additionalProperties", "propertyNames", "maxProperties"}
)
"""What may be said about a leaf. None of it can give a value members by name."""

_INTERNAL, _EXTERNAL = "#/$defs/", f"{DEFINITIONS.name}#/$defs/"

Schema = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Surface:
    """The leaves of the card contract.

    Attributes:
        owners: path of each leaf -> its owner.
        arrays: paths of the arrays of records, below which real cards have an index that leaf paths leave out.
        consumers: owner -> the consumers of its leaves, in order.
    """

    owners: Mapping[str, str]
    arrays: frozenset[str]
    consumers: Mapping[str, tuple[str, ...]]


@cache
def live_surface() -> Surface:
    """Return the surface of the packaged schemas and registry.

    Raises:
        CardValidationError: ``resource.unavailable``, ``census.surface`` or ``census.array_class``.
    """
    schemas = {literal: load_schema(literal) for literal in CARD_ROOTS}
    return derive_surface(schemas, load_resource(DEFINITIONS), load_card_registry())


def derive_surface(schemas: Mapping[str, Schema], definitions: Schema, registry: Mapping[str, Any]) -> Surface:
    """Derive the leaves of the card contract.

    Args:
        schemas: the JSON Schema of each card, by card literal.
        definitions: the document that the schemas refer to.
        registry: the card registry.

    Raises:
        CardValidationError: ``census.surface`` for a part that no rule covers, ``census.array_class`` for an array of
            records that the registry classifies not once; the path is the leaf path.
    """
    files = (DEFINITIONS, *SCHEMA_FILES.values(), REGISTRY, CENSUS_SCHEMA, CENSUS)
    owners = {f"{RESOURCES_ROOT}/{file.name}": RESOURCES_OWNER for file in files}
    arrays: set[str] = set()
    for literal, (root, owner) in CARD_ROOTS.items():
        derivation = _Derivation(root, definitions["$defs"], registry)
        owners.update(dict.fromkeys(derivation.leaves(schemas[literal], "", ()), owner))
        arrays |= derivation.arrays
    consumers = {owner: tuple(names) for owner, names in registry["census_consumer_tuples_by_owner"].items()}
    return Surface(MappingProxyType(owners), frozenset(arrays), MappingProxyType(consumers))


class _Derivation:
    """The derivation of one card's leaves."""

    def __init__(self, root: str, definitions: Mapping[str, Schema], registry: Mapping[str, Any]) -> None:
        self._root = root
        self._definitions = definitions
        self._classified = [*registry["set_class_array_json_pointers"], *registry["ordered_array_json_pointers"]]
        self.arrays: set[str] = set()

    def leaves(self, schema: Schema, place: str, within: tuple[str, ...]) -> Iterator[str]:
        """Yield the paths of the leaves of a schema.

        Args:
            schema: the schema.
            place: where it stands in the card, as in the registry.
            within: the definitions it is part of, outermost first.
        """
        schema, within = self._resolved(schema, place, within)
        if _is_atomic(within):
            yield self._root + place
        elif "properties" in schema:
            self._require_closed(schema, place)
            for name, member in schema["properties"].items():
                yield from self.leaves(member, f"{place}/{token(name)}", within)
        elif "items" in schema and self._holds_records(schema["items"], place, within):
            self._require_class(place)
            self.arrays.add(self._root + place)
            yield from self.leaves(schema["items"], place, within)
        elif "type" in schema and schema.keys() <= _LEAF_KEYWORDS:
            yield self._root + place
        else:
            others = ", ".join(sorted(schema.keys() - _LEAF_KEYWORDS)) or "no type"
            raise self._uncovered(place, "a schema with a type and without named members", others)

    def _resolved(self, schema: Schema, place: str, within: tuple[str, ...]) -> tuple[Schema, tuple[str, ...]]:
        """Follow references and nullable unions down to a schema that is atomic or says a type."""
        while not _is_atomic(within):
            if "$ref" in schema:
                name = str(schema["$ref"]).removeprefix(_EXTERNAL).removeprefix(_INTERNAL)
                if name not in self._definitions or name in within:
                    raise self._uncovered(place, f"a definition of {DEFINITIONS.name} it is not part of", name)
                self._require_nothing_else(schema, "$ref", place)
                schema, within = self._definitions[name], (*within, name)
                continue
            union = next((keyword for keyword in ("oneOf", "anyOf") if keyword in schema), None)
            if union is None:
                break
            self._require_nothing_else(schema, union, place)
            branches = [branch for branch in schema[union] if branch.get("type") != "null"]
            if len(branches) != 1:
                raise self._uncovered(place, "a union of null and one other", f"{len(branches)} others")
            schema = branches[0]
        return schema, within

    def _holds_records(self, items: Schema, place: str, within: tuple[str, ...]) -> bool:
        items, within = self._resolved(items, place, within)
        return not _is_atomic(within) and "properties" in items

    def _require_closed(self, schema: Schema, place: str) -> None:
        """Refuse a record that could have members beside those it lists."""
        if schema.get("additionalProperties") is not False or "patternProperties" in schema:
            raise self._uncovered(place, "a closed record", "an open one")

    def _require_nothing_else(self, schema: Schema, keyword: str, place: str) -> None:
        """Refuse a reference or union beside which more is said than what it is about."""
        others = sorted(schema.keys() - {keyword, "title", "description"})
        if others:
            raise self._uncovered(place, f"nothing beside {keyword}", ", ".join(others))

    def _require_class(self, place: str) -> None:
        count = self._classified.count(place)
        if count != 1:
            expected = "an array that the registry lists once, as set or as ordered"
            raise refusal("census.array_class", self._root + place, expected, count)

    def _uncovered(self, place: str, expected: str, found: str) -> CardValidationError:
        return refusal("census.surface", self._root + place, expected, found)


def _is_atomic(within: tuple[str, ...]) -> bool:
    return bool(within) and within[-1] in _ATOMIC


def token(name: str) -> str:
    """Return a member name as a token of a path."""
    return name.replace("~", "~0").replace("/", "~1")
