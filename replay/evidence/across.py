"""The rules between the records of one evidence object (evidence contract, section 2.3, across records)."""

from __future__ import annotations

from typing import Any

from .execution import MODEL
from .refusal import refusal
from .tape import place_of


def check_across(evidence: dict[str, Any], at: str) -> None:
    """Refuse evidence whose records are each in order but do not belong together.

    Raises:
        EvidenceError: ``invocation_coverage``, ``non_model_binding_forbidden``, ``model_binding_required``,
            ``model_mismatch``, ``model_cardinality``, ``provider_cardinality``, ``call_index``, ``attempt_binding`` or
            ``attempt_kind_pairing``.
    """
    execution, binding = evidence["execution_record"], evidence["provider_binding"]
    decisions, attempts = evidence["decision_tape"]["decisions"], execution["attempts"]
    highest = max((entry["invocation_index"] for entry in (*decisions, *attempts)), default=0)
    invocations = evidence["outcome"]["invocations"]
    if invocations < highest:
        expected = f"at least {highest}, the highest invocation that is recorded"
        raise refusal("invocation_coverage", f"{at}/outcome/invocations", expected, invocations)
    bound = f"{at}/provider_binding"
    if execution["outcome_source"] != MODEL:
        if binding is not None:
            expected = f"null, for the outcome source is {execution['outcome_source']}"
            raise refusal("non_model_binding_forbidden", bound, expected, binding)
        return
    if binding is None:
        raise refusal("model_binding_required", bound, "the binding of the provider's calls", None)
    if binding["model"] != execution["model"]:
        raise refusal("model_mismatch", f"{bound}/model", execution["model"], binding["model"])
    _check_counts(decisions, execution, binding, at)
    _check_pairs(decisions, attempts, f"{at}/execution_record/attempts")


def _check_counts(decisions: list[dict[str, Any]], execution: dict[str, Any], binding: dict[str, Any], at: str) -> None:
    count = len(execution["attempts"])
    calls = execution["transport_calls"]
    if calls != count:
        place = f"{at}/execution_record/transport_calls"
        raise refusal("model_cardinality", place, f"{count}, one for each attempt", calls)
    if len(decisions) != count:
        place = f"{at}/decision_tape/decisions"
        raise refusal("model_cardinality", place, f"{count} decisions, one for each attempt", decisions)
    for name in ("attempts", "provider_calls"):
        if binding[name] != count:
            place = f"{at}/provider_binding/{name}"
            raise refusal("provider_cardinality", place, f"{count}, one for each attempt", binding[name])
    index = binding["decision_call_index"]
    if index != list(range(count)):
        place = f"{at}/provider_binding/decision_call_index"
        raise refusal("call_index", place, f"0 to {count - 1}, each once, in order", index)


def _check_pairs(decisions: list[dict[str, Any]], attempts: list[dict[str, Any]], at: str) -> None:
    pairs = list(enumerate(zip(attempts, decisions, strict=True)))
    for index, (attempt, decision) in pairs:
        if place_of(attempt) != place_of(decision):
            expected = f"the invocation and turn of its decision, {place_of(decision)}"
            raise refusal("attempt_binding", f"{at}/{index}", expected, str(place_of(attempt)))
    for index, (attempt, decision) in pairs:
        kind = decision["outcome"]["kind"]
        wanted = "classified" if kind == "MALFORMED" else "decided"
        if attempt["outcome"] != wanted:
            expected = f"{wanted}, for its decision is {kind}"
            raise refusal("attempt_kind_pairing", f"{at}/{index}/outcome", expected, attempt["outcome"])
