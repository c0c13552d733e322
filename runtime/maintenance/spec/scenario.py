"""The semantic scenario of a spec: a scenario card's content but for its operation, held to the card's own rules."""

from __future__ import annotations

from typing import Any

from ....cards.contract import CARD_SCHEMA_VERSION, OPERATION_CARD_SCHEMA, SEMANTIC_SCENARIO_CARD_SCHEMA
from ....cards.operation import OperationFacts
from ....cards.scenario import check_scenario
from ....cards.shape import require_shape_of
from ....errors import CardValidationError, SpecError
from .forms import Place

_NO_DIGEST = "0" * 64
_NO_DECISION = ("wait",)
"""What may be the right thing to do at a decision point, beside the actions."""


def check_semantic_scenario(spec: Place) -> None:
    """Check the section as the content of a scenario card whose predicates may read the roots that tools serve.

    Raises:
        SpecError: the card's rule, at file, line and field; sets stand in canonical order, as on a card.
    """
    section = spec["semantic_scenario"]
    if type(section.value) is not dict:
        raise section.refuse("wrong_type", "a mapping")
    if "operation_core" in section.value:
        raise section["operation_core"].refuse("unknown_key", "no reference: the operation is this spec's own")
    pointers = frozenset(f"/{root}" for root in spec.value["state"]["roots"])
    try:
        require_shape_of(SEMANTIC_SCENARIO_CARD_SCHEMA, _card(section.value), "")
        check_scenario(section.value, _facts(pointers), "/content")
    except CardValidationError as fault:
        at = section.at + fault.path.removeprefix("/content")
        place = spec.document.place(at)
        hint = f"{fault.cause} {fault.hint}"
        raise SpecError("scenario", path=place, expected=fault.expected, actual=fault.actual, hint=hint) from None
    effects = {action.lower() for action in spec.value["actions"]}.union(_NO_DECISION)
    for point in section["decision_points"]:
        for effect in point["admissible_effect_classes"]:
            if effect.value not in effects:
                raise effect.refuse("unknown_reference", "an action in lower case, or wait")


def _card(content: dict[str, Any]) -> dict[str, Any]:
    operation = {"schema": OPERATION_CARD_SCHEMA, "id": "operation", "content_digest_sha256": _NO_DIGEST}
    return {
        "schema": SEMANTIC_SCENARIO_CARD_SCHEMA,
        "schema_version": CARD_SCHEMA_VERSION,
        "id": "scenario",
        "content": {"operation_core": operation, **content},
        "content_digest_sha256": _NO_DIGEST,
    }


def _facts(pointers: frozenset[str]) -> OperationFacts:
    """Return what a scenario is checked against: only the pointers matter to it."""
    return OperationFacts({}, {}, {}, pointers, frozenset(), {})
