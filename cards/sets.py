"""That set-class arrays stand in canonical order (card contract, section 2). Nothing is ever sorted for the author.

The registry's list of sets is incomplete; what counts is every ``uniqueItems`` array of the schemas, which are these.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from ..identity.canonical import encode, encode_each
from .contract import CARD_PROFILE, OPERATION_CARD_SCHEMA, SEMANTIC_SCENARIO_CARD_SCHEMA, VARIANT_CARD_SCHEMA
from .refusal import refusal

_FEW = 16
"""So many items are looked through faster than searched."""

Place = tuple[str, list[Any]]
"""A set-class array with its place."""


def require_canonical_sets(schema: str, content: Mapping[str, Any], at: str) -> None:
    """Refuse a set-class array that is not in strictly ascending order of its items' canonical bytes.

    Args:
        schema: the card's literal.
        content: its content, which has passed the schema.
        at: the content's place.

    Raises:
        CardValidationError: ``shape.set_order``, or ``shape.set_duplicate`` for equal neighbours.
    """
    for place, items in sets_of(schema, content, at):
        require_canonical_order(items, place)


def sets_of(schema: str, content: Mapping[str, Any], at: str) -> Iterator[Place]:
    """Yield the set-class arrays of a card's content that has passed its schema, with their places.

    Where only one item stands, there is no order, and nothing need be yielded.
    """
    return _SETS[schema](content, at)


def require_canonical_order(items: list[Any], at: str) -> None:
    """Refuse an array that is not in strictly ascending order of its items' canonical bytes.

    Raises:
        CardValidationError: ``shape.set_order`` or ``shape.set_duplicate``.
    """
    if len(items) < 2:
        return
    keys = _keys(items)
    for index in range(1, len(keys)):
        if keys[index - 1] >= keys[index]:
            repeated = keys[index - 1] == keys[index]
            code = "shape.set_duplicate" if repeated else "shape.set_order"
            expected = "another item than the one before" if repeated else "an item that sorts after the one before"
            raise refusal(code, f"{at}/{index}", expected, items[index])


def is_member(value: str, items: list[str]) -> bool:
    """Tell whether a set-class array of texts, which is in canonical order, holds ``value``."""
    if len(items) <= _FEW:
        return value in items
    index = bisect_left(items, encode(value, CARD_PROFILE), key=lambda item: encode(item, CARD_PROFILE))
    return index < len(items) and items[index] == value


def _keys(items: list[Any]) -> list[Any]:
    """Return what a set's items are ordered by: their canonical bytes, or the items where that is the same."""
    if type(items[0]) is str:
        text = "".join(items)
        # Without a character up to the closing quote, texts sort like their quoted bytes.
        if text and min(text) > '"':
            return items
    return encode_each(items, CARD_PROFILE)


def _operation(content: Mapping[str, Any], at: str) -> Iterator[Place]:
    state, authority = content["state_contract"], content["authority_contract"]
    yield f"{at}/state_contract/canonical_state_projection", state["canonical_state_projection"]
    yield from _state_sets(state["initial_state_schema"], f"{at}/state_contract/initial_state_schema")
    yield from _members(authority, ("roles", "event_authority", "action_authority"), f"{at}/authority_contract")
    yield from _each(authority["roles"], ("authorities",), f"{at}/authority_contract/roles")
    for kind in ("event_contracts", "action_contracts"):
        yield f"{at}/{kind}", content[kind]
        for index, row in enumerate(content[kind]):
            yield from _map_sets(row["required"], f"{at}/{kind}/{index}/required")
            yield from _map_sets(row["optional"], f"{at}/{kind}/{index}/optional")
    retrieval, place = content["retrieval_contract"], f"{at}/retrieval_contract"
    yield from _members(retrieval, ("catalogue", "evidence_requirements"), place)
    for index, row in enumerate(retrieval["catalogue"]):
        yield from _map_sets(row["arguments"], f"{place}/catalogue/{index}/arguments")
    yield from _each(retrieval["evidence_requirements"], ("required_tools",), f"{place}/evidence_requirements")
    members = ("reducer_ids", "obligation_types", "terminal_kinds", "common_predicate_inputs")
    yield from _members(content["transition_contract"], members, f"{at}/transition_contract")


def _scenario(content: Mapping[str, Any], at: str) -> Iterator[Place]:
    members = ("required_prior_point_ids", "admissible_effect_classes")
    yield from _each(content["decision_points"], members, f"{at}/decision_points")
    yield from _members(content["causal_graph"], ("nodes", "edges"), f"{at}/causal_graph")
    yield from _members(content, ("authored_hazards", "common_outcome_obligations", "allowed_variant_dimensions"), at)


def _variant(content: Mapping[str, Any], at: str) -> Iterator[Place]:
    yield from _members(content, ("required_checkpoint_types", "dispatch_failures", "actors", "message_fixtures"), at)


_SETS: Mapping[str, Callable[[Mapping[str, Any], str], Iterator[Place]]] = {
    OPERATION_CARD_SCHEMA: _operation,
    SEMANTIC_SCENARIO_CARD_SCHEMA: _scenario,
    VARIANT_CARD_SCHEMA: _variant,
}


def _members(record: Mapping[str, Any], names: Iterable[str], at: str) -> Iterator[Place]:
    for name in names:
        if len(record[name]) > 1:
            yield f"{at}/{name}", record[name]


def _each(rows: list[Mapping[str, Any]], names: tuple[str, ...], at: str) -> Iterator[Place]:
    for index, row in enumerate(rows):
        yield from _members(row, names, f"{at}/{index}")


def _map_sets(fields: Mapping[str, Any], at: str) -> Iterator[Place]:
    for name, entry in fields.items():
        shape = entry["shape"]
        if shape.get("enum") or shape["kind"] in ("array", "object"):
            yield from _shape_sets(shape, f"{at}/{name}/shape")


def _shape_sets(shape: Mapping[str, Any], at: str) -> Iterator[Place]:
    kind = shape["kind"]
    if kind == "string" and shape["enum"] is not None:
        yield f"{at}/enum", shape["enum"]
    elif kind == "array":
        yield from _shape_sets(shape["items"], f"{at}/items")
    elif kind == "object":
        yield from _map_sets(shape["fields"], f"{at}/fields")


def _state_sets(schema: Mapping[str, Any], at: str) -> Iterator[Place]:
    kind = schema["type"]
    if kind == "string" and schema["enum"] is not None:
        yield f"{at}/enum", schema["enum"]
    elif kind == "array":
        yield from _state_sets(schema["items"], f"{at}/items")
    elif kind == "object":
        yield f"{at}/required", schema["required"]
        for name, item in schema["properties"].items():
            yield from _state_sets(item, f"{at}/properties/{name}")
