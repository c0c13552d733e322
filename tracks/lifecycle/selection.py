"""Which episode is meant, and the instance id that follows from it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from ...identity.labels import labelled_digest
from .digests import canonical

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


def operation_instance_id(spec_digest_sha256: str, selection: Selection) -> str:
    """Return the id that one trial always gets (replay contract, section 1; runtime contract, section 1).

    The evaluator has no part in it: an edit there changes nothing an agent sees. The digest of spec, variant and agent
    stands where the digest of the runtime bundle will.

    Args:
        spec_digest_sha256: of the parsed content of the spec.
        selection: what was run.
    """
    bundle = canonical(
        {
            "spec_digest_sha256": spec_digest_sha256,
            "variant_id": selection.variant_id,
            "agent_id": selection.agent_id,
        }
    ).sha256()
    content = canonical({"runtime_bundle_digest_sha256": bundle, "trial": selection.trial})
    return f"opinst_{labelled_digest('operation_instance.v1', content)[:32]}"
