"""From spec to cards: operation, semantic scenario and variant, sealed and held to every rule of the card contract."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from ....cards import (
    CARD_SCHEMA_VERSION,
    OPERATION_CARD_SCHEMA,
    SEMANTIC_SCENARIO_CARD_SCHEMA,
    VARIANT_CARD_SCHEMA,
    validate_card,
)
from ....cards.authoring.seal import seal
from ....replay.identity import card_ref
from ....runtime.core.plain import thaw
from ....runtime.maintenance.spec import OperationSpec
from .names import name_of
from .operation_card import operation_content
from .variant_card import variant_content

Card = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Cards:
    """The three cards of one variant, plain JSON that nobody changes."""

    operation: Card
    semantic_scenario: Card
    variant: Card

    def by_name(self) -> dict[str, Card]:
        """Return the three by the names that ledger and bundle refer to them by (replay contract, section 2)."""
        return {"operation": self.operation, "semantic_scenario": self.semantic_scenario, "variant": self.variant}


@lru_cache(maxsize=16)  # every agent of a variant has the same
def cards_of(spec: OperationSpec, variant_id: str) -> Cards:
    """Return the cards of one variant of a spec; equal arguments may share them.

    Args:
        spec: the operation.
        variant_id: one of its variants.

    Raises:
        KeyError: the spec has no such variant.
        CardValidationError: a rule of cards that the loader does not know: an id that gets too long, say.
    """
    operation = _card(
        OPERATION_CARD_SCHEMA, f"{name_of(spec.operation_id)}@{spec.operation_version}", operation_content(spec)
    )
    scenario_id = name_of(spec.semantic_scenario_id)
    scenario = _card(
        SEMANTIC_SCENARIO_CARD_SCHEMA,
        scenario_id,
        {"operation_core": card_ref(operation), **thaw(spec.content["semantic_scenario"])},
    )
    variant = _card(
        VARIANT_CARD_SCHEMA,
        f"{scenario_id}.{name_of(variant_id)}",
        {"semantic_scenario": card_ref(scenario), **variant_content(spec, variant_id)},
    )
    # Every reference is validated too.
    validate_card(variant, references=(operation, scenario))
    return Cards(operation, scenario, variant)


def _card(schema: str, card_id: str, content: dict[str, Any]) -> Card:
    card = {"schema": schema, "schema_version": CARD_SCHEMA_VERSION, "id": card_id, "content": content}
    return seal(card, sort_sets=True).card
