"""Turns the bytes of a fuzzer into documents: valid ones, edited where and as the bytes say."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from functools import cache
from typing import Any

from operatebench.identity import build_projection_census, claimed_projections, load_identity_golden_vectors

Pointer = tuple[str | int, ...]

ROLES = ("manifest", "census", "projections")

_ODD_VALUES: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 1.0, -0.0, 1.5, 2**53 - 1, 2**53, 10**30, float("nan"), float("inf"),
    "", "x", "/", "/a", "/a/*", "0" * 64, "\ud800", "\U0001f600", "\x00", "a.b", "runtime_bundle",
    "card_schema_content",
    "operatebench.identity_field_census.v1",
    "operatebench.b1_card_contract.v1", [], {}, [None], {"": None}, {"kind": "x"},
    [[[[]]]], {"kind": "named_predicate", "predicate": "a.b", "predicate_version": 1},
    {"kind": "closed_schema_version_range", "minimum_schema_version": 1, "maximum_schema_version": 1},
)  # fmt: skip
_MOST_EDITS = 6


class Choices:
    """Reads choices off bytes; when they run out every choice is the first.

    Args:
        data: the fuzzer's bytes.
    """

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._place = 0

    def below(self, limit: int) -> int:
        """Return a number from 0 to ``limit - 1``."""
        width = 1 if limit <= 256 else 2
        piece = self._data[self._place : self._place + width]
        self._place += width
        return int.from_bytes(piece, "little") % limit

    def rest(self) -> bytes:
        """Return all bytes not read yet."""
        return self._data[self._place :]


@cache
def _golden() -> str:
    manifest = load_identity_golden_vectors()["manifest"]["manifest"]
    projections = claimed_projections(manifest)
    return json.dumps(
        {"manifest": manifest, "census": build_projection_census(projections), "projections": projections}
    )


def golden() -> dict[str, Any]:
    """Return fresh valid documents by role: manifest, census and projections."""
    documents: dict[str, Any] = json.loads(_golden())
    return documents


def edited(choices: Choices) -> dict[str, Any]:
    """Return the golden documents after up to six edits that the bytes choose."""
    documents = golden()
    for _ in range(choices.below(_MOST_EDITS + 1)):
        root = documents[ROLES[choices.below(len(ROLES))]]
        places = list(_pointers(root, ()))
        if places:
            _edit(root, places[choices.below(len(places))], choices)
    return documents


def _pointers(value: Any, place: Pointer) -> Iterator[Pointer]:
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for token, child in children:
        yield (*place, token)
        yield from _pointers(child, (*place, token))


def _edit(root: Any, place: Pointer, choices: Choices) -> None:
    holder: Any = root
    for token in place[:-1]:
        holder = holder[token]
    last: Any = place[-1]
    kind = choices.below(6)
    if kind == 0:
        del holder[last]
    elif kind == 1 and isinstance(holder, list):
        holder.insert(last, copy.deepcopy(holder[last]))
    elif kind == 2 and isinstance(holder, list):
        holder.reverse()
    elif kind == 1:
        holder[str(last) + chr(choices.below(0x300))] = holder.pop(last)
    elif kind == 3 and type(holder[last]) is str:
        holder[last] += chr(choices.below(0x300))
    elif kind == 4 and type(holder[last]) is int:
        holder[last] += choices.below(4) - 2
    else:
        holder[last] = copy.deepcopy(_ODD_VALUES[choices.below(len(_ODD_VALUES))])
