"""Digests of parts of a record, recomputed through the identity kernel."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ....errors import OperateBenchError
from ....identity.admission import admit
from ....identity.profile import IDENTITY_PROFILE

RECORD_PROFILE = replace(
    IDENTITY_PROFILE,
    integral_floats=False,
    nodes_count_keys=True,
    max_nodes=100_000,
    max_items=100_000,
    max_bytes=8 * 1024 * 1024,
    max_string_bytes=8 * 1024 * 1024,
)
"""Strict JSON within the limits of a record (evidence contract, version 1)."""


def digest(value: Any) -> str | None:
    """Return the lowercase hexadecimal SHA-256 of the canonical JSON of ``value``; null outside the profile."""
    try:
        return admit(value, RECORD_PROFILE).canonical.sha256()
    except OperateBenchError:
        return None
