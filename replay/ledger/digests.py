"""Digests of ledger lines: the wrapper around a line's own bytes, without encoding the line anew."""

from __future__ import annotations

from hashlib import sha256
from typing import Final

from ...identity.canonical import mapping
from ...identity.labels import labelled

_NOTHING = b"{}"
_LABEL = bytes(labelled("trajectory_ledger.line.v1", mapping({}), "trajectory_ledger.v1"))
BEFORE, _, AFTER = _LABEL.partition(_NOTHING)
"""What stands before and after the line in the wrapper."""

DIGEST_BEFORE: Final = b',"row_digest_sha256":"'
DIGEST_AFTER: Final = b'"}\n'
"""What stands around the digest of a row, whose last member it is, to the end of the line."""

TAIL_LENGTH: Final = len(DIGEST_BEFORE) + 64 + len(DIGEST_AFTER) - 1
"""Bytes that a row has beyond the content of its digest, without line feed; what closes the content is among them."""

CLOSED_AFTER: Final = b"}" + AFTER


def line_digest(content: bytes) -> bytes:
    """Return the raw digest of a line (replay contract, section 1).

    Args:
        content: canonical bytes of the line without its digest.
    """
    return sha256(BEFORE + content + AFTER).digest()
