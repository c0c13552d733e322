"""Copies cards out of callers' mappings and sequences, reading no more of them than the limits allow (section 3).

Any mapping is an object, read only through ``items()``; any sequence that is no text and not binary is an array, read
only by iterating it. No length is asked, and at most one item past the limit is read. What comes out are plain dicts
and lists for the walker of :mod:`operatebench.identity.admission`, which knows the rules of values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from typing import Any

from ..errors import CardValidationError, pointer
from .contract import CARD_PROFILE
from .refusal import refusal

Tokens = tuple[str | int, ...]


def plain(value: object, at: str) -> Any:
    """Return a bounded plain copy of a caller's value; what is no container is passed on for the walker to judge.

    Raises:
        CardValidationError: ``projection.…``, or ``parse.duplicate_key`` for a mapping that gives a name twice.
    """
    return _Copy(at).copy(value, ())


class _Copy:
    """One bounded copy."""

    __slots__ = ("_at", "_nodes")

    def __init__(self, at: str) -> None:
        self._at = at
        self._nodes = 0

    def copy(self, value: Any, tokens: Tokens) -> Any:
        kind = type(value)
        # The class is asked, never the value: a value may lie about its class, and asking it would run its code.
        if issubclass(kind, str | bytes | bytearray | memoryview):
            return value
        if _is_a(kind, Mapping):
            return self._object(value, tokens)
        if _is_a(kind, Sequence):
            items = self._read(lambda: value, tokens)
            return [self.copy(item, (*tokens, index)) for index, item in enumerate(items)]
        return value

    def _object(self, value: Any, tokens: Tokens) -> dict[str, Any]:
        members: dict[str, Any] = {}
        for pair in self._read(lambda: value.items(), tokens):  # noqa: PLW0108 - the look-up may fail too
            if type(pair) is not tuple or len(pair) != 2 or type(pair[0]) is not str:
                expected = "a member name of exact text and its value"
                raise refusal("projection.wrong_type", self._at + pointer(*tokens), expected, pair)
            if pair[0] in members:
                raise refusal("parse.duplicate_key", self._at + pointer(*tokens), "unique member names", pair[0])
            members[pair[0]] = pair[1]
        return {name: self.copy(item, (*tokens, name)) for name, item in members.items()}

    def _read(self, source: Callable[[], Iterable[Any]], tokens: Tokens) -> list[Any]:
        if len(tokens) >= CARD_PROFILE.max_depth:
            expected = f"at most {CARD_PROFILE.max_depth} nested containers"
            raise self._over("projection.too_deep", tokens, expected)
        try:
            items = list(islice(source(), CARD_PROFILE.max_items + 1))
        except Exception:  # noqa: BLE001 - a caller's container may raise anything; none of it may be kept or shown
            items = None
        if items is None:
            raise self._over("projection.unreadable", tokens, "a mapping or sequence that can be read")
        if len(items) > CARD_PROFILE.max_items:
            expected = f"at most {CARD_PROFILE.max_items} direct items"
            raise self._over("projection.too_many_members", tokens, expected)
        self._nodes += len(items)
        if self._nodes > CARD_PROFILE.max_nodes:
            raise self._over("projection.too_many_nodes", tokens, f"at most {CARD_PROFILE.max_nodes} nodes")
        return items

    def _over(self, code: str, tokens: Tokens, expected: str) -> CardValidationError:
        return CardValidationError(code, path=self._at + pointer(*tokens), expected=expected, actual="none such")


def _is_a(kind: type, abstract: type) -> bool:
    """Tell whether a caller's class is one of an abstract kind; one that fails to be asked is none."""
    try:
        return issubclass(kind, abstract)
    except Exception:  # noqa: BLE001 - abstract classes keep known classes in a set, so a metaclass may run
        return False
