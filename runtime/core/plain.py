"""Plain JSON and its read-only form: copied, frozen, encoded once and measured."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, Self

import orjson

from ...identity.canonical import encode
from ...identity.profile import IDENTITY_PROFILE

RECORD_PROFILE = replace(IDENTITY_PROFILE, integral_floats=False, nodes_count_keys=True)
"""Numbers and counting as in the evidence contract, 2.1. Sizes are watched by the record budget, not here."""

OBJECTS = frozenset({dict, MappingProxyType})
ARRAYS = frozenset({list, tuple})
"""The classes of an object and of an array, each plain and read-only."""

_CONTAINERS = OBJECTS | ARRAYS


def canonical(value: Any) -> bytes:
    """Return the canonical bytes of plain JSON; what is already encoded may be in it as an ``orjson.Fragment``."""
    return encode(value, RECORD_PROFILE)


def thaw(value: Any) -> Any:
    """Return a read-only or plain JSON value as fresh dicts and lists."""
    if type(value) in OBJECTS:
        return {name: thaw(item) if type(item) in _CONTAINERS else item for name, item in value.items()}
    if type(value) in ARRAYS:
        return [thaw(item) if type(item) in _CONTAINERS else item for item in value]
    return value


def frozen_copy(value: Any) -> Any:
    """Return a read-only copy of a read-only or plain JSON value: read-only mappings and tuples."""
    if type(value) in OBJECTS:
        fresh = dict(value)
        for name, item in fresh.items():
            if type(item) in _CONTAINERS:
                fresh[name] = frozen_copy(item)
        return MappingProxyType(fresh)
    if type(value) in ARRAYS:
        return tuple([frozen_copy(item) if type(item) in _CONTAINERS else item for item in value])
    return value


def count_nodes(value: Any) -> int:
    """Count one for every value and one for every member name of plain JSON (evidence contract, 2.1)."""
    if type(value) is dict:
        nodes = 1 + 2 * len(value)
        value = value.values()
    elif type(value) in ARRAYS:
        nodes = 1 + len(value)
    else:
        return 1
    for item in value:
        if type(item) in _CONTAINERS:
            nodes += count_nodes(item) - 1
    return nodes


@dataclass(frozen=True, slots=True)
class Piece:
    """A JSON value, encoded and measured once, to be part of several records.

    Attributes:
        value: plain, and nobody else's; records share it and change nothing.
        data: its canonical bytes.
        nodes: values and member names in it.
    """

    value: Any
    data: bytes
    nodes: int

    @property
    def fragment(self) -> orjson.Fragment:
        """The bytes, as a value that :func:`canonical` copies into a document."""
        return orjson.Fragment(self.data)

    @classmethod
    def decode(cls, data: bytes) -> Self:
        """Return the piece whose canonical bytes are ``data``."""
        value = orjson.loads(data)
        return cls(value, data, count_nodes(value))

    def sha256(self) -> str:
        """Return the SHA-256 of the bytes."""
        return hashlib.sha256(self.data).hexdigest()
