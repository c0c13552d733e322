"""That a card has the shape its schema asks for, and which rule it breaks if not (card contract, sections 4 to 11)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
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
    if not _engine(schema).is_valid(card):
        raise _first_fault(schema, card, at)
    require_canonical_sets(schema, card["content"], f"{at}/content")


@cache
def _engine(schema: str) -> jsonschema_rs.Draft202012Validator:
    """Return the engine that decides."""
    return _compiled(schema, load_resource(DEFINITIONS))


@cache
def _explaining_engine(schema: str) -> jsonschema_rs.Draft202012Validator:
    """Return the engine that explains a refusal: it decides alike, but every fault in a union stands for itself.

    The published unions try each branch and, for a fault, keep what every branch had against the value, on every level
    again. Chosen by their tag, branches name their own faults only, so that explaining stays linear.
    """
    definitions = load_resource(DEFINITIONS)
    for name, tag in _TAGS.items():
        definitions["$defs"][name] = _by_tag(definitions["$defs"][name]["oneOf"], tag)
    return _compiled(schema, definitions)


def _by_tag(branches: list[dict[str, Any]], tag: str) -> dict[str, Any]:
    tags = [branch["properties"][tag].get("enum") or [branch["properties"][tag]["const"]] for branch in branches]
    chosen = [{"if": {"properties": {tag: {"enum": names}}, "required": [tag], "type": "object"}} for names in tags]
    return {
        "type": "object",
        "required": [tag],
        "properties": {tag: {"enum": [name for names in tags for name in names]}},
        "allOf": [choice | {"then": branch} for choice, branch in zip(chosen, branches, strict=True)],
    }


def _compiled(schema: str, definitions: dict[str, Any]) -> jsonschema_rs.Draft202012Validator:
    linear = _linear(definitions)
    return jsonschema_rs.Draft202012Validator(
        _linear(load_resource(SCHEMA_FILES[schema])),
        registry=jsonschema_rs.Registry([(linear["$id"], linear)]),
        offline=True,
        pattern_options=jsonschema_rs.RegexOptions(),
    )


def _linear(schema: dict[str, Any]) -> dict[str, Any]:
    text = encode(schema, CARD_PROFILE).decode()
    linear: dict[str, Any] = orjson.loads(text.replace(orjson.dumps(_END).decode()[1:-1], _LINEAR_END))
    return linear


def _first_fault(schema: str, card: Any, at: str) -> CardValidationError:
    """Return the fault that stands first in the card, described by the schema's rule."""
    faults: Iterable[Any] = _explaining_engine(schema).iter_errors(card)
    # Steps at one place of two paths are both names or both indices, for they are below the same value.
    fault = min(faults, key=lambda fault: (fault.instance_path, _RANKS[fault.kind.name], _is_of_pair(fault)))
    path: list[str | int] = list(fault.instance_path)
    name = fault.kind.name
    code, words = _KEYWORDS[name]
    expected = words(fault.kind)
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

_Words = Callable[[Any], str]
_KEYWORDS: Mapping[str, tuple[str, _Words]] = {
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
