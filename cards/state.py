"""Whether hidden initial values keep the operation's state schema (card contract, section 8)."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

from ..errors import pointer
from ..identity.canonical import encode_each
from .contract import CARD_PROFILE
from .refusal import refusal
from .regex import matches
from .sets import is_member

_CODE = "semantic.hidden_state_mismatch"


def require_state(value: Any, schema: Mapping[str, Any], at: str) -> None:
    """Refuse a value that does not keep a state schema.

    As JSON Schema says, with two rules of the cards: patterns match the whole text, and an array under ``uniqueItems``
    is a set, so it must also be sorted by canonical bytes. A null pattern or enum is no restriction.

    Args:
        value: an admitted JSON value.
        schema: a state schema that has passed the card schema.
        at: the value's place.

    Raises:
        CardValidationError: ``semantic.hidden_state_mismatch`` or ``semantic.pattern_subject_too_long``.
    """
    _CHECKS[schema["type"]](value, schema, at)


def _null(value: Any, _schema: Mapping[str, Any], at: str) -> None:
    if value is not None:
        raise refusal(_CODE, at, "null", value)


def _boolean(value: Any, _schema: Mapping[str, Any], at: str) -> None:
    if type(value) is not bool:
        raise refusal(_CODE, at, "a boolean", value)


def _integer(value: Any, schema: Mapping[str, Any], at: str) -> None:
    low, high = schema["minimum"], schema["maximum"]
    if type(value) is not int or not low <= value <= high:
        raise refusal(_CODE, at, f"an integer from {low} to {high}", value)


def _string(value: Any, schema: Mapping[str, Any], at: str) -> None:
    low, high, pattern, listed = schema["minLength"], schema["maxLength"], schema["pattern"], schema["enum"]
    if type(value) is not str or not low <= len(value) <= high:
        raise refusal(_CODE, at, f"text of {low} to {high} characters", value)
    if pattern is not None and not matches(pattern, value, at):
        raise refusal(_CODE, at, f"text matching {pattern}", value)
    if listed is not None and not is_member(value, listed):
        raise refusal(_CODE, at, f"one of {', '.join(listed)}", value)


def _array(value: Any, schema: Mapping[str, Any], at: str) -> None:
    low, high = schema["minItems"], schema["maxItems"]
    if type(value) is not list or not low <= len(value) <= high:
        raise refusal(_CODE, at, f"an array of {low} to {high} items", value)
    for index, item in enumerate(value):
        require_state(item, schema["items"], f"{at}/{index}")
    if schema["uniqueItems"]:
        keys = encode_each(value, CARD_PROFILE)
        if any(left >= right for left, right in pairwise(keys)):
            raise refusal(_CODE, at, "items without repetition, sorted by canonical bytes", value)


def _object(value: Any, schema: Mapping[str, Any], at: str) -> None:
    if type(value) is not dict:
        raise refusal(_CODE, at, "an object", value)
    properties = schema["properties"]
    for name in schema["required"]:
        if name not in value:
            raise refusal(_CODE, at, f"an object with {name}", value)
    for name, item in value.items():
        if name not in properties:
            raise refusal(_CODE, at + pointer(name), "no undeclared property", item)
        require_state(item, properties[name], f"{at}/{name}")


_CHECKS = {
    "null": _null,
    "boolean": _boolean,
    "integer": _integer,
    "string": _string,
    "array": _array,
    "object": _object,
}
