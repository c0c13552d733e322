"""Reads, validates and builds executed runtime evidence, in the contract's order of checks (evidence contract, 2.4)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson

from ...identity.admission import admit
from ...identity.boundary import public
from ...identity.records import freeze_owned
from ...identity.strictjson import parse_json
from .across import check_across
from .contract import (
    DECISION_TAPE_SCHEMA,
    EPISODE_OUTCOME_SCHEMA,
    EVIDENCE_PROFILE,
    EVIDENCE_SCHEMA_VERSION,
    EXECUTED_RUNTIME_EVIDENCE_SCHEMA,
    EXECUTION_RECORD_SCHEMA,
    PROVIDER_EXECUTION_BINDING_SCHEMA,
    SELF_DIGEST,
)
from .digest import evidence_digest
from .execution import check_execution
from .generation import require_generation
from .outcome import check_outcome
from .records import ExecutedRuntimeEvidenceV1
from .refusal import refusal
from .shape import require_shape
from .tape import check_tape

_AT = "evidence#"


@public
def parse_evidence(text: bytes) -> ExecutedRuntimeEvidenceV1:
    """Read evidence from JSON text in UTF-8 and validate it.

    Raises:
        EvidenceError: the first rule it breaks, in the contract's order: profile, generation, schema, outcome, tape,
            execution, across records, digest.
    """
    return _validated(parse_json(text, EVIDENCE_PROFILE, at=_AT).value)


@public
def validate_evidence(value: object) -> ExecutedRuntimeEvidenceV1:
    """Validate evidence given as Python objects of exactly the types of JSON. ``value`` is left as it is.

    Raises:
        EvidenceError: the first rule it breaks; see :func:`parse_evidence`.
    """
    return _validated(_detached(value, _AT))


@public
def build_evidence(
    *,
    manifest_digest: str,
    instance_id: str,
    outcome: dict[str, Any],
    decision_tape: dict[str, Any],
    execution_record: dict[str, Any],
    provider_binding: dict[str, Any] | None,
) -> ExecutedRuntimeEvidenceV1:
    """Seal the records of one run as evidence. They are copied, and their own digests must be right already.

    Args:
        manifest_digest: of the identity manifest the run is bound to.
        instance_id: the operation instance.
        outcome: EpisodeOutcomeV2.
        decision_tape: DecisionTapeV1.
        execution_record: ExecutionRecordV1.
        provider_binding: ProviderExecutionBindingV1; null unless a model decided.

    Raises:
        EvidenceError: the first rule that the evidence would break.
    """
    parts = {
        "schema": EXECUTED_RUNTIME_EVIDENCE_SCHEMA,
        "schema_version": EVIDENCE_SCHEMA_VERSION,
        "identity_manifest_digest_sha256": manifest_digest,
        "operation_instance_id": instance_id,
        "outcome": outcome,
        "decision_tape": decision_tape,
        "execution_record": execution_record,
        "provider_binding": provider_binding,
        SELF_DIGEST: "0" * 64,
    }
    evidence = _detached(parts, _AT)
    evidence[SELF_DIGEST] = evidence_digest(evidence)
    return _validated(evidence)


@public
def recompute_evidence_digest(value: object) -> str:
    """Return the digest that evidence should state. It is only admitted, not validated; any object has one.

    Raises:
        EvidenceError: of the profile, or ``schema`` if it is no object.
    """
    evidence = _detached(value, _AT)
    if type(evidence) is not dict:
        raise refusal("schema", _AT, "an object", evidence)
    return evidence_digest(evidence)


@public
def content_digest(value: object) -> str:
    """Return the bare digest of a value of the evidence profile: of a state, trajectory, decision or observation.

    Raises:
        EvidenceError: of the profile.
    """
    return admit(value, EVIDENCE_PROFILE).canonical.sha256()


@public
def validate_episode_outcome(value: object) -> Mapping[str, Any]:
    """Validate an EpisodeOutcomeV2 by itself and return a read-only copy.

    Raises:
        EvidenceError: the first rule it breaks.
    """
    outcome = _formed(value, EPISODE_OUTCOME_SCHEMA, "outcome#")
    check_outcome(outcome, "outcome#")
    return _frozen(outcome)


@public
def validate_decision_tape(value: object) -> Mapping[str, Any]:
    """Validate a DecisionTapeV1 by itself and return a read-only copy.

    Raises:
        EvidenceError: the first rule it breaks.
    """
    tape = _formed(value, DECISION_TAPE_SCHEMA, "decision_tape#")
    check_tape(tape, "decision_tape#")
    return _frozen(tape)


@public
def validate_execution_record(value: object) -> Mapping[str, Any]:
    """Validate an ExecutionRecordV1 by itself and return a read-only copy.

    Raises:
        EvidenceError: the first rule it breaks.
    """
    record = _formed(value, EXECUTION_RECORD_SCHEMA, "execution_record#")
    check_execution(record, "execution_record#")
    return _frozen(record)


@public
def validate_provider_binding(value: object) -> Mapping[str, Any]:
    """Validate a ProviderExecutionBindingV1 by itself and return a read-only copy; its form is all it has.

    Raises:
        EvidenceError: ``schema`` or of the profile.
    """
    return _frozen(_formed(value, PROVIDER_EXECUTION_BINDING_SCHEMA, "provider_binding#"))


def _detached(value: object, at: str) -> Any:
    """Admit a value and return a copy of it, made from its canonical bytes: nobody can change it afterwards."""
    return orjson.loads(bytes(admit(value, EVIDENCE_PROFILE, at=at).canonical))


def _formed(value: object, schema: str, at: str) -> dict[str, Any]:
    """Admit a value that has the form of one record, and return a copy of it."""
    record: dict[str, Any] = _detached(value, at)
    require_shape(schema, record, at)
    return record


def _frozen(record: dict[str, Any]) -> Mapping[str, Any]:
    frozen: Mapping[str, Any] = freeze_owned(record)
    return frozen


def _validated(evidence: Any) -> ExecutedRuntimeEvidenceV1:
    """Validate an admitted value that nobody else holds, from its generation on."""
    require_evidence(evidence)
    return ExecutedRuntimeEvidenceV1(**evidence)


def require_evidence(evidence: Any) -> None:
    """Hold an admitted value to every rule of evidence but those of the profile, and leave it as it is.

    Raises:
        EvidenceError: the first rule it breaks.
    """
    require_generation(evidence, _AT)
    require_shape(EXECUTED_RUNTIME_EVIDENCE_SCHEMA, evidence, _AT)
    check_outcome(evidence["outcome"], f"{_AT}/outcome")
    check_tape(evidence["decision_tape"], f"{_AT}/decision_tape")
    check_execution(evidence["execution_record"], f"{_AT}/execution_record")
    check_across(evidence, _AT)
    digest = evidence_digest(evidence)
    if evidence[SELF_DIGEST] != digest:
        raise refusal("runtime_evidence_digest", f"{_AT}/{SELF_DIGEST}", digest, evidence[SELF_DIGEST])
