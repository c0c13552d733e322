"""Builds the three cards of a card case, relinked and repinned, with code of its own.

Nothing here calls the code under test: canonical bytes come from the ``canonicaljson`` package and the digest is put
together from section 2 of the card contract. So a wrong digest in ``cards`` cannot hide by being wrong on both sides,
and cards that no reader would accept can be linked and pinned too.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Mapping
from functools import cache
from importlib.resources import files
from typing import Any, Literal, get_args

import canonicaljson

from .. import vectors
from .patching import PatchOp, patched

CardFile = Literal["operation", "scenario", "variant"]
FILES: tuple[CardFile, ...] = get_args(CardFile)
"""The sample cards, upstream first."""

UPSTREAM: Mapping[CardFile, tuple[CardFile, str]] = {
    "scenario": ("operation", "operation_core"),
    "variant": ("scenario", "semantic_scenario"),
}
"""File -> the file it refers to, and the member of its content that does."""


@cache
def sample_text(name: CardFile) -> bytes:
    """Return the bytes of a packaged sample card."""
    return files(vectors).joinpath("cards", f"{name}.json").read_bytes()


def linked_cards(
    patches: Mapping[CardFile, list[PatchOp]], no_relink: Collection[CardFile], no_repin: Collection[CardFile]
) -> dict[CardFile, Any]:
    """Return the sample cards after a case's patches, upstream first; they share no container.

    Args:
        patches: file -> its ops.
        no_relink: files whose reference stays what it is.
        no_repin: files whose digest stays what it is.

    Raises:
        DocumentError: ``vector_case`` for an op that does not fit.
    """
    made: dict[CardFile, Any] = {}
    for name in FILES:
        card = json.loads(sample_text(name))
        if name in UPSTREAM and name not in no_relink:
            upstream, member = UPSTREAM[name]
            _relink(card["content"][member], made[upstream])
        made[name] = patched(card, patches[name]) if name in patches else card
        if name not in no_repin:
            repin(made[name])
    return made


def _relink(reference: dict[str, Any], target: Any) -> None:
    """Refresh a reference with what its target has of the three members."""
    if type(target) is dict:
        reference.update({name: target[name] for name in reference if name in target})


def repin(card: Any) -> None:
    """Write the digest of a card's content into it; one without the four members or a canonical form is left alone."""
    if type(card) is not dict or not {"schema", "schema_version", "id", "content"} <= card.keys():
        return
    wrapper = {
        "domain": card["schema"],
        "schema_version": card["schema_version"],
        "id": card["id"],
        "content": card["content"],
    }
    try:
        data = canonicaljson.encode_canonical_json(wrapper)
    except (ValueError, RecursionError):
        return
    card["content_digest_sha256"] = hashlib.sha256(data).hexdigest()


def written(card: Any) -> str:
    """Return a card as text in the style of the sample files: two spaces a level, few escapes, a last line feed."""
    return json.dumps(card, indent=2, ensure_ascii=False) + "\n"
