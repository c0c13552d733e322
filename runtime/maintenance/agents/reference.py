"""The reference: reads the record, decides by the shared rules, remembers nothing."""

from __future__ import annotations

from ._shared import CaseAgent


class Reference(CaseAgent):
    """Decides by the reference rules."""


def create() -> Reference:
    """Return a new one, at the start of an episode."""
    return Reference()
