"""Inclusion proofs: that a row stands at its index in a ledger with a known root, shown without the ledger."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from ...errors import LedgerError
from ...identity.admission import admit
from ...identity.grammar import is_digest
from ...identity.profile import MAX_INTEROPERABLE_INTEGER
from .contract import LEDGER_PROFILE, PROOF_SCHEMA, PROOF_SCHEMA_VERSION
from .merkle import AuditedTree, path_length, root_of_path
from .reader import LedgerReader


@dataclass(frozen=True, slots=True)
class InclusionProof:
    """``operatebench.ledger_inclusion_proof.v1``, of the right form. :func:`check_proof` says if it proves anything.

    Attributes:
        index: of the row, from 0.
        tree_size: rows of the ledger.
        row_digest_sha256: digest of the row.
        audit_path: the digests that lead from the row to the root, from the leaf up (RFC 6962, 2.1.1).
        merkle_root_sha256: the root that the ledger had.
    """

    index: int
    tree_size: int
    row_digest_sha256: str
    audit_path: tuple[str, ...]
    merkle_root_sha256: str

    @classmethod
    def from_wire(cls, wire: Mapping[str, Any]) -> Self:
        """Return the proof in a plain object.

        Raises:
            LedgerError: ``ledger_proof_form``; the path is a JSON Pointer.
        """
        names = ("schema", "schema_version", *cls.__dataclass_fields__)
        _require(type(wire) is dict and wire.keys() == set(names), "", f"an object of exactly {', '.join(names)}", wire)
        _require(wire["schema"] == PROOF_SCHEMA, "/schema", PROOF_SCHEMA, wire["schema"])
        version, size, index, path = (wire[name] for name in ("schema_version", "tree_size", "index", "audit_path"))
        is_version = type(version) is int and version == PROOF_SCHEMA_VERSION
        _require(is_version, "/schema_version", str(PROOF_SCHEMA_VERSION), version)
        sized = type(size) is int and 1 <= size <= MAX_INTEROPERABLE_INTEGER
        _require(sized, "/tree_size", f"an integer from 1 to {MAX_INTEROPERABLE_INTEGER}", size)
        indexed = type(index) is int and 0 <= index < size
        _require(indexed, "/index", f"an integer from 0 to {size - 1}", index)
        for name in ("row_digest_sha256", "merkle_root_sha256"):
            _require(is_digest(wire[name]), f"/{name}", "64 lowercase hexadecimal characters", wire[name])
        length = path_length(index, size)
        _require(type(path) is list and len(path) == length, "/audit_path", f"an array of {length} digests", path)
        for place, digest in enumerate(path):
            _require(is_digest(digest), f"/audit_path/{place}", "64 lowercase hexadecimal characters", digest)
        return cls(index, size, wire["row_digest_sha256"], tuple(path), wire["merkle_root_sha256"])

    def to_wire(self) -> dict[str, Any]:
        """Return the proof as fresh plain JSON."""
        members = {name: getattr(self, name) for name in self.__dataclass_fields__}
        return {
            "schema": PROOF_SCHEMA,
            "schema_version": PROOF_SCHEMA_VERSION,
            **members,
            "audit_path": list(self.audit_path),
        }

    def to_bytes(self) -> bytes:
        """Return the file: canonical bytes and one line feed."""
        return bytes(admit(self.to_wire(), LEDGER_PROFILE).canonical) + b"\n"


def prove(reader: LedgerReader, row: int) -> InclusionProof:
    """Read the rest of a ledger, verifying it, and prove that it holds a row.

    Args:
        reader: a ledger of which nothing but the header was read.
        row: index of the row.

    Raises:
        DocumentError: ``file_unreadable``.
        LedgerError: any code of a line; ``ledger_incomplete``, as only a finished ledger has its root;
            ``ledger_row_missing``.
    """
    tree = AuditedTree(row)
    digest = ""
    for each in reader:
        tree.append(bytes.fromhex(each.digest_sha256))
        if each.index == row:
            digest = each.digest_sha256
    reader.summary().require_complete()
    if not digest:
        raise LedgerError("ledger_row_missing", expected=f"an index below {tree.size}", actual=str(row))
    root = tree.root().hex()
    return InclusionProof(row, tree.size, digest, tuple(sibling.hex() for sibling in tree.path), root)


def check_proof(proof: InclusionProof, root: str, rows: int) -> None:
    """Check that a proof leads to ``root`` in a ledger of so many rows.

    Both must come from where they are trusted: a run bundle, not the proof. A root says nothing of how many rows are
    below it, and a proof of another number can lead to it under another index.

    Raises:
        LedgerError: ``ledger_proof_size``: the proof is of another number of rows; ``ledger_proof_root``: it leads
            elsewhere, or says that it does.
    """
    if proof.tree_size != rows:
        raise LedgerError("ledger_proof_size", expected=f"{rows} rows", actual=str(proof.tree_size))
    path = [bytes.fromhex(sibling) for sibling in proof.audit_path]
    led = root_of_path(bytes.fromhex(proof.row_digest_sha256), proof.index, proof.tree_size, path).hex()
    for found in (led, proof.merkle_root_sha256):
        if found != root:
            raise LedgerError("ledger_proof_root", expected=root, actual=found)


def _require(holds: bool, at: str, expected: str, value: object) -> None:
    if not holds:
        raise LedgerError.found("ledger_proof_form", at, expected, value)
