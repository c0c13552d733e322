"""Names, versions and limits of executed runtime evidence v1 (evidence contract, section 2)."""

from __future__ import annotations

from types import MappingProxyType

from ...errors import EvidenceError
from ...identity.profile import MAX_INTEROPERABLE_INTEGER, Profile, Rule

EXECUTED_RUNTIME_EVIDENCE_SCHEMA = "operatebench.executed_runtime_evidence.v1"
EPISODE_OUTCOME_SCHEMA = "operatebench.episode_outcome.v2"
DECISION_TAPE_SCHEMA = "operatebench.decision_tape.v1"
EXECUTION_RECORD_SCHEMA = "operatebench.execution_record.v1"
PROVIDER_EXECUTION_BINDING_SCHEMA = "operatebench.provider_execution_binding.v1"

EVIDENCE_SCHEMA_VERSION = 1
EVIDENCE_DOMAIN = "operatebench.digest.executed_runtime_evidence.v1"
SELF_DIGEST = "runtime_evidence_digest_sha256"
"""The digest the evidence carries of itself, over all other members."""

HALTS = ("operation_deadlock", "operational_horizon_exhausted")
"""Statuses of an episode that the engine ended; no domain terminal has one of these names."""

MAX_EVIDENCE_BYTES = 8 * 1024 * 1024

EVIDENCE_PROFILE = Profile(
    min_integer=-MAX_INTEROPERABLE_INTEGER,
    max_integer=MAX_INTEROPERABLE_INTEGER,
    integral_floats=False,
    nodes_count_keys=True,
    max_nodes=100_000,
    max_bytes=MAX_EVIDENCE_BYTES,
    max_items=4_096,
    max_string_bytes=1024 * 1024,
    # The contract's prose has 64, its oracle 65 when the innermost is empty; ours is the prose (section 16).
    max_depth=64,
    max_text_bytes=8 * MAX_EVIDENCE_BYTES,
    error=EvidenceError,
    codes=MappingProxyType(
        {
            Rule.SYNTAX: "evidence_json",
            Rule.UTF8: "evidence_json",
            Rule.DUPLICATE: "duplicate_key",
            Rule.TYPE: "strict_json_type",
            Rule.FRACTION: "strict_json_type",
            Rule.INTEGER: "safe_integer",
            Rule.SURROGATE: "surrogate_code_point",
            Rule.DEPTH: "bounded_json_profile",
            Rule.WIDTH: "container_members",
            Rule.NODES: "bounded_json_profile",
            Rule.STRING: "string_utf8_bytes",
            Rule.SIZE: "payload_bytes",
        }
    ),
)
"""The closed JSON profile of section 2.1; the bytes are those of the whole object, its self digest included."""
