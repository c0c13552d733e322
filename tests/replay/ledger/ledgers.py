"""Ledgers made a second way: canonicaljson, hashlib and the contract, and nothing of the package."""

import hashlib
import io
from copy import deepcopy
from typing import Any

from canonicaljson import encode_canonical_json

DIGEST = "row_digest_sha256"
PREVIOUS = "previous_digest_sha256"


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def canonical(value: Any) -> bytes:
    return encode_canonical_json(value)


HEADER: dict[str, Any] = {
    "record": "header",
    "schema": "operatebench.trajectory_ledger.v1",
    "schema_version": 1,
    "operation_instance_id": f"opinst_{'0a' * 16}",
    "selection": {
        "track": "lifecycle",
        "pack": "maintenance",
        "operation_id": "EM-1",
        "variant_id": "V1",
        "agent_id": "reference",
        "arm": "full_lifecycle",
        "plan": "none",
        "trial": 0,
    },
    "identity_manifest_digest_sha256": sha256(b"manifest"),
    "runtime_bundle_digest_sha256": sha256(b"runtime"),
    "experiment_bundle_digest_sha256": sha256(b"experiment"),
    "card_refs": {
        role: {"schema": f"operatebench.{role}_card.v1", "id": "em-1@1.0.0", "content_digest_sha256": sha256(b"card")}
        for role in ("operation", "semantic_scenario", "variant")
    },
    "requirements": [
        {
            "component": "card_schema_content",
            "compatible": {"kind": "exact_digest", "content_digest_sha256": sha256(b"component")},
        }
    ],
}
ROWS: list[dict[str, Any]] = [
    {"at": "2032-04-05T08:30:00Z", "record_type": "episode_started", "body": {"starts_at": "2032-04-05T08:30:00Z"}},
    {
        "at": "2032-04-05T08:30:00Z",
        "record_type": "any text",
        "body": {"b": [1, None, True, {}], "a": 'é "quoted"\n🔧'},
    },
    {"at": "2032-04-06T08:30:00Z", "record_type": "", "body": {}},
]
END: dict[str, Any] = {
    "status": "completed_successfully",
    "outcome_class": "successful_completion",
    "final_state_digest_sha256": sha256(b"state"),
    "trajectory_digest_sha256": sha256(b"trajectory"),
}


def digest_of(content: dict[str, Any]) -> str:
    """Return the digest of a line (replay contract, section 1)."""
    label = {
        "domain": "operatebench.digest.trajectory_ledger.line.v1",
        "schema": "operatebench.trajectory_ledger.v1",
        "content": content,
    }
    return sha256(canonical(label))


def root_of(leaves: list[bytes]) -> bytes:
    """Return the Merkle tree hash as RFC 6962, 2.1, defines it."""
    if not leaves:
        return hashlib.sha256().digest()
    if len(leaves) == 1:
        return hashlib.sha256(b"\x00" + leaves[0]).digest()
    split = 1
    while split * 2 < len(leaves):
        split *= 2
    return hashlib.sha256(b"\x01" + root_of(leaves[:split]) + root_of(leaves[split:])).digest()


def path_of(index: int, leaves: list[bytes]) -> list[bytes]:
    """Return the audit path as RFC 6962, 2.1.1, defines it."""
    if len(leaves) <= 1:
        return []
    split = 1
    while split * 2 < len(leaves):
        split *= 2
    if index < split:
        return [*path_of(index, leaves[:split]), root_of(leaves[split:])]
    return [*path_of(index - split, leaves[split:]), root_of(leaves[:split])]


def chained(records: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return copies of the records with the chain written into them anew."""
    lines = []
    head = "0" * 64
    for record in records:
        content = {name: deepcopy(value) for name, value in record.items() if name != DIGEST} | {PREVIOUS: head}
        head = digest_of(content)
        lines.append({**content, DIGEST: head})
    return lines


def rows_of(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{"record": "row", "index": index, **row} for index, row in enumerate(rows)]


def whole(rows: list[dict[str, Any]] = ROWS, header: dict[str, Any] = HEADER, **changes: Any) -> list[dict[str, Any]]:
    """Return the lines of a whole ledger; ``changes`` are members of its terminal line."""
    lines = chained([header, *rows_of(rows)])
    root = root_of([bytes.fromhex(line[DIGEST]) for line in lines[1:]]).hex()
    terminal = {"record": "terminal", **END, "row_count": len(rows), "merkle_root_sha256": root, **changes}
    return chained([*lines, terminal])


def text_of(lines: list[dict[str, Any]]) -> bytes:
    return b"".join(canonical(line) + b"\n" for line in lines)


def stream(data: bytes) -> io.BytesIO:
    return io.BytesIO(data)
