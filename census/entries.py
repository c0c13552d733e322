"""Reads the entries of a census: what each must look like by itself (card contract, section 18).

Code and the packaged JSON Schema decide the same; the code also says which of the census's rules is broken.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from ..cards.contract import CARD_PROFILE
from ..cards.refusal import refusal
from ..errors import CardValidationError
from ..identity.canonical import encode
from ..identity.grammar import MAX_FIELD_PATH_LENGTH, is_field_path
from ..identity.registry import B1_ARTIFACT_SCHEMA, B1_CENSUS_SCHEMA
from .leaves import OWNERS

_HEADER: Mapping[str, Any] = {
    "schema": B1_CENSUS_SCHEMA,
    "schema_version": 1,
    "artifact_schema": B1_ARTIFACT_SCHEMA,
}
_NULLABILITY = ("never", "explicit_null_allowed")

# Possessive quantifiers: no input can make these patterns backtrack.
_NAME = re.compile(r"[a-z][a-z0-9]*+(?:[._-][a-z0-9]++)*+")
_SEGMENT = r"/(?!\.{1,2}(?:/|\Z))[^/\\\x00-\x1f\x7f]++"
_SOURCE = re.compile(rf"(?:src|docs|tests|tools)(?:{_SEGMENT})++|pyproject\.toml|uv\.lock")
_MAX_NAME = 255


def read_entries(census: Any) -> list[dict[str, Any]]:
    """Check an admitted census against its form and return its entries.

    Raises:
        CardValidationError: ``shape.…``, or the ``census.…`` code of the entry's rule that is broken.
    """
    _require_members(census, (*_HEADER, "entries"), "census#")
    for member, wanted in _HEADER.items():
        _require_listed(census[member], (wanted,), "shape.closed_value", f"census#/{member}")
    entries = census["entries"]
    _require_items(entries, "shape.too_few_items", "census#/entries")
    seen: dict[bytes, int] = {}
    for index, entry in enumerate(entries):
        at = f"census#/entries/{index}"
        _require_entry(entry, at)
        first = seen.setdefault(encode(entry, CARD_PROFILE), index)
        if first != index:
            raise refusal("census.duplicate_row", at, f"another entry than /entries/{first}", entry)
    rows: list[dict[str, Any]] = entries
    return rows


def _require_entry(entry: Any, at: str) -> None:
    _require_members(entry, tuple(_MEMBERS), at)
    for member, check in _MEMBERS.items():
        check(entry[member], f"{at}/{member}")


def _path(value: Any, at: str) -> None:
    if is_field_path(value):
        return
    wildcard = type(value) is str and "*" in value
    expected = "one leaf, without '*'" if wildcard else f"/token/… of at most {MAX_FIELD_PATH_LENGTH} characters"
    raise refusal("census.unexpanded_pattern" if wildcard else "census.field_path", at, expected, value)


def _owner(value: Any, at: str) -> None:
    _require_listed(value, OWNERS, "census.zero_owner" if value is None else "census.unknown_owner", at)


def _sources(value: Any, at: str) -> None:
    _require_items(value, "shape.too_few_items", at)
    for index, source in enumerate(value):
        if type(source) is not str or _SOURCE.fullmatch(source) is None:
            expected = "a path below src, docs, tests or tools without '.', '..' or '\\', or pyproject.toml or uv.lock"
            raise refusal("census.source_unsafe", f"{at}/{index}", expected, source)
    _require_unique(value, at)


def _consumers(value: Any, at: str) -> None:
    _require_items(value, "census.missing_consumer", at)
    for index, name in enumerate(value):
        if type(name) is not str or len(name) > _MAX_NAME or _NAME.fullmatch(name) is None:
            raise refusal("shape.lexical", f"{at}/{index}", f"a lowercase name of at most {_MAX_NAME} characters", name)
    _require_unique(value, at)


def _nullability(value: Any, at: str) -> None:
    _require_listed(value, _NULLABILITY, "shape.closed_value", at)


def _cardinality(value: Any, at: str) -> None:
    _require_listed(value, ("exact",), "shape.closed_value", at)


_MEMBERS: Mapping[str, Callable[[Any, str], None]] = {
    "field_path_pattern": _path,
    "owner": _owner,
    "source_paths": _sources,
    "consumers": _consumers,
    "nullability": _nullability,
    "cardinality": _cardinality,
}
"""Member of an entry -> its check."""

_ABSENT = {"owner": "census.zero_owner", "consumers": "census.missing_consumer"}
"""Members whose absence breaks a rule of the census itself."""


def _require_members(record: Any, names: tuple[str, ...], at: str) -> None:
    if type(record) is not dict:
        raise refusal("shape.root_not_object" if at == "census#" else "shape.wrong_type", at, "an object", record)
    for name in names:
        if name not in record:
            code = _ABSENT.get(name, "shape.missing_key")
            raise CardValidationError(code, path=at, expected=f"the member {name}", actual="none")
    odd = next((name for name in record if name not in names), None)
    if odd is not None:
        raise refusal("shape.unknown_key", at, f"exactly {', '.join(names)}", odd)


def _require_listed(value: Any, listed: tuple[Any, ...], code: str, at: str) -> None:
    """Refuse a value that is none of those listed, type included."""
    if not any(type(value) is type(wanted) and value == wanted for wanted in listed):
        raise refusal(code, at, " or ".join(map(str, listed)), value)


def _require_items(value: Any, code: str, at: str) -> None:
    if type(value) is not list:
        raise refusal("shape.wrong_type", at, "an array", value)
    if not value:
        raise refusal(code, at, "at least one item", value)


def _require_unique(texts: list[str], at: str) -> None:
    first: dict[str, int] = {}
    for index, text in enumerate(texts):
        if first.setdefault(text, index) != index:
            raise refusal("shape.set_duplicate", f"{at}/{index}", "no item twice", text)
