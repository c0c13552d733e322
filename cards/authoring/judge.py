"""Judges a card as far as what is given allows: fully with the cards it refers to, else by itself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..contract import OPERATION_CARD_SCHEMA
from ..library import Entry, Library
from ..read import validate_card


def judge(card: Any, references: Sequence[Any]) -> bool:
    """Validate a card; one whose references are not given at all is only checked by itself: kind, shape, sets, digest.

    Args:
        card: the admitted card.
        references: admitted cards it, or its references, refer to.

    Returns:
        Whether it was validated fully.

    Raises:
        CardValidationError: the first rule it breaks.
    """
    Library().require_sound(Entry(card, "card#"))
    if card["schema"] != OPERATION_CARD_SCHEMA and not references:
        return False
    validate_card(card, references=references)
    return True
