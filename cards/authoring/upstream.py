"""Which card refers to which: the member with the reference, and the kind of card it leads to."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from ..contract import OPERATION_CARD_SCHEMA, SEMANTIC_SCENARIO_CARD_SCHEMA, VARIANT_CARD_SCHEMA


class Upstream(NamedTuple):
    """Where a card's content refers to another one: the member's name, and the literal of the card meant."""

    member: str
    schema: str


UPSTREAM: Mapping[str, Upstream] = MappingProxyType(
    {
        SEMANTIC_SCENARIO_CARD_SCHEMA: Upstream("operation_core", OPERATION_CARD_SCHEMA),
        VARIANT_CARD_SCHEMA: Upstream("semantic_scenario", SEMANTIC_SCENARIO_CARD_SCHEMA),
    }
)
"""Literal -> its upstream; an operation refers to nothing."""

KIND_WORDS: Mapping[str, str] = MappingProxyType(
    {OPERATION_CARD_SCHEMA: "operation", SEMANTIC_SCENARIO_CARD_SCHEMA: "scenario", VARIANT_CARD_SCHEMA: "variant"}
)
"""Literal -> what people call the card."""


LITERALS: Mapping[str, str] = MappingProxyType({word: literal for literal, word in KIND_WORDS.items()})
"""What people call a card -> its literal."""


def reference_of(card: Any) -> dict[str, Any] | None:
    """Return the reference in an admitted card, the object itself; None if the card has none of the right kind.

    The card may be malformed: it is looked at before, or although, its schema refuses it.
    """
    schema = card.get("schema") if type(card) is dict else None
    upstream = UPSTREAM.get(schema) if type(schema) is str else None
    content = card.get("content") if upstream is not None else None
    reference = content.get(upstream.member) if upstream is not None and type(content) is dict else None
    if upstream is None or type(reference) is not dict or type(reference.get("id")) is not str:
        return None
    return reference if reference.get("schema") == upstream.schema else None
