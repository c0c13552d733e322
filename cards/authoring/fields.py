"""Reads both type languages of operation cards, field shapes and state schemas, as one (card contract, 7 and 8)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from ...errors import describe, escape

_LISTED = 12
"""Most values of a closed list that are spelled out."""


@dataclass(frozen=True, slots=True)
class Field:
    """What values a place may hold, whichever language said it.

    Attributes:
        kind: null, boolean, integer, string, array or object.
        low: least integer, characters or items.
        high: most of them.
        pattern: the authored pattern of a text, or None.
        choices: the only texts allowed, or None.
        items: what an array holds; None for other kinds.
        unique: whether its items must differ.
        sorted: whether they must stand in canonical order too.
        members: name -> what that member of an object may hold.
        needed: the members that must be there.
    """

    kind: str
    low: int = 0
    high: int = 0
    pattern: str | None = None
    choices: tuple[str, ...] | None = None
    items: Field | None = None
    unique: bool = False
    sorted: bool = False
    members: Mapping[str, Field] = field(default_factory=dict)
    needed: tuple[str, ...] = ()


def of_shape(shape: Mapping[str, Any]) -> Field:
    """Read a field shape that has passed the card schema."""
    kind = shape["kind"]
    if kind == "integer":
        return Field(kind, shape["minimum"], shape["maximum"])
    if kind == "string":
        return _text(kind, shape["min_length"], shape["max_length"], shape)
    if kind == "array":
        items = of_shape(shape["items"])
        return Field(kind, shape["min_items"], shape["max_items"], items=items, unique=shape["unique_items"])
    if kind == "object":
        entries = shape["fields"]
        needed = tuple(name for name, entry in entries.items() if entry["required"])
        return Field(kind, members={name: of_shape(entry["shape"]) for name, entry in entries.items()}, needed=needed)
    return Field(kind)


def of_state(schema: Mapping[str, Any]) -> Field:
    """Read a state schema that has passed the card schema."""
    kind = schema["type"]
    if kind == "integer":
        return Field(kind, schema["minimum"], schema["maximum"])
    if kind == "string":
        return _text(kind, schema["minLength"], schema["maxLength"], schema)
    if kind == "array":
        unique = schema["uniqueItems"]
        items = of_state(schema["items"])
        return Field(kind, schema["minItems"], schema["maxItems"], items=items, unique=unique, sorted=unique)
    if kind == "object":
        members = {name: of_state(each) for name, each in schema["properties"].items()}
        return Field(kind, members=members, needed=tuple(schema["required"]))
    return Field(kind)


def _text(kind: str, low: int, high: int, schema: Mapping[str, Any]) -> Field:
    listed = schema["enum"]
    return Field(kind, low, high, schema["pattern"], None if listed is None else tuple(listed))


def in_words(what: Field) -> str:
    """Say what values a place may hold, without the members of an object."""
    if what.kind == "string":
        return _text_words(what)
    if what.kind == "integer":
        return f"integer, {what.low} to {what.high}"
    if what.items is not None:
        kind = "different items" if what.unique else "items"
        order = " in canonical order" if what.sorted else ""
        return f"array of {_range(what)} {kind}{order}, each: {in_words(what.items)}"
    if what.kind == "object":
        return "object" if what.members else "empty object"
    return what.kind


def _range(what: Field) -> str:
    return str(what.low) if what.low == what.high else f"{what.low} to {what.high}"


def _text_words(what: Field) -> str:
    words = f"text of {_range(what)} characters"
    if what.pattern is not None:
        words += f" matching {escape(what.pattern, 256)}"
    if what.choices is not None:
        shown = ", ".join(describe(choice) for choice in what.choices[:_LISTED])
        more = f" and {len(what.choices) - _LISTED} more" if len(what.choices) > _LISTED else ""
        words += f", one of {shown}{more}"
    return words


def rows(name: str, what: Field, *, required: bool) -> Iterator[tuple[str, str, str]]:
    """Yield name, ``required`` or ``optional``, and words for a place and every place inside it.

    A member of an object is named ``object/member``, an item of an array ``array[]``.
    """
    yield name, "required" if required else "optional", in_words(what)
    inner = what
    while inner.items is not None:
        name, inner = f"{name}[]", inner.items
    for member, each in inner.members.items():
        yield from rows(f"{name}/{member}", each, required=member in inner.needed)
