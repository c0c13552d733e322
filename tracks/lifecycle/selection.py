"""Which episode is meant."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

TRACK, PACK, ARM, PLAN = "lifecycle", "maintenance", "full_lifecycle", "none"


@dataclass(frozen=True, slots=True)
class Selection:
    """A key into the live registries: one trial of one agent in one variant (replay contract, section 2).

    Attributes:
        trial: from 0.
    """

    operation_id: str
    variant_id: str
    agent_id: str
    trial: int

    @classmethod
    def from_wire(cls, wire: Mapping[str, Any]) -> Self:
        """Return the selection in a plain object of the right form."""
        return cls(wire["operation_id"], wire["variant_id"], wire["agent_id"], wire["trial"])

    def to_wire(self) -> dict[str, Any]:
        """Return the selection as a fresh plain object."""
        return {
            "track": TRACK,
            "pack": PACK,
            "operation_id": self.operation_id,
            "variant_id": self.variant_id,
            "agent_id": self.agent_id,
            "arm": ARM,
            "plan": PLAN,
            "trial": self.trial,
        }
