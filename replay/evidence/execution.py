"""The rules of ExecutionRecordV1, beyond its schema (evidence contract, section 2.3)."""

from __future__ import annotations

from typing import Any

from .refusal import refusal

MODEL = "model"
"""The source of outcomes that a provider's model gave; the others made none of its calls."""

_OF_MODEL = ("model", "protocol_version", "max_output_tokens")


def check_execution(record: dict[str, Any], at: str) -> None:
    """Refuse an execution record of the right form that contradicts itself, or whose run was excluded.

    Raises:
        EvidenceError: ``model_nullability``, ``non_model_nullability``, ``non_model_transport_calls``,
            ``non_model_attempts``, ``excluded_execution``, ``exclusion_coherence``, ``failed_attempt`` or
            ``fault_coherence``.
    """
    source = record["outcome_source"]
    if source == MODEL:
        for name in _OF_MODEL:
            if record[name] is None:
                raise refusal("model_nullability", f"{at}/{name}", "a value, for a model decided", None)
    else:
        _check_no_model(record, at)
    if record["excluded"]:
        raise refusal("excluded_execution", f"{at}/excluded", "false", True)
    for name, empty in (("exclusion_code", None), ("exclusion_detail", "")):
        if record[name] != empty:
            raise refusal("exclusion_coherence", f"{at}/{name}", "nothing, for the run is not excluded", record[name])
    for index, attempt in enumerate(record["attempts"]):
        place = f"{at}/attempts/{index}"
        if attempt["outcome"] == "failed":
            raise refusal("failed_attempt", f"{place}/outcome", "decided or classified", attempt["outcome"])
        if attempt["fault"] is not None:
            raise refusal("fault_coherence", f"{place}/fault", "null, for the attempt did not fail", attempt["fault"])


def _check_no_model(record: dict[str, Any], at: str) -> None:
    none = f"for the outcome source is {record['outcome_source']}"
    for name in _OF_MODEL:
        if record[name] is not None:
            raise refusal("non_model_nullability", f"{at}/{name}", f"null, {none}", record[name])
    if record["transport_calls"]:
        raise refusal("non_model_transport_calls", f"{at}/transport_calls", f"0, {none}", record["transport_calls"])
    if record["attempts"]:
        raise refusal("non_model_attempts", f"{at}/attempts", f"no attempt, {none}", record["attempts"])
