"""The rules of DecisionTapeV1, beyond its schema (evidence contract, section 2.3)."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from .digest import require_digest
from .refusal import refusal


def check_tape(tape: dict[str, Any], at: str) -> None:
    """Refuse a tape of the right form whose decisions do not follow one another, or whose digest is not theirs.

    Raises:
        EvidenceError: ``decision_ordering`` or ``decision_digest``.
    """
    places = [place_of(decision) for decision in tape["decisions"]]
    for index, (earlier, later) in enumerate(pairwise(places), 1):
        if later <= earlier:
            expected = f"an invocation and turn after {earlier}"
            raise refusal("decision_ordering", f"{at}/decisions/{index}", expected, str(later))
    require_digest("decision_digest", tape, "decisions", "decisions_digest_sha256", at)


def place_of(entry: dict[str, Any]) -> tuple[int, int]:
    """Return invocation and turn of a decision or attempt; they order decisions."""
    return entry["invocation_index"], entry["turn_index"]
