"""Whether a payload has exactly the fields its type declares, each of its declared kind."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .spec.records import FieldKind


def fits(payload: Mapping[str, Any], required: Mapping[str, FieldKind], optional: Mapping[str, FieldKind]) -> bool:
    """Tell whether a payload has every required field, nothing undeclared, and values of the declared kinds.

    Types are exact: a boolean is no integer, an empty text is no text, and null is nothing at all.
    """
    return required.keys() <= payload.keys() and all(
        _is_of_kind(value, required.get(name) or optional.get(name)) for name, value in payload.items()
    )


def _is_of_kind(value: Any, kind: FieldKind | None) -> bool:
    if kind == "text":
        return type(value) is str and value != ""
    if kind == "integer":
        return type(value) is int
    if kind == "boolean":
        return type(value) is bool
    return isinstance(kind, tuple) and type(value) is str and value in kind
