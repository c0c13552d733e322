"""Makes small values that keep a declared type, for the first event and the hidden state of a new variant."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import chain, islice
from typing import Any

from ...identity.canonical import encode
from ..contract import CARD_PROFILE, MAX_ADMISSION_NODES
from ..regex import MAX_SUBJECT_LENGTH, compile_pattern, pattern_units
from .fields import Field

_MOST = MAX_ADMISSION_NODES
"""No example has more values and characters than this, all together; a type that needs more has no example."""

_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_CHARACTERS = tuple(map(chr, chain(map(ord, _LETTERS), range(0x20, 0x7F), range(0x20), range(0x7F, 0x800))))

_Sized = tuple[Any, int]
"""A value, and how many values and characters it has."""


def example(what: Field) -> tuple[bool, Any]:
    """Return whether a small value was found, and the value; found or not depends on ``what`` alone."""
    for value, _ in _values(what):
        return True, value
    return False, None


def _values(what: Field) -> Iterator[_Sized]:
    """Yield different small values that keep a type, smallest first; not all there are."""
    if what.kind == "null":
        yield None, 1
    elif what.kind == "boolean":
        yield from ((False, 1), (True, 1))
    elif what.kind == "integer":
        start = min(max(0, what.low), what.high)
        for number in chain(range(start, what.high + 1), range(start - 1, what.low - 1, -1)):
            if what.low <= number:
                yield number, 1
    elif what.kind == "string":
        yield from ((text, 1 + len(text)) for text in _texts(what))
    elif what.kind == "array":
        yield from _arrays(what)
    else:
        yield from _objects(what)


def _arrays(what: Field) -> Iterator[_Sized]:
    if what.items is None:
        return
    # Even a set of empty arrays grows by one value an item, so no example is longer than this.
    for length in range(what.low, min(what.high, _MOST) + 1):
        found = list(islice(_values(what.items), length if what.unique else min(length, 1)))
        if not what.unique:
            found *= length
        size = 1 + sum(each for _, each in found)
        if len(found) < length or size > _MOST:
            return
        items = [value for value, _ in found]
        yield sorted(items, key=_canonical) if what.sorted else items, size


def _objects(what: Field) -> Iterator[_Sized]:
    """Yield the object with the members it needs, then those in which one member differs or one more is there."""
    if any(name not in what.members for name in what.needed):
        return
    found = {name: next(_values(what.members[name]), None) for name in what.needed}
    needed = {name: each for name, each in found.items() if each is not None}
    size = 1 + sum(each for _, each in needed.values())
    if len(needed) < len(found) or size > _MOST:
        return
    members = {name: value for name, (value, _) in needed.items()}
    yield members, size
    for name, each in what.members.items():
        for value, more in islice(_values(each), int(name in needed), None):
            yield {**members, name: value}, size + more


def _texts(what: Field) -> Iterator[str]:
    if what.choices is not None:
        yield from (text for text in what.choices if what.low <= len(text) <= what.high and _keeps(text, what.pattern))
    elif what.pattern is None:
        for length in range(what.low, min(what.high, _MOST) + 1):
            for letter in _LETTERS if length else _LETTERS[:1]:
                yield letter * length
    else:
        yield from _matching(what.pattern, what.low, what.high)


def _keeps(text: str, pattern: str | None) -> bool:
    return pattern is None or (len(text) <= MAX_SUBJECT_LENGTH and compile_pattern(pattern).matches(text))


def _matching(pattern: str, low: int, high: int) -> Iterator[str]:
    """Yield texts that match: every unit takes single characters, and at most one repeats a varying number of times."""
    units = pattern_units(pattern.removeprefix("^"))
    letters = [_characters(atom) for atom, _, most in units if most]
    least = sum(fewest for _, fewest, _ in units)
    most = sum(most for _, _, most in units)
    for length in range(max(low, least), min(high, most, MAX_SUBJECT_LENGTH) + 1):
        spare = length - least
        counts = [fewest + (spare if fewest < most else 0) for _, fewest, most in units if most]
        used = [(each, count) for each, count in zip(letters, counts, strict=True) if count]
        if not all(each for each, _ in used):
            continue
        for turn in range(max((len(each) for each, _ in used), default=1)):
            yield "".join(each[min(turn, len(each) - 1)] * count for each, count in used)


@lru_cache(maxsize=256)
def _characters(atom: str) -> str:
    """Return a few characters that one atom of a pattern takes, letters first; empty if it takes none of the usual."""
    takes = re.compile(atom)
    return "".join(islice((each for each in dict.fromkeys(_CHARACTERS) if takes.fullmatch(each)), 32))


def _canonical(value: Any) -> bytes:
    return encode(value, CARD_PROFILE)
