"""A card as flat pointers, the form in which an identity component owns it (replay contract, section 4)."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from .contract import OPERATION_CARD_SCHEMA, SEMANTIC_SCENARIO_CARD_SCHEMA, VARIANT_CARD_SCHEMA

CARD_ROOTS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        OPERATION_CARD_SCHEMA: ("operation_core_content", "/operation_card"),
        SEMANTIC_SCENARIO_CARD_SCHEMA: ("semantic_scenario_content", "/semantic_scenario_card"),
        VARIANT_CARD_SCHEMA: ("variant_content", "/variant_card"),
    }
)
"""Card literal -> the component that owns such a card, and what its pointers begin with."""

_REFERENCES = ("operation_core", "semantic_scenario")


def card_pointers(card: Mapping[str, Any]) -> dict[str, Any]:
    """Return the pointers of a sound card: pointer -> value, one for each member of the content.

    Its own digest is left out, and a reference is schema and id alone: so a change of one card moves no other one that
    merely refers to it.

    Args:
        card: plain or validated.

    Raises:
        KeyError: it is no card.
    """
    _, root = CARD_ROOTS[card["schema"]]
    pointers = {f"{root}/{member}": card[member] for member in ("schema", "schema_version", "id")}
    for member, value in card["content"].items():
        held = {name: value[name] for name in ("schema", "id")} if member in _REFERENCES else value
        pointers[f"{root}/content/{member}"] = held
    return pointers
