"""That evidence and the outcome in it are of the generations read here, which never mix (evidence contract, 2.7)."""

from __future__ import annotations

from typing import Any

from .contract import EPISODE_OUTCOME_SCHEMA, EVIDENCE_SCHEMA_VERSION, EXECUTED_RUNTIME_EVIDENCE_SCHEMA
from .refusal import refusal

_OUTCOME = (EPISODE_OUTCOME_SCHEMA, 2)
_NEXT_OUTCOME = ("operatebench.episode_outcome.v3", 3)
_NEXT_EVIDENCE = ("operatebench.executed_runtime_evidence.v2", 2)


def require_generation(evidence: Any, at: str) -> None:
    """Refuse an admitted value that is evidence of the next generation, or holds its outcome.

    Every other schema and version is left to the schema, which knows only one.

    Raises:
        EvidenceError: ``outcome_evidence_generation_mismatch``, ``unsupported_evidence_schema_version`` or
            ``unsupported_outcome_schema_version``.
    """
    if type(evidence) is not dict:
        return
    outcome = evidence.get("outcome")
    if _is_of(_NEXT_EVIDENCE, evidence):
        if _is_of(_OUTCOME, outcome):
            expected = "an outcome of the generation of the evidence"
            raise refusal("outcome_evidence_generation_mismatch", f"{at}/outcome/schema", expected, _OUTCOME[0])
        expected = f"{EXECUTED_RUNTIME_EVIDENCE_SCHEMA}, version {EVIDENCE_SCHEMA_VERSION}"
        raise refusal("unsupported_evidence_schema_version", f"{at}/schema", expected, _NEXT_EVIDENCE[0])
    if _is_of(_NEXT_OUTCOME, outcome):
        expected = f"{EPISODE_OUTCOME_SCHEMA}, version {_OUTCOME[1]}"
        raise refusal("unsupported_outcome_schema_version", f"{at}/outcome/schema", expected, _NEXT_OUTCOME[0])


def _is_of(generation: tuple[str, int], record: Any) -> bool:
    return type(record) is dict and (record.get("schema"), record.get("schema_version")) == generation
