"""Executed runtime evidence v1: what a run did and how it came about, in one sealed record (evidence contract, 2).

What is named here is public; the modules are not.
"""

from ...errors import EvidenceError
from .contract import (
    DECISION_TAPE_SCHEMA,
    EPISODE_OUTCOME_SCHEMA,
    EXECUTED_RUNTIME_EVIDENCE_SCHEMA,
    EXECUTION_RECORD_SCHEMA,
    PROVIDER_EXECUTION_BINDING_SCHEMA,
)
from .read import (
    build_evidence,
    content_digest,
    parse_evidence,
    recompute_evidence_digest,
    validate_decision_tape,
    validate_episode_outcome,
    validate_evidence,
    validate_execution_record,
    validate_provider_binding,
)
from .records import ExecutedRuntimeEvidenceV1

__all__ = [
    "DECISION_TAPE_SCHEMA",
    "EPISODE_OUTCOME_SCHEMA",
    "EXECUTED_RUNTIME_EVIDENCE_SCHEMA",
    "EXECUTION_RECORD_SCHEMA",
    "PROVIDER_EXECUTION_BINDING_SCHEMA",
    "EvidenceError",
    "ExecutedRuntimeEvidenceV1",
    "build_evidence",
    "content_digest",
    "parse_evidence",
    "recompute_evidence_digest",
    "validate_decision_tape",
    "validate_episode_outcome",
    "validate_evidence",
    "validate_execution_record",
    "validate_provider_binding",
]
