"""The schema engine: compiles packaged schemas so that they run in linear time, and words what a keyword expects."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import jsonschema_rs
import orjson

from ..errors import describe
from ..identity.canonical import encode
from .contract import CARD_PROFILE

# In this engine's dialect both mean the absolute end, and without a look-ahead its linear-time matcher can run.
_END, _LINEAR_END = "(?![\\s\\S])", "$"


def compiled(schema: dict[str, Any], *others: dict[str, Any]) -> jsonschema_rs.Draft202012Validator:
    """Return the engine that judges by ``schema``.

    Args:
        schema: a packaged schema; its patterns reach from the start of a text to its absolute end.
        others: the schemas it refers to, directly or through one another. Nothing else is looked up anywhere.
    """
    known = [(other["$id"], _linear(other)) for other in others]
    return jsonschema_rs.Draft202012Validator(
        _linear(schema),
        registry=jsonschema_rs.Registry(known),
        offline=True,
        pattern_options=jsonschema_rs.RegexOptions(),
    )


def _linear(schema: dict[str, Any]) -> dict[str, Any]:
    text = encode(schema, CARD_PROFILE).decode()
    linear: dict[str, Any] = orjson.loads(text.replace(orjson.dumps(_END).decode()[1:-1], _LINEAR_END))
    return linear


WORDS: Mapping[str, Callable[[Any], str]] = MappingProxyType(
    {
        "const": lambda kind: describe(kind.expected_value),
        "enum": lambda kind: " or ".join(map(describe, kind.options)),
        "not": lambda kind: f"neither {' nor '.join(map(describe, kind.schema['enum']))}",
        "type": lambda kind: " or ".join(kind.types),
        "required": lambda kind: f"the member {kind.property}",
        "additionalProperties": lambda _: "no undeclared member",
        "propertyNames": lambda _: "member names of the field's grammar",
        "pattern": lambda kind: f"text matching {kind.pattern}",
        "minLength": lambda kind: f"at least {kind.limit} characters",
        "maxLength": lambda kind: f"at most {kind.limit} characters",
        "minimum": lambda kind: f"at least {kind.limit}",
        "maximum": lambda kind: f"at most {kind.limit}",
        "minItems": lambda kind: f"at least {kind.limit} items",
        "maxItems": lambda kind: f"at most {kind.limit} items",
        "maxProperties": lambda kind: f"at most {kind.limit} members",
        "uniqueItems": lambda _: "no item twice",
    }
)
"""Keyword of the schemas -> what it expects, in words, from the kind of a fault."""
