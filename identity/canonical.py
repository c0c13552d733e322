"""Canonical JSON bytes, composed piece by piece and measured, and their SHA-256 (identity contract, 4 and 7)."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import orjson

from .profile import MAX_INTEROPERABLE_INTEGER, Profile

# The pass-through switches refuse what is no plain value. Admission has seen none, but another thread may change a
# caller's object between the walk and the encoding.
_ENCODING = (
    orjson.OPT_SORT_KEYS
    | orjson.OPT_PASSTHROUGH_SUBCLASS
    | orjson.OPT_PASSTHROUGH_DATACLASS
    | orjson.OPT_PASSTHROUGH_DATETIME
)


_JOINED = 16 * 1024
"""Pieces of up to so many bytes are kept in one part."""


def encode(value: Any, profile: Profile) -> bytes:
    """Encode a value that :mod:`operatebench.identity.admission` has walked: compact, raw UTF-8, names by code point.

    Raises:
        TypeError: an integer is out of the profile's range, or a text or name holds a surrogate. The walker leaves
            these two to the encoder because it must look at every number and character anyway.
    """
    return orjson.dumps(value, None, _option(profile))


def encode_each(values: Iterable[Any], profile: Profile) -> list[bytes]:
    """Encode walked values one by one; see :func:`encode`."""
    option = _option(profile)
    return [orjson.dumps(value, None, option) for value in values]


def _option(profile: Profile) -> int:
    return _ENCODING | (orjson.OPT_STRICT_INTEGER if profile.max_integer == MAX_INTEROPERABLE_INTEGER else 0)


@dataclass(frozen=True, slots=True)
class Canonical:
    """A piece of canonical JSON: its bytes in parts, and its measure.

    Bigger documents are composed from pieces without encoding, walking or copying the pieces again.

    Attributes:
        parts: the canonical UTF-8 bytes, to be read one after the other.
        size: their total length in bytes.
        nodes: JSON values in the piece, itself included; member names are not counted.
        depth: nested containers; 0 for a scalar.
    """

    parts: tuple[bytes, ...]
    size: int
    nodes: int
    depth: int

    def __bytes__(self) -> bytes:
        return self.parts[0] if len(self.parts) == 1 else b"".join(self.parts)

    def sha256(self) -> str:
        """Return the lowercase hexadecimal SHA-256 of the bytes."""
        digest = hashlib.sha256()
        for part in self.parts:
            digest.update(part)
        return digest.hexdigest()


def scalar(value: str | int | bool | None) -> Canonical:
    """Return the canonical piece of one scalar of the profile."""
    data = orjson.dumps(value)
    return Canonical((data,), len(data), 1, 0)


def array(items: Iterable[Canonical]) -> Canonical:
    """Return the canonical array of ``items``, in their order."""
    return _container(b"[", ((b"", item) for item in items), b"]")


def mapping(members: Mapping[str, Canonical]) -> Canonical:
    """Return the canonical object of ``members``, sorted by code point of the name."""
    return _container(b"{", ((orjson.dumps(name) + b":", members[name]) for name in sorted(members)), b"}")


def _container(opening: bytes, items: Iterable[tuple[bytes, Canonical]], closing: bytes) -> Canonical:
    parts: list[bytes] = []
    lead, nodes, depth = opening, 1, 0
    for label, item in items:
        parts.append(lead + label)
        parts.extend(item.parts)
        lead = b","
        nodes += item.nodes
        depth = max(depth, item.depth)
    parts.append(closing if parts else opening + closing)
    size = sum(map(len, parts))
    # Many tiny parts cost more than a copy of them.
    return Canonical((b"".join(parts),) if size <= _JOINED else tuple(parts), size, nodes, depth + 1)


def rfc8785_identical(value: Any) -> bool:
    """Tell whether RFC 8785 gives the same bytes as the contract for an admitted ``value``.

    They differ exactly when some object holds member names that sort differently by UTF-16 code unit than by code
    point: an astral character against one of U+E000 to U+FFFF.

    Args:
        value: a normalized JSON value of the identity profile.
    """
    pending = [value]
    while pending:
        item = pending.pop()
        if type(item) is dict:
            if any(map(_has_astral, item)) and sorted(item) != sorted(item, key=_utf16_units):
                return False
            pending.extend(item.values())
        elif type(item) is list:
            pending.extend(item)
    return True


def _has_astral(name: str) -> bool:
    return not name.isascii() and max(name) > "\uffff"


def _utf16_units(name: str) -> bytes:
    return name.encode("utf-16-be")
