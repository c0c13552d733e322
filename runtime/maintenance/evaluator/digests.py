"""Digests of parts of a record, recomputed."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from typing import Any

from ...core.plain import canonical

_MAX_NODES = 100_000
_MAX_DEPTH = 64
_MAX_BYTES = 8 * 1024 * 1024
_FEW_BYTES = 2 * _MAX_NODES
"""A node takes at least two: itself, and what parts it from the next."""


def digest(value: Any, unknown: Sequence[Any] | None = None) -> str | None:
    """Return the lowercase hexadecimal SHA-256 of the canonical JSON of ``value``.

    Args:
        value: what is to be digested.
        unknown: the parts of it, two levels down, that may be anything; all the rest is known to be strict JSON.

    Returns:
        The digest; null for what is no strict JSON within the limits of a record (evidence contract, version 1).
    """
    if not (_is_strict([value], 0) if unknown is None else _is_strict(unknown, 2)):
        return None
    try:
        data = canonical(value)
    except TypeError:  # a surrogate, an integer beyond 53 bits, or a member name that is no text
        return None
    if len(data) > _MAX_BYTES or (len(data) > _FEW_BYTES and not _is_strict([value], 0)):
        return None
    return hashlib.sha256(data).hexdigest()


def _is_strict(values: Sequence[object], depth: int) -> bool:
    """Tell whether values have exactly JSON's types, no fraction among them, and no more nodes and levels than allowed.

    The walker of the identity contract also says where and why it refuses. That would be a good part of the time that
    grading an episode takes, and nobody asks.
    """
    nodes = 0
    level: list[Any] = [values]
    while level:
        if depth > _MAX_DEPTH:
            return False
        below: list[Any] = []
        for container in level:
            items: Iterable[Any] = container
            if type(container) is dict:
                items = container.values()
                nodes += len(container)
            nodes += len(container)
            for value in items:
                kind = type(value)
                if kind is str or kind is int:  # most are
                    continue
                if kind is dict or kind is list:
                    below.append(value)
                elif not (kind is bool or value is None):
                    return False
            if nodes > _MAX_NODES:
                return False
        depth, level = depth + 1, below
    return True
