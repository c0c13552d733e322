"""What tests of cards share: sample chains, edited and sealed by code not under test, and how to ask the reader."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from operatebench.cards import CardValidationError, validate_card
from operatebench.conformance.linking import FILES, UPSTREAM, CardFile, repin, sample_text

Chain = dict[CardFile, Any]
Edit = Callable[[Any], object]

_SAMPLES = {name: json.loads(sample_text(name)) for name in FILES}


def sample(name: CardFile) -> Any:
    """Return a fresh sample card."""
    return copy.deepcopy(_SAMPLES[name])


def sealed(card: Any) -> Any:
    """Write the digest into a card and return it."""
    repin(card)
    return card


def chain(**edits: Edit) -> Chain:
    """Return the three sample cards, each edited by the function of its name, relinked before and sealed after."""
    made: Chain = {}
    for name in FILES:
        card = sample(name)
        if name in UPSTREAM:
            upstream, member = UPSTREAM[name]
            for part in ("id", "content_digest_sha256"):
                card["content"][member][part] = made[upstream][part]
        edits.get(name, lambda _: None)(card)
        made[name] = sealed(card)
    return made


def put(path: str, value: Any) -> Edit:
    """Return the edit that puts ``value`` at a JSON Pointer in the content."""

    def edit(card: Any) -> None:
        *parents, last = tokens(path)
        holder = card["content"]
        for token in parents:
            holder = holder[token]
        holder[last] = value

    return edit


def each(*edits: Edit) -> Edit:
    """Return the edit that makes all of these, in order."""

    def edit(card: Any) -> None:
        for one in edits:
            one(card)

    return edit


def tokens(path: str) -> list[Any]:
    """Return the tokens of a JSON Pointer without escapes, indices as integers."""
    return [int(token) if token.isdigit() else token for token in path.split("/")[1:]]


def validated(target: CardFile, cards: Chain) -> Any:
    """Validate one card of a chain with those upstream of it."""
    return validate_card(cards[target], references=[cards[name] for name in FILES[: FILES.index(target)]])


def fault_of(target: CardFile, cards: Chain) -> CardValidationError:
    """Return the refusal of one card of a chain, given with those upstream of it."""
    with pytest.raises(CardValidationError) as refused:
        validated(target, cards)
    return refused.value


def facts(fault: CardValidationError) -> tuple[str, str, str, str]:
    """Return code, path, expected and actual of a refusal."""
    return fault.code, fault.path, fault.expected, fault.actual


def canonical_key(value: Any) -> bytes:
    """Return the bytes that sets are ordered by, made by the standard library."""
    text = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return text.encode()


def in_order(items: list[Any]) -> list[Any]:
    """Return the items of a set in canonical order."""
    return sorted(items, key=canonical_key)


def leaves(value: Any, at: str = "") -> Iterator[tuple[str, Any]]:
    """Yield pointer and value of everything without parts below ``value``; empty containers are leaves too."""
    if isinstance(value, dict) and value:
        for name, item in value.items():
            yield from leaves(item, f"{at}/{name.replace('~', '~0').replace('/', '~1')}")
    elif isinstance(value, list) and value:
        for index, item in enumerate(value):
            yield from leaves(item, f"{at}/{index}")
    else:
        yield at, value
