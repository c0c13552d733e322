"""The digests of evidence: bare ones of its sections, and the one over all of it (evidence contract, 1 and 2.4)."""

from __future__ import annotations

import hashlib
from typing import Any

from ...identity.canonical import encode
from .contract import EVIDENCE_DOMAIN, EVIDENCE_PROFILE, EXECUTED_RUNTIME_EVIDENCE_SCHEMA, SELF_DIGEST
from .refusal import refusal


def bare(value: Any) -> str:
    """Return the SHA-256 of the canonical bytes of an admitted value, in lowercase hex; the contract calls it H."""
    return hashlib.sha256(encode(value, EVIDENCE_PROFILE)).hexdigest()


def wrapper(evidence: dict[str, Any]) -> bytes:
    """Return the canonical bytes that the digest of evidence is of: everything but that digest, and what it is."""
    content = {name: value for name, value in evidence.items() if name != SELF_DIGEST}
    labelled = {"domain": EVIDENCE_DOMAIN, "schema": EXECUTED_RUNTIME_EVIDENCE_SCHEMA, "content": content}
    return encode(labelled, EVIDENCE_PROFILE)


def evidence_digest(evidence: dict[str, Any]) -> str:
    """Return the digest of admitted evidence, whatever it states as its own."""
    return hashlib.sha256(wrapper(evidence)).hexdigest()


def require_digest(code: str, record: dict[str, Any], of: str, stated: str, at: str) -> None:
    """Refuse a record whose member ``stated`` is not the bare digest of its member ``of``.

    Raises:
        EvidenceError: ``code``.
    """
    digest = bare(record[of])
    if record[stated] != digest:
        raise refusal(code, f"{at}/{stated}", digest, record[stated])
