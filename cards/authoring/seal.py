"""Seals an edited card: refreshes what it refers to, sorts its sets when asked, and writes its digest."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ...errors import CardValidationError
from ...identity.canonical import encode
from ..contract import CARD_PROFILE
from ..envelope import content_digest, require_generation
from ..library import Entry, Library
from ..read import recompute_card_digest
from ..refusal import refusal
from ..sets import sets_of
from ..shape import require_shape_of
from .upstream import UPSTREAM, reference_of

_DIGEST = "content_digest_sha256"


@dataclass(frozen=True, slots=True)
class Change:
    """A digest before and after; None before if there was no text.

    Attributes:
        old: the digest that stood there.
        new: the digest that stands there now.
    """

    old: str | None
    new: str

    @property
    def moved(self) -> bool:
        """Whether they differ."""
        return self.old != self.new


@dataclass(frozen=True, slots=True)
class Sealed:
    """A sealed card.

    Attributes:
        card: the card, sound by itself, its members in the author's order.
        digest: its digest.
        reference: the digest of the card it refers to; None if no upstream card was given.
        sorted_sets: JSON Pointers of the sets that were sorted, as they stood before.
    """

    card: dict[str, Any]
    digest: Change
    reference: Change | None
    sorted_sets: tuple[str, ...]

    def text(self) -> bytes:
        """Return the card for people: the author's member order, two spaces of indentation, raw UTF-8."""
        return card_text(self.card)


def card_text(card: dict[str, Any]) -> bytes:
    """Return a card for people: two spaces of indentation, raw UTF-8, a newline at the end.

    Characters that do not print are escaped, so that a card shown on a terminal cannot steer it.
    """
    lines = json.dumps(card, indent=2, ensure_ascii=False, allow_nan=False).split("\n")
    return "".join(f"{line if line.isprintable() else _printable(line)}\n" for line in lines).encode()


def _printable(line: str) -> str:
    return "".join(
        character if character.isprintable() else json.dumps(character)[1:-1].replace("\x7f", "\\u007f")
        for character in line
    )


def seal(card: Any, upstream: Sequence[Any] = (), *, sort_sets: bool = False) -> Sealed:
    """Write the digest into an edited card, and see that the card is sound by itself: generation, shape, sets, digest.

    Whether it keeps the rules that need the cards it refers to is not looked at.

    Args:
        card: the admitted card; it is changed.
        upstream: admitted cards; the one that the card refers to, by schema and id, gives the reference its digest.
        sort_sets: sort sets that are out of order, instead of refusing them.

    Raises:
        CardValidationError: ``generation.…`` or ``shape.…`` of the card; the same or ``digest.…`` of an upstream card,
            at ``references/N#``; ``references.unresolved`` if upstream cards are given and none is the one referred to.
    """
    schema = require_generation(card, "card#")
    reference = _refresh(card, upstream) if upstream else None
    before = card.get(_DIGEST)
    card[_DIGEST] = recompute_card_digest(card)  # refuses a card without id or content
    places = _sort(schema, card) if sort_sets else ()
    if places:
        card[_DIGEST] = content_digest(card)
    Library().require_sound(Entry(card, "card#"))
    return Sealed(card, Change(before if type(before) is str else None, card[_DIGEST]), reference, places)


def _refresh(card: dict[str, Any], upstream: Sequence[Any]) -> Change:
    library = Library()
    for index, each in enumerate(upstream):
        entry = Entry(each, f"references/{index}#")
        library.require_sound(entry)
        library.add(entry)
    link = UPSTREAM.get(card["schema"])
    if link is None:
        raise refusal("references.unresolved", "card#", "a card that refers to another one", card["schema"])
    place = f"card#/content/{link.member}"
    reference = reference_of(card)
    if reference is None:
        raise refusal("references.unresolved", place, f"a reference to a card of {link.schema}", card.get("content"))
    targets = [each for each in upstream if (each["schema"], each["id"]) == (link.schema, reference["id"])]
    if not targets:
        expected = "a card of this schema and id among those given"
        raise refusal("references.unresolved", f"{place}/id", expected, reference["id"])
    before = reference.get(_DIGEST)
    reference[_DIGEST] = targets[0][_DIGEST]
    return Change(before if type(before) is str else None, reference[_DIGEST])


def _sort(schema: str, card: dict[str, Any]) -> tuple[str, ...]:
    """Sort every set that is out of order, the inner ones first, as they decide where their owners sort."""
    try:
        require_shape_of(schema, card, "card#")
    except CardValidationError as fault:
        if fault.code != "shape.set_order":
            raise
    else:
        return ()
    places = sorted(sets_of(schema, card["content"], "/content"), key=lambda place: place[0].count("/"), reverse=True)
    moved = []
    for place, items in places:
        ordered = sorted(items, key=lambda item: encode(item, CARD_PROFILE))
        if ordered != items:
            items[:] = ordered
            moved.append(place)
    return tuple(sorted(moved))
