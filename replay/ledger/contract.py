"""Names, fields and limits of the trajectory ledger v1 (replay contract, section 2)."""

from __future__ import annotations

from ...errors import LedgerError
from ...identity.profile import IDENTITY_PROFILE
from ..profile import coded

LEDGER_SCHEMA = "operatebench.trajectory_ledger.v1"
LEDGER_SCHEMA_VERSION = 1
PROOF_SCHEMA = "operatebench.ledger_inclusion_proof.v1"
PROOF_SCHEMA_VERSION = 1

HEADER, ROW, TERMINAL = "header", "row", "terminal"
"""What the ``record`` member of a line says."""

PREVIOUS = "previous_digest_sha256"
DIGEST = "row_digest_sha256"

NO_PREVIOUS = "0" * 64
"""What the header, which follows on nothing, says of the line before it."""

HEADER_FIELDS = (
    "card_refs",
    "experiment_bundle_digest_sha256",
    "identity_manifest_digest_sha256",
    "operation_instance_id",
    PREVIOUS,
    "record",
    "requirements",
    DIGEST,
    "runtime_bundle_digest_sha256",
    "schema",
    "schema_version",
    "selection",
)
ROW_FIELDS = ("at", "body", "index", PREVIOUS, "record", "record_type", DIGEST)
TERMINAL_FIELDS = (
    "final_state_digest_sha256",
    "merkle_root_sha256",
    "outcome_class",
    PREVIOUS,
    "record",
    "row_count",
    DIGEST,
    "status",
    "trajectory_digest_sha256",
)
"""The members of each record, in canonical order."""

MAX_LINE_BYTES = 8 * 1024 * 1024
"""Bytes of a line, without its line feed."""

LEDGER_PROFILE = coded(
    IDENTITY_PROFILE,
    LedgerError,
    "ledger",
    integral_floats=False,
    nodes_count_keys=True,
    max_nodes=100_000,
    max_bytes=MAX_LINE_BYTES,
    max_text_bytes=MAX_LINE_BYTES,
)
"""Types, numbers and counting as in the evidence contract, 2.1; a line is one document."""
