"""Checks many cards that refer to one another, each once, and shows who refers to whom (card contract, section 12)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from ...errors import OperateBenchError, escape, pointer
from ...identity.profile import MAX_INTEROPERABLE_INTEGER
from ...identity.strictjson import parse_json
from ..contract import CARD_PROFILE
from ..envelope import require_generation
from ..library import Entry, Library
from .upstream import KIND_WORDS, reference_of

_SHOWN_INTEGERS = 20
_SHORT = 12
_LONGEST_ID = 255

Key = tuple[str, str]
"""Schema and id of a card."""


@dataclass(frozen=True, slots=True)
class Checked:
    """What was found out about one file.

    Attributes:
        name: the file, as it is shown to people.
        refusal: why it is refused, if it is; the path starts with ``name#``.
        key: schema and id, if it is a card that has them.
        refers_to: schema and id of the card it refers to, if it does.
        digest: its digest, if it is not refused.
        big_integers: how many integers no identity manifest can bind, as they are beyond 2^53 - 1.
        first_big_integers: place and value of the first ones.
    """

    name: str
    refusal: OperateBenchError | None
    key: Key | None = None
    refers_to: Key | None = None
    digest: str | None = None
    big_integers: int = 0
    first_big_integers: tuple[tuple[str, int], ...] = ()

    @property
    def sound(self) -> bool:
        """Whether nothing is wrong with it: it is valid, and can be bound."""
        return self.refusal is None and not self.big_integers

    def lines(self) -> list[str]:
        """Return one line that says whether it is valid, and one for every integer that cannot be bound."""
        if self.refusal is not None:
            document, mark, inside = self.refusal.path.partition("#")
            here = document in (self.name, "") or not mark
            place = (inside.strip() if mark else "") if here else self.refusal.path
            lines = [f"FAIL: {self.name} {self.refusal.code} {place}".rstrip()]
        else:
            lines = [f"OK: {self.name} {short(self.digest)}"]
        lines += [f"not_bindable: {self.name} {place} {value}" for place, value in self.first_big_integers]
        hidden = self.big_integers - len(self.first_big_integers)
        return [*lines, f"not_bindable: {self.name} and {hidden} more"] if hidden else lines


def short(digest: str | None) -> str:
    """Return the first twelve hexadecimal characters of a digest: enough for people, never for programs."""
    return (digest or "")[:_SHORT]


def check_cards(files: Iterable[tuple[str, bytes | OperateBenchError]]) -> Iterator[Checked]:
    """Check files that should hold cards, with what they refer to among the same files.

    Every file is read before the first is judged. Each card is validated once, however many refer to it.

    Args:
        files: the name of each file as it is shown to people, and its text, or why it cannot be read.

    Yields:
        What was found out about each file, in the order given.
    """
    library = Library()
    seen: list[tuple[str, Entry | OperateBenchError]] = []
    for name, text in files:
        seen.append((name, text if isinstance(text, OperateBenchError) else _entry(name, text, library)))
    for name, entry in seen:
        yield Checked(name, entry) if isinstance(entry, OperateBenchError) else _judge(name, entry, library)


def _entry(name: str, text: bytes, library: Library) -> Entry | OperateBenchError:
    try:
        entry = Entry.of(parse_json(text, CARD_PROFILE, at=f"{name}#"), f"{name}#")
        require_generation(entry.card, entry.at)
        if type(entry.card.get("id")) is str:  # without one, its shape is refused when it is judged
            library.add(entry)
    except OperateBenchError as refusal:
        return refusal.detached()
    return entry


def _judge(name: str, entry: Entry, library: Library) -> Checked:
    card = entry.card
    reference = reference_of(card)
    key = (card["schema"], card["id"]) if type(card.get("id")) is str else None
    refers_to = None if reference is None else (reference["schema"], reference["id"])
    try:
        library.facts(entry)
    except OperateBenchError as refusal:
        return Checked(name, refusal.detached(), key, refers_to)
    big = list(_big_integers(card))
    return Checked(
        name, None, key, refers_to, card["content_digest_sha256"], len(big), tuple(sorted(big)[:_SHOWN_INTEGERS])
    )


def _big_integers(card: Any) -> Iterator[tuple[str, int]]:
    """Yield place and value of every integer that an identity manifest refuses."""
    pending: list[tuple[tuple[str | int, ...], Any]] = [((), card)]
    while pending:
        tokens, value = pending.pop()
        if type(value) is int and abs(value) > MAX_INTEROPERABLE_INTEGER:
            yield pointer(*tokens), value
        elif type(value) is dict:
            pending.extend(((*tokens, name), item) for name, item in value.items() if type(item) in _OPEN)
        elif type(value) is list:
            pending.extend(((*tokens, index), item) for index, item in enumerate(value) if type(item) in _OPEN)


_OPEN = frozenset({int, dict, list})
"""Types worth a second look."""


def reference_tree(cards: Iterable[Checked]) -> list[str]:
    """Return the cards in lines, each below the one it refers to, in the order given; broken references at the end.

    A card is found by schema and id, as in the contract; that its digest is right is said by its own line.
    """
    rows = [card for card in cards if card.key is not None]
    here = {card.key for card in rows}
    below: dict[Key, list[Checked]] = {}
    roots: list[Checked] = []
    lost: list[Checked] = []
    for card in rows:
        if card.refers_to is None:
            roots.append(card)
        elif card.refers_to in here:
            below.setdefault(card.refers_to, []).append(card)
        else:
            lost.append(card)
    lines: list[str] = []
    for root in roots:
        lines += _branch(root, below, 0)
    for card in lost:
        if card.refers_to is not None:
            lines.append(f"{_kind(card.refers_to)} {_shown(card.refers_to)}  not here")
        lines += _branch(card, below, 1)
    return lines


def _branch(card: Checked, below: dict[Key, list[Checked]], depth: int) -> list[str]:
    if card.key is None:
        return []
    end = f"{short(card.digest)}  {card.name}" if card.refusal is None else f"refused  {card.name}"
    lines = [f"{'  ' * depth}{_kind(card.key)} {_shown(card.key)}  {end}"]
    # A reference always leads to another kind of card, one further up, so this ends.
    for each in below.pop(card.key, []):
        lines += _branch(each, below, depth + 1)
    return lines


def _kind(key: Key) -> str:
    return KIND_WORDS[key[0]]


def _shown(key: Key) -> str:
    return escape(key[1], _LONGEST_ID)
