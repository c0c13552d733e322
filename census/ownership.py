"""Says which component owns a place in a card, and through which leaf (card contract, section 18)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from ..cards.contract import CARD_SCHEMAS
from ..cards.refusal import refusal
from ..identity.boundary import public
from .b1 import validate_field_census
from .leaves import CARD_ROOTS, RESOURCES_ROOT, live_surface
from .resources import load_field_census

_POINTER = re.compile(r"(?:/(?:[^/~]++|~[01])*+)*+")
_INDEX = re.compile(r"0|[1-9][0-9]*+")


@dataclass(frozen=True, slots=True)
class FieldOwnership:
    """Who owns a place in a card.

    Attributes:
        owner: the identity component.
        leaves: the census path of the leaf the place is, or is part of; for a place above leaves, all those below it.
        consumers: who reads these leaves.
        source_paths: where they are declared, as the census names it.
    """

    owner: str
    leaves: tuple[str, ...]
    consumers: tuple[str, ...]
    source_paths: tuple[str, ...]


@public
def owner_of(pointer: str, *, card_schema: str | None = None) -> FieldOwnership:
    """Return who owns a place in a card, by the packaged census.

    Indexes of real arrays may stand in the pointer, and are skipped; what lies below a leaf belongs to it.

    Args:
        pointer: a JSON Pointer that starts as census paths do, such as ``/variant_card/content/events/3/at``.
        card_schema: the literal of a card, to give a pointer into that card instead: ``/content/events/3/at``.

    Raises:
        CardValidationError: ``resource.unknown``, ``census.pointer_syntax`` or ``census.pointer_unowned``.
    """
    if type(pointer) is not str or _POINTER.fullmatch(pointer) is None:
        raise refusal("census.pointer_syntax", "pointer#", "a JSON Pointer", pointer)
    root = ""
    if card_schema is not None:
        if type(card_schema) is not str or card_schema not in CARD_ROOTS:
            raise refusal("resource.unknown", "card_schema#", " or ".join(CARD_SCHEMAS), card_schema)
        root, _ = CARD_ROOTS[card_schema]
    place = _leaf_path(root + pointer)
    entries = _entries()
    below = [place] if place in entries else [leaf for leaf in entries if leaf.startswith(f"{place}/")]
    owners = {entries[leaf]["owner"] for leaf in below}
    if len(owners) != 1:
        expected = f"a place in {', '.join((RESOURCES_ROOT, *(root for root, _ in CARD_ROOTS.values())))}"
        raise refusal("census.pointer_unowned", "pointer#", expected, pointer)
    return FieldOwnership(
        owner=owners.pop(),
        leaves=tuple(below),
        consumers=tuple(entries[below[0]]["consumers"]),
        source_paths=tuple(dict.fromkeys(source for leaf in below for source in entries[leaf]["source_paths"])),
    )


@cache
def _entries() -> Mapping[str, Mapping[str, Any]]:
    census = validate_field_census(load_field_census())
    return {entry["field_path_pattern"]: entry for entry in census["entries"]}


def _leaf_path(pointer: str) -> str:
    """Return the pointer without indexes of arrays, and without what lies below a leaf."""
    leaves, arrays = live_surface().owners, live_surface().arrays
    place, after_index = "", False
    for step in pointer.split("/")[1:]:
        if place in leaves:
            break
        after_index = place in arrays and not after_index and _INDEX.fullmatch(step) is not None
        if not after_index:
            place += f"/{step}"
    return place
