"""Owns two of the decisions about what a record may be used for, and says which inputs they are made from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..identity import ComponentIdentityV1, evaluate_component_requirements
from ..identity.requirements import requirement_wire
from .ledger.requirements import REQUIRED_COMPONENTS

__all__ = ["CompatibilityDecision", "can_evaluator_regrade", "can_runtime_replay"]

CAN_RUNTIME_REPLAY = "can_runtime_replay"
CAN_EVALUATOR_REGRADE = "can_evaluator_regrade"
PREDICATE_VERSION = 1
EVALUATOR = "evaluator_bundle_content"

Requirements = Sequence[Mapping[str, Any]]
"""The ``requirements`` of a ledger header: the rows that its run bound itself to."""

Live = Mapping[str, ComponentIdentityV1]
"""The eleven components as they are here and now, validated."""


@dataclass(frozen=True, slots=True)
class CompatibilityDecision:
    """The answer to one predicate, and to no other: none implies another (replay contract, section 6).

    Attributes:
        predicate: its name.
        predicate_version: of its rules.
        allowed: whether there is no reason against it.
        reasons: why not.
    """

    predicate: str
    predicate_version: int
    allowed: bool
    reasons: tuple[str, ...]

    @classmethod
    def of(cls, predicate: str, reasons: tuple[str, ...]) -> CompatibilityDecision:
        """Return the decision that follows from the reasons."""
        return cls(predicate, PREDICATE_VERSION, not reasons, reasons)


def can_runtime_replay(requirements: Requirements, live: Live) -> CompatibilityDecision:
    """Decide whether what is here can replay a run: all that decides how it comes out is exactly the same.

    * Each of the nine components needs a row, and every row of it must be the exact digest of the live component; so an
      empty list allows nothing.
    * A reason is ``<component>_differs``, one for each of the nine that fails, in registry order.
    * Versions decide nothing.
    """
    return CompatibilityDecision.of(
        CAN_RUNTIME_REPLAY,
        tuple(f"{name}_differs" for name in REQUIRED_COMPONENTS if not _met(name, requirements, live)),
    )


def can_evaluator_regrade(requirements: Requirements, live: Live) -> CompatibilityDecision:
    """Decide whether the live evaluator may grade a run again. It may be another than the one that graded it.

    * Whatever speaks against a replay speaks against this.
    * What the live evaluator itself requires must be met by the live components, else
      ``requirements_unsatisfied:<component>``, in the order of its rows.
    """
    unmet = (
        f"requirements_unsatisfied:{row.component}"
        for row in live[EVALUATOR].requires
        if not evaluate_component_requirements([requirement_wire(row)], dict(live)).satisfied
    )
    return CompatibilityDecision.of(
        CAN_EVALUATOR_REGRADE, (*can_runtime_replay(requirements, live).reasons, *dict.fromkeys(unmet))
    )


def _met(name: str, requirements: Requirements, live: Live) -> bool:
    exact = {"kind": "exact_digest", "content_digest_sha256": live[name].content_digest_sha256}
    rows = [dict(row["compatible"]) for row in requirements if row["component"] == name]
    return bool(rows) and all(row == exact for row in rows)
