"""That a card has the shape its schema asks for, and which rule it breaks if not (card contract, sections 4 to 11)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import jsonschema_rs
import orjson

from ..errors import CardValidationError, describe, pointer
from ..identity.canonical import encode
from .contract import CARD_PROFILE
from .refusal import refusal
from .resources import DEFINITIONS, SCHEMA_FILES, load_resource
from .sets import require_canonical_sets

# In this engine's dialect both mean the absolute end, and without a look-ahead its linear-time matcher can run.
_END, _LINEAR_END = "(?![\\s\\S])", "$"


def require_shape_of(schema: str, card: Any, at: str) -> None:
    """Refuse a card that its schema refuses, or one with a set-class array out of order.

    Args:
        schema: the card's literal.
        card: an admitted value.
        at: what the path of a refusal starts with.

    Raises:
        CardValidationError: ``shape.…``.
    """
    engine = _engine(schema)
    if not engine.is_valid(card):
        raise _first_fault(engine, card, at)
    require_canonical_sets(schema, card["content"], f"{at}/content")


@cache
def _engine(schema: str) -> jsonschema_rs.Draft202012Validator:
    definitions = _linear(load_resource(DEFINITIONS))
    return jsonschema_rs.Draft202012Validator(
        _linear(load_resource(SCHEMA_FILES[schema])),
        registry=jsonschema_rs.Registry([(definitions["$id"], definitions)]),
        offline=True,
        pattern_options=jsonschema_rs.RegexOptions(),
    )


def _linear(schema: dict[str, Any]) -> dict[str, Any]:
    text = encode(schema, CARD_PROFILE).decode()
    linear: dict[str, Any] = orjson.loads(text.replace(orjson.dumps(_END).decode()[1:-1], _LINEAR_END))
    return linear


def _first_fault(engine: jsonschema_rs.Draft202012Validator, card: Any, at: str) -> CardValidationError:
    """Return the fault that stands first in the card, described by the schema's rule."""
    faults = [reached for fault in engine.iter_errors(card) for reached in _reached(fault)]
    # Steps at one place of two paths are both names or both indices, for they are below the same value.
    fault = min(faults, key=lambda fault: (fault.instance_path, _RANKS[fault.kind.name], _is_of_pair(fault)))
    path: list[str | int] = list(fault.instance_path)
    name = fault.kind.name
    code, words = _KEYWORDS[name]
    expected = words(fault.kind)
    if name == "oneOf":
        path, code, expected = _union_fault(fault, _value(card, path))
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


def _reached(fault: Any) -> list[Any]:
    """Return the faults of the branch that a union's tag names, as deep as unions go; without one the union's."""
    if fault.kind.name != "oneOf":
        return [fault]
    branches = [branch for branch in fault.kind.context if not any(_is_of_tag(each, fault) for each in branch)]
    if len(branches) != 1:
        return [fault]
    return [reached for each in branches[0] for reached in _reached(each)]


def _is_of_tag(fault: Any, union: Any) -> bool:
    """Tell whether a branch's fault is that the value has another tag."""
    return fault.kind.name in ("const", "enum") and fault.instance_path == [*union.instance_path, _tag(union)]


def _is_of_pair(fault: Any) -> bool:
    """Tell whether a fault is that of time and trigger together, the one condition in the schemas."""
    return fault.schema_path[-4:-3] in (["then"], ["else"])


def _tag(union: Any) -> str:
    return "type" if "stateSchema" in union.schema_path else "kind"


def _union_fault(union: Any, value: Any) -> tuple[list[str | int], str, str]:
    """Return place, code and expectation for a value whose tag names no branch."""
    path, tag = list(union.instance_path), _tag(union)
    if type(value) is not dict:
        return path, "shape.wrong_type", "object"
    if tag not in value:
        return path, "shape.missing_key", f"the member {tag}"
    return [*path, tag], "shape.unknown_tag", "one of the union's kinds"


_Words = Callable[[Any], str]
_KEYWORDS: Mapping[str, tuple[str, _Words]] = {
    "oneOf": ("shape.unknown_tag", lambda _: "one of the union's kinds"),
    "const": ("shape.closed_value", lambda kind: describe(kind.expected_value)),
    "enum": ("shape.closed_value", lambda kind: " or ".join(map(describe, kind.options))),
    "type": ("shape.wrong_type", lambda kind: " or ".join(kind.types)),
    "required": ("shape.missing_key", lambda kind: f"the member {kind.property}"),
    "additionalProperties": ("shape.unknown_key", lambda _: "no undeclared member"),
    "propertyNames": ("shape.lexical", lambda _: "member names of the field's grammar"),
    "pattern": ("shape.lexical", lambda kind: f"text matching {kind.pattern}"),
    "minLength": ("shape.string_length", lambda kind: f"at least {kind.limit} characters"),
    "maxLength": ("shape.string_length", lambda kind: f"at most {kind.limit} characters"),
    "minimum": ("shape.number_bounds", lambda kind: f"at least {kind.limit}"),
    "maximum": ("shape.number_bounds", lambda kind: f"at most {kind.limit}"),
    "minItems": ("shape.too_few_items", lambda kind: f"at least {kind.limit} items"),
    "maxItems": ("projection.too_many_members", lambda kind: f"at most {kind.limit} items"),
    "maxProperties": ("projection.too_many_members", lambda kind: f"at most {kind.limit} members"),
    "uniqueItems": ("shape.set_duplicate", lambda _: "no item twice"),
}
"""Keyword of the schema -> the code for breaking it, and what it expects in words; at one place the first counts."""

_RANKS = {keyword: rank for rank, keyword in enumerate(_KEYWORDS)}
