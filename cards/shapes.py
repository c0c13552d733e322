"""Whether payload values keep the field shapes an operation declares (card contract, section 7)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..errors import pointer
from ..identity.canonical import encode_each
from .contract import CARD_PROFILE
from .refusal import refusal
from .regex import matches
from .sets import is_member


def require_shape(value: Any, shape: Mapping[str, Any], code: str, at: str) -> None:
    """Refuse a value that does not keep a field shape.

    * string: exact text, its length within bounds, then the pattern, then the listed values;
    * integer: no boolean, within bounds; boolean and null: exact;
    * array: its length within bounds, with ``unique_items`` no two items of equal canonical bytes, each item of its
      shape;
    * object: every field marked as required, no undeclared one, each of its shape.

    Args:
        value: an admitted JSON value.
        shape: a field shape that has passed the schema.
        code: the code to refuse with.
        at: the value's place.

    Raises:
        CardValidationError: ``code``, or ``semantic.pattern_subject_too_long``.
    """
    _CHECKS[shape["kind"]](value, shape, code, at)


def _string(value: Any, shape: Mapping[str, Any], code: str, at: str) -> None:
    low, high = shape["min_length"], shape["max_length"]
    if type(value) is not str or not low <= len(value) <= high:
        raise refusal(code, at, f"text of {low} to {high} characters", value)
    pattern, listed = shape["pattern"], shape["enum"]
    if pattern is not None and not matches(pattern, value, at):
        raise refusal(code, at, f"text matching {pattern}", value)
    if listed is not None and not is_member(value, listed):
        raise refusal(code, at, f"one of {', '.join(listed)}", value)


def _integer(value: Any, shape: Mapping[str, Any], code: str, at: str) -> None:
    low, high = shape["minimum"], shape["maximum"]
    if type(value) is not int or not low <= value <= high:
        raise refusal(code, at, f"an integer from {low} to {high}", value)


def _boolean(value: Any, _shape: Mapping[str, Any], code: str, at: str) -> None:
    if type(value) is not bool:
        raise refusal(code, at, "a boolean", value)


def _null(value: Any, _shape: Mapping[str, Any], code: str, at: str) -> None:
    if value is not None:
        raise refusal(code, at, "null", value)


def _array(value: Any, shape: Mapping[str, Any], code: str, at: str) -> None:
    low, high = shape["min_items"], shape["max_items"]
    if type(value) is not list or not low <= len(value) <= high:
        raise refusal(code, at, f"an array of {low} to {high} items", value)
    if shape["unique_items"] and len(set(encode_each(value, CARD_PROFILE))) != len(value):
        raise refusal(code, at, "an array without equal items", value)
    for index, item in enumerate(value):
        require_shape(item, shape["items"], code, f"{at}/{index}")


def _object(value: Any, shape: Mapping[str, Any], code: str, at: str) -> None:
    fields = shape["fields"]
    if type(value) is not dict:
        raise refusal(code, at, "an object", value)
    for name, entry in fields.items():
        if entry["required"] and name not in value:
            raise refusal(code, at, f"an object with {name}", value)
    for name, item in value.items():
        if name not in fields:
            raise refusal(code, at + pointer(name), "no undeclared field", item)
        require_shape(item, fields[name]["shape"], code, f"{at}/{name}")


_CHECKS = {
    "string": _string,
    "integer": _integer,
    "boolean": _boolean,
    "null": _null,
    "array": _array,
    "object": _object,
}
