"""What a verification found: each check, the verdict that follows, and what was not established."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Any

from ...errors import OperateBenchError, escape
from ...errors.texts import MAX_PATH
from ...identity.comparison import ManifestComparison
from ..bundle import Artifact
from .reproduction import Divergence

NOT_ESTABLISHED = (
    "who wrote the bundle, and when: no signature says",
    "that a model or a provider answered as recorded: no provider attests anything",
    "that the code that ran here is the code on disk: patched memory and stale byte code are outside the claim",
    "that the grade measures what it is meant to measure: the construct is not validated",
    "that anything real happened: operation, people and money are synthetic",
)
"""What no verdict says."""


class State(StrEnum):
    """How a check came out."""

    PASSED = "passed"
    FAILED = "failed"
    NOT_PRESENT = "not_present"
    """There is nothing to check."""
    NOT_REACHED = "not_reached"
    """Another check would have had to pass before, or what is here is not what made the recorded part."""


class Verdict(StrEnum):
    """What follows from all checks."""

    REFUSED = "refused"
    CONSISTENT_ONLY = "consistent_only"
    DIVERGED = "diverged"
    REPLAYED = "replayed"
    VERIFIED = "verified"


MEANINGS: Mapping[Verdict, str] = MappingProxyType(
    {
        Verdict.REFUSED: "It is not what a run wrote, or was not written by what it says.",
        Verdict.CONSISTENT_ONLY: "Consistent in itself, made by another build or spec: nothing was reproduced here.",
        Verdict.DIVERGED: "The identities are equal, and the run or its grade came out differently.",
        Verdict.REPLAYED: "The episode was reproduced; the grade was not compared, or the agent not reproduced.",
        Verdict.VERIFIED: "All eleven components are those that are here; agent, episode and grade were reproduced.",
    }
)


@dataclass(frozen=True, slots=True)
class CheckResult:
    """One check.

    Attributes:
        number: as in the contract, such as ``4b``.
        name: what is checked.
        state: how it came out.
        detail: what passed, or which check was not passed before; for people.
        refusal: why it failed.
    """

    number: str
    name: str
    state: State
    detail: str = ""
    refusal: OperateBenchError | None = None

    def __post_init__(self) -> None:
        """Keep a detail that is safe to print: ids and names come out of the bundle as they are."""
        object.__setattr__(self, "detail", escape(self.detail, MAX_PATH))

    def to_wire(self) -> dict[str, Any]:
        """Return the check as a fresh plain object."""
        return {
            "check": self.number,
            "name": self.name,
            "state": self.state.value,
            "detail": self.detail,
            "refusal": None if self.refusal is None else self.refusal.to_json(),
        }


@dataclass(frozen=True, slots=True)
class VerificationReport:
    """What a verification found.

    Attributes:
        verdict: what follows.
        readable: whether there was a bundle to be judged at all.
        checks: all of them, in order.
        refusal: what the verdict rests on; None for ``verified`` and ``replayed``.
        agent: ``reproduced``, ``not reproduced``, ``recorded, not reproduced``, or ``not run``.
        artifact: what the bundle says of itself; None if that could not be read.
        comparison: the recorded identities beside the live ones, if it came to that.
        divergence: where the run went another way, if it did.
    """

    verdict: Verdict
    readable: bool
    checks: tuple[CheckResult, ...]
    refusal: OperateBenchError | None
    agent: str
    artifact: Artifact | None
    comparison: ManifestComparison | None
    divergence: Divergence | None

    @property
    def meaning(self) -> str:
        """The verdict in one sentence for people."""
        if not self.readable:
            return "No run bundle could be read there."
        only_unexpected = self.refusal is not None and self.refusal is self.check("0").refusal
        return "It is not the one that was expected." if only_unexpected else MEANINGS[self.verdict]

    @property
    def exit_status(self) -> int:
        """0 for ``verified``, 1 if there was no bundle to be judged, else 2."""
        return 0 if self.verdict is Verdict.VERIFIED else 2 if self.readable else 1

    def check(self, number: str) -> CheckResult:
        """Return one check by its number."""
        return next(each for each in self.checks if each.number == number)

    def to_wire(self) -> dict[str, Any]:
        """Return the report as a fresh plain object."""
        return {
            "verdict": self.verdict.value,
            "meaning": self.meaning,
            "checks": [check.to_wire() for check in self.checks],
            "refusal": None if self.refusal is None else self.refusal.to_json(),
            "agent": self.agent,
            "writer": None if self.artifact is None else self.artifact.to_wire()["writer"],
            "artifact_digest_sha256": None if self.artifact is None else self.artifact.artifact_digest_sha256,
            "comparison": None if self.comparison is None else self.comparison.to_wire(),
            "first_divergence": None if self.divergence is None else self.divergence.to_wire(),
            "not_established": list(NOT_ESTABLISHED),
        }
