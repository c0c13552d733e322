"""The frozen record of validated evidence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from types import MappingProxyType
from typing import Any

from ...identity.canonical import encode
from ...identity.records import freeze
from .contract import EVIDENCE_PROFILE


@dataclass(frozen=True, slots=True)
class ExecutedRuntimeEvidenceV1:
    """What a run did. That it is sound says nothing about who ran it; only a replay does (evidence contract, 2.4).

    Attributes:
        schema: ``operatebench.executed_runtime_evidence.v1``.
        schema_version: 1.
        identity_manifest_digest_sha256: of the manifest the run is bound to.
        operation_instance_id: ``opinst_`` and 32 hexadecimal digits.
        outcome: EpisodeOutcomeV2, read-only at every depth, as are the next three.
        decision_tape: DecisionTapeV1.
        execution_record: ExecutionRecordV1.
        provider_binding: ProviderExecutionBindingV1, or null for a run without a model.
        runtime_evidence_digest_sha256: of all the other members.
    """

    schema: str
    schema_version: int
    identity_manifest_digest_sha256: str
    operation_instance_id: str
    outcome: Mapping[str, Any]
    decision_tape: Mapping[str, Any]
    execution_record: Mapping[str, Any]
    provider_binding: Mapping[str, Any] | None
    runtime_evidence_digest_sha256: str

    def __post_init__(self) -> None:
        """Keep read-only copies of what was given."""
        for name in ("outcome", "decision_tape", "execution_record", "provider_binding"):
            object.__setattr__(self, name, freeze(getattr(self, name)))

    def to_wire(self) -> dict[str, Any]:
        """Return the evidence as a fresh plain object."""
        return {field.name: _plain(getattr(self, field.name)) for field in fields(self)}

    def to_bytes(self) -> bytes:
        """Return the canonical bytes of the whole evidence, its digest included."""
        return encode(self.to_wire(), EVIDENCE_PROFILE)


def _plain(value: Any) -> Any:
    if type(value) is MappingProxyType:
        return {name: _plain(item) for name, item in value.items()}
    return [_plain(item) for item in value] if type(value) is tuple else value
