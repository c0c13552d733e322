"""That a card has the shape its schema asks for, and which rule it breaks if not (card contract, sections 4 to 11)."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Any

import jsonschema_rs

from ..errors import CardValidationError, pointer
from .engine import WORDS, compiled
from .refusal import refusal
from .resources import DEFINITIONS, SCHEMA_FILES, load_resource
from .sets import require_canonical_sets


def require_shape_of(schema: str, card: Any, at: str) -> None:
    """Refuse a card that its schema refuses, or one with a set-class array out of order.

    Args:
        schema: the card's literal.
        card: an admitted value.
        at: what the path of a refusal starts with.

    Raises:
        CardValidationError: ``shape.…``.
    """
    if not _engine(schema).is_valid(card):
        raise _first_fault(schema, card, at)
    require_canonical_sets(schema, card["content"], f"{at}/content")


@cache
def _engine(schema: str) -> jsonschema_rs.Draft202012Validator:
    """Return the engine that decides."""
    return compiled(load_resource(SCHEMA_FILES[schema]), load_resource(DEFINITIONS))


@cache
def _explaining_engine(schema: str) -> jsonschema_rs.Draft202012Validator:
    """Return the engine that explains a refusal: it decides alike, but every fault in a union stands for itself.

    The published unions try each branch and, for a fault, keep what every branch had against the value, on every level
    again. Chosen by their tag, branches name their own faults only, so that explaining stays linear.
    """
    definitions = load_resource(DEFINITIONS)
    for name, tag in _TAGS.items():
        definitions["$defs"][name] = _by_tag(definitions["$defs"][name]["oneOf"], tag)
    return compiled(load_resource(SCHEMA_FILES[schema]), definitions)


def _by_tag(branches: list[dict[str, Any]], tag: str) -> dict[str, Any]:
    tags = [branch["properties"][tag].get("enum") or [branch["properties"][tag]["const"]] for branch in branches]
    chosen = [{"if": {"properties": {tag: {"enum": names}}, "required": [tag], "type": "object"}} for names in tags]
    return {
        "type": "object",
        "required": [tag],
        "properties": {tag: {"enum": [name for names in tags for name in names]}},
        "allOf": [choice | {"then": branch} for choice, branch in zip(chosen, branches, strict=True)],
    }


def _first_fault(schema: str, card: Any, at: str) -> CardValidationError:
    """Return the fault that stands first in the card, described by the schema's rule."""
    faults: Iterable[Any] = _explaining_engine(schema).iter_errors(card)
    # Steps at one place of two paths are both names or both indices, for they are below the same value.
    fault = min(faults, key=lambda fault: (fault.instance_path, _RANKS[fault.kind.name], _is_of_pair(fault)))
    path: list[str | int] = list(fault.instance_path)
    name = fault.kind.name
    code, expected = _CODES[name], WORDS[name](fault.kind)
    if _is_of_tag(fault):
        code, expected = "shape.unknown_tag", "one of the union's kinds"
    elif name == "additionalProperties":
        path.append(min(fault.kind.unexpected))
    elif _is_of_pair(fault):
        code, expected = "shape.at_xor_trigger", f"{expected}: exactly one of at and trigger is not null"
    elif name in ("pattern", "maxLength") and fault.schema_path[-2:-1] == ["authoredPattern"]:
        code = "shape.pattern_not_authorable"
        expected = "a pattern of the safe-regex grammar, of at most 256 characters"
    return refusal(code, at + pointer(*path), expected, _value(card, path))


def _value(card: Any, path: list[str | int]) -> Any:
    for step in path:
        card = card[step]
    return card


def _is_of_tag(fault: Any) -> bool:
    """Tell whether a fault is that a value's tag names no branch of its union."""
    return fault.kind.name == "enum" and fault.schema_path[:1] == ["$defs"] and fault.schema_path[1:-3] in _UNIONS


def _is_of_pair(fault: Any) -> bool:
    """Tell whether a fault is that of time and trigger together, the one condition in the card schemas themselves."""
    return fault.schema_path[:1] == ["properties"] and fault.schema_path[-4:-3] in (["then"], ["else"])


_TAGS = {"fieldShape": "kind", "stateSchema": "type", "predicate": "kind", "expression": "kind"}
"""The unions among the definitions, and the member that names the branch."""

_UNIONS = [[name] for name in _TAGS]

_CODES = {
    "const": "shape.closed_value",
    "enum": "shape.closed_value",
    "type": "shape.wrong_type",
    "required": "shape.missing_key",
    "additionalProperties": "shape.unknown_key",
    "propertyNames": "shape.lexical",
    "pattern": "shape.lexical",
    "minLength": "shape.string_length",
    "maxLength": "shape.string_length",
    "minimum": "shape.number_bounds",
    "maximum": "shape.number_bounds",
    "minItems": "shape.too_few_items",
    "maxItems": "projection.too_many_members",
    "maxProperties": "projection.too_many_members",
    "uniqueItems": "shape.set_duplicate",
}
"""Keyword of the schema -> the code for breaking it; at one place the first counts."""

_RANKS = {keyword: rank for rank, keyword in enumerate(_CODES)}
