"""The packaged sample chain as plain, detached cards, and cards that are cut to a test's measure."""

import copy
import json
from importlib.resources import files
from typing import Any

from operatebench.cards import recompute_card_digest

_FOLDER = files("operatebench.samples") / "cards"
TEXTS = {name: (_FOLDER / f"{name}.json").read_bytes() for name in ("operation", "scenario", "variant")}
_CARDS = {name: json.loads(text) for name, text in TEXTS.items()}


def sample_card(name: str) -> Any:
    """Return a fresh copy of one of the three sample cards."""
    return copy.deepcopy(_CARDS[name])


def sample_chain() -> tuple[Any, Any, Any]:
    """Return fresh copies of operation, scenario and variant."""
    return sample_card("operation"), sample_card("scenario"), sample_card("variant")


def resealed(card: Any) -> Any:
    """Return the card with the digest of its present content."""
    card["content_digest_sha256"] = recompute_card_digest(card)
    return card


def refer(card: Any, member: str, target: Any) -> Any:
    """Return the card, sealed, with its reference set to the target's present digest."""
    card["content"][member]["content_digest_sha256"] = target["content_digest_sha256"]
    return resealed(card)
