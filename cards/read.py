"""The reader of Card v1: bytes, text, path or Python objects to validated, immutable cards (sections 3, 12, 15)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from pathlib import Path, PosixPath
from typing import Any

from ..errors import CardValidationError
from ..identity.admission import Admitted, admit
from ..identity.boundary import public
from ..identity.records import freeze_owned
from ..identity.strictjson import parse_json
from .contract import (
    CARD_PROFILE,
    CARD_TEXT_PROFILE,
    MAX_ADMISSION_NODES,
    MAX_ADMISSION_TEXT_BYTES,
    MAX_REFERENCE_CARDS,
    OPERATION_CARD_SCHEMA,
)
from .envelope import content_digest, require_generation
from .library import Entry, Library
from .plain import plain
from .refusal import refusal

Card = Mapping[str, Any]
"""A validated card: read-only mappings and tuples all the way down."""

Source = bytes | str | Path


@public
def load_card_json(source: Source, *, references: Iterable[object] = ()) -> Card:
    """Read one card from JSON text and validate it.

    Args:
        source: bytes in UTF-8, JSON text, or a ``pathlib.Path``; text is never taken for a path.
        references: the cards it refers to, and what those refer to; extra valid cards are tolerated.

    Raises:
        CardValidationError: the first rule the card, or a reference, breaks. For an unreadable path its cause is the
            operating system's error.
    """
    return _validate(_parse(source, "card#"), references)


@public
def validate_card(card: object, *, references: Iterable[object] = ()) -> Card:
    """Validate one card given as Python objects: mappings and sequences of exact scalars.

    The card itself is checked before its references are touched, and an operation's references never are. Every
    reference is validated, needed or not, and the card and they share one budget of nodes and text.

    Raises:
        CardValidationError: the first rule the card, or a reference, breaks.
    """
    return _validate(admit(plain(card, "card#"), CARD_PROFILE, at="card#"), references)


@public
def load_card_chain(sources: Sequence[Source]) -> tuple[Card, ...]:
    """Read cards that refer to one another, in any order, and validate each of them once.

    Returns:
        The validated cards, in the order of their sources.

    Raises:
        CardValidationError: the first rule any of the cards breaks; paths start with ``cards/N#``.
    """
    library = Library()
    given = _bounded(sources, "cards#")
    entries = [Entry.of(_parse(source, f"cards/{index}#"), f"cards/{index}#") for index, source in enumerate(given)]
    for entry in entries:
        library.add(entry)
    for entry in entries:
        library.facts(entry)
    return tuple(freeze_owned(entry.card) for entry in entries)


@public
def recompute_card_digest(card: object) -> str:
    """Return the digest of a card's content. Only its generation is checked, and that ``id`` and ``content`` are there.

    Raises:
        CardValidationError: ``projection.…``, ``generation.…`` or ``shape.missing_key``.
    """
    value = admit(plain(card, "card#"), CARD_PROFILE, at="card#").value
    require_generation(value, "card#")
    for member in ("id", "content"):
        if member not in value:
            raise refusal("shape.missing_key", "card#", f"the member {member}", value)
    return content_digest(value)


@public
def card_to_json(value: object) -> Any:
    """Return a detached copy of a card in plain dicts and lists; a validated card is thawed.

    Raises:
        CardValidationError: ``projection.…``.
    """
    return admit(plain(value, "card#"), CARD_PROFILE, at="card#").value


def _parse(source: object, at: str) -> Admitted:
    if type(source) is bytes:
        data = source
    elif type(source) is str:
        try:
            data = source.encode("utf-8")
        except UnicodeEncodeError:
            raise refusal("parse.not_utf8", at, "text without lone surrogates", source) from None
    elif type(source) is PosixPath:
        data = _read(source, at)
    else:
        wrong = TypeError("no source of a card")
        raise refusal("parse.source", at, "bytes, text of JSON or a pathlib.Path", source) from wrong
    return parse_json(data, CARD_TEXT_PROFILE, at=at)


def _read(path: Path, at: str) -> bytes:
    try:
        return path.read_bytes()
    except (OSError, ValueError) as fault:
        raise refusal("parse.unreadable", at, "a readable file", str(path)) from fault


class _Budget:
    """The nodes and text that a card and its references may have together."""

    __slots__ = ("_admitted", "_nodes", "_size")

    def __init__(self) -> None:
        self._admitted: list[Admitted] = []
        self._nodes = 0
        self._size = 0

    def take(self, admitted: Admitted, at: str) -> None:
        self._admitted.append(admitted)
        self._nodes += admitted.canonical.nodes
        self._size += admitted.canonical.size
        if self._nodes > MAX_ADMISSION_NODES:
            expected = f"at most {MAX_ADMISSION_NODES} nodes in a card and its references"
            raise refusal("projection.too_many_nodes", at, expected, self._nodes)
        # Canonical bytes hold all text and more, so text is counted only when they could be over.
        if self._size > MAX_ADMISSION_TEXT_BYTES:
            text = sum(_text_bytes(piece.value) for piece in self._admitted)
            if text > MAX_ADMISSION_TEXT_BYTES:
                expected = f"at most {MAX_ADMISSION_TEXT_BYTES} bytes of text in a card and its references"
                raise refusal("projection.text_total_too_long", at, expected, text)


def _text_bytes(value: Any) -> int:
    """Return the UTF-8 bytes of every text and member name in an admitted value."""
    total = 0
    pending = [value]
    while pending:
        item = pending.pop()
        if type(item) is str:
            total += len(item.encode("utf-8"))
        elif type(item) is dict:
            pending.extend(item)
            pending.extend(item.values())
        elif type(item) is list:
            pending.extend(item)
    return total


def _validate(admitted: Admitted, references: Iterable[object]) -> Card:
    library = Library()
    entry = Entry.of(admitted, "card#")
    budget = _Budget()
    budget.take(admitted, entry.at)
    library.require_sound(entry)
    if entry.card["schema"] != OPERATION_CARD_SCHEMA:
        for target in _targets(references, budget, library):
            library.target_facts(target)
    library.check_meaning(entry)
    card: Card = freeze_owned(entry.card)
    return card


def _bounded(cards: Iterable[Any], at: str) -> list[Any]:
    """Return what a caller's iterable gives, which is at most 4,096 cards, reading no more of it."""
    try:
        given = list(islice(cards, MAX_REFERENCE_CARDS + 1))
    except Exception:  # noqa: BLE001 - a caller's iterator may raise anything; none of it may be kept or shown
        given = None
    if given is None:
        expected = "cards that can be iterated"
        raise CardValidationError("projection.unreadable", path=at, expected=expected, actual="none such")
    if len(given) > MAX_REFERENCE_CARDS:
        raise refusal("projection.too_many_references", at, f"at most {MAX_REFERENCE_CARDS} cards", given)
    return given


def _targets(references: Iterable[object], budget: _Budget, library: Library) -> list[Entry]:
    """Admit every reference card, in order, before any of them is validated."""
    given = _bounded(references, "references#")
    targets = []
    for index, card in enumerate(given):
        at = f"references/{index}#"
        admitted = admit(plain(card, at), CARD_PROFILE, at=at)
        budget.take(admitted, at)
        entry = Entry.of(admitted, at)
        library.add(entry)
        targets.append(entry)
    return targets
