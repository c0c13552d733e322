"""A small language of forms: what a part of the spec must look like, checked value by value where it stands."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from ....errors import SpecError, describe, pointer
from .yaml import MAX_INTEGER, Document

# The card contract, section 4: a code is what a card's name is once it is written in lower case.
_NAME = re.compile(r"[a-z][a-z0-9]*(?:[._-][a-z0-9]+)*")
_MAX_NAME = 255


@dataclass(frozen=True, slots=True)
class Place:
    """A value of the spec, and where it stands."""

    document: Document
    steps: tuple[str | int, ...]
    value: Any

    def __getitem__(self, step: str | int) -> Place:
        return Place(self.document, (*self.steps, step), self.value[step])

    @property
    def at(self) -> str:
        """The JSON Pointer to the value."""
        return pointer(*self.steps)

    def items(self) -> Iterator[tuple[str, Place]]:
        """Yield the members of a mapping with their keys; iterating yields members, or items, alone."""
        return ((key, self[key]) for key in self.value)

    def __iter__(self) -> Iterator[Place]:
        steps: Iterable[str | int] = self.value if type(self.value) is dict else range(len(self.value))
        return (self[step] for step in steps)

    def refuse(
        self, code: str, expected: str, actual: str | None = None, *, step: str | int | None = None
    ) -> SpecError:
        """Return the refusal of this value, or of its member ``step``, with file, line and field."""
        at = pointer(*self.steps) if step is None else pointer(*self.steps, step)
        found = describe(self.value) if actual is None else actual
        return SpecError(code, path=self.document.place(at), expected=expected, actual=found)


Form = Callable[[Place], None]
"""Checks one value; raises :class:`SpecError`."""


def text(place: Place) -> None:
    """Text that says something."""
    _require_type(place, str, "text")
    if not place.value.strip():
        raise place.refuse("empty_text", "a text that says something")


def name(place: Place) -> None:
    """A code: letters and digits in groups, which in lower case is a name of the card contract."""
    _require_type(place, str, "text")
    _require_name(place, place.value)


def matching(pattern: str, expected: str) -> Form:
    """Return the form of text that matches a pattern whole."""
    compiled = re.compile(pattern)

    def form(place: Place) -> None:
        _require_type(place, str, "text")
        if not compiled.fullmatch(place.value):
            raise place.refuse("lexical", expected)

    return form


def word(*words: str) -> Form:
    """Return the form of one of some words."""

    def form(place: Place) -> None:
        _require_type(place, str, "text")
        if place.value not in words:
            raise place.refuse("closed_value", " or ".join(words))

    return form


def integer(lowest: int, highest: int = MAX_INTEGER) -> Form:
    """Return the form of an integer within bounds, inclusive."""

    def form(place: Place) -> None:
        _require_type(place, int, "an integer")
        if not lowest <= place.value <= highest:
            raise place.refuse("out_of_bounds", f"an integer from {lowest} to {highest}")

    return form


def boolean(place: Place) -> None:
    """``true`` or ``false``."""
    _require_type(place, bool, "true or false")


def scalar(place: Place) -> None:
    """Null, a boolean, an integer or text."""
    if type(place.value) in (dict, list):
        raise place.refuse("wrong_type", "null, a boolean, an integer or text")


def anything(place: Place) -> None:
    """Whatever another check looks at."""


def listing(item: Form, *, at_least: int = 0, unique: bool = False) -> Form:
    """Return the form of a list.

    Args:
        item: form of every item.
        at_least: how many items there must be.
        unique: whether no item may be given twice; for items that are text.
    """

    def form(place: Place) -> None:
        _require_type(place, list, "a list")
        if len(place.value) < at_least:
            raise place.refuse("too_few", f"at least {at_least} items", f"{len(place.value)} items")
        for each in place:
            item(each)
        if unique:
            require_unique(place, list(place))

    return form


def mapping(value: Form, *, at_least: int = 1) -> Form:
    """Return the form of a mapping whose keys are codes."""

    def form(place: Place) -> None:
        _require_type(place, dict, "a mapping")
        if len(place.value) < at_least:
            raise place.refuse("too_few", f"at least {at_least} members", f"{len(place.value)} members")
        for key, each in place.items():
            _require_name(each, key)
            value(each)

    return form


def record(required: Mapping[str, Form], optional: Mapping[str, Form] = MappingProxyType({})) -> Form:
    """Return the form of a mapping with exactly these keys."""
    forms = {**required, **optional}

    def form(place: Place) -> None:
        _require_type(place, dict, "a mapping")
        for key in place.value:
            if key not in forms:
                raise place.refuse("unknown_key", f"one of {', '.join(forms)}", describe(key), step=key)
        for key in required:
            if key not in place.value:
                raise place.refuse("missing_key", f"the key {key}", "a mapping without it", step=key)
        for key, each in forms.items():
            if key in place.value:
                each(place[key])

    return form


def either(test: Callable[[Any], bool], then: Form, otherwise: Form) -> Form:
    """Return the form that is ``then`` for a value the test holds of, and ``otherwise`` for any other."""

    def form(place: Place) -> None:
        (then if test(place.value) else otherwise)(place)

    return form


def tagged(key: str, forms: Mapping[str, Form]) -> Form:
    """Return the form of a mapping whose member ``key`` says which form the whole has."""
    tag = word(*forms)

    def form(place: Place) -> None:
        _require_type(place, dict, "a mapping")
        if key not in place.value:
            raise place.refuse("missing_key", f"the key {key}", "a mapping without it", step=key)
        tag(place[key])
        forms[place.value[key]](place)

    return form


def require_unique(holder: Place, places: list[Place]) -> None:
    """Refuse the first of ``places``, texts inside ``holder``, that repeats an earlier one."""
    seen: set[str] = set()
    for place in places:
        if place.value in seen:
            raise place.refuse("duplicate", f"a value that {holder.at} does not hold yet")
        seen.add(place.value)


def _require_type(place: Place, kind: type, expected: str) -> None:
    if type(place.value) is not kind:
        raise place.refuse("wrong_type", expected)


def _require_name(place: Place, code: str) -> None:
    if len(code) > _MAX_NAME or not code.isascii() or not _NAME.fullmatch(code.lower()):
        raise place.refuse("lexical", "letters and digits in groups joined by one of . _ -", describe(code))
