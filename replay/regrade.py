"""Grades a run again that was replayed exactly, with the evaluator that is here, and leaves its bundle as it is."""

from __future__ import annotations

from typing import Any

from ..errors import CapabilityError
from ..identity.labels import labelled_digest
from .bound import BoundRuntime
from .capability import ReplayCapability
from .decisions import EVALUATOR, can_evaluator_regrade
from .evaluation import canonical_evaluation, seal_evaluation
from .isolation import isolated

__all__ = ["ReplayCapability", "regrade", "regrade_bytes"]

REGRADE_SCHEMA = "operatebench.regrade.v1"
REGRADE_SCHEMA_VERSION = 1
SELF_DIGEST = "regrade_digest_sha256"
"""The digest that a regrade carries of itself, over all other members."""


def regrade(capability: ReplayCapability, bound: BoundRuntime) -> dict[str, Any]:
    """Return ``operatebench.regrade.v1``: which run, which evaluators, and the new grade. The capability is used up.

    Args:
        capability: of an exact replay by ``bound``, in this process.
        bound: the runtime whose evaluator grades.

    Raises:
        CapabilityError: ``capability_used``, ``capability_foreign`` or ``regrade_not_allowed``.
        EvaluationError: the grade does not fit evaluation v1.
    """
    replayed = capability.consume()
    components = replayed.live.components
    decision = can_evaluator_regrade(replayed.requirements, components)
    if not decision.allowed:
        reasons = ", ".join(decision.reasons)
        raise CapabilityError("regrade_not_allowed", expected="no reason against it", actual=reasons)
    run, evaluator = replayed.execution, components[EVALUATOR].content_digest_sha256
    with isolated():
        grade = bound.evaluate(dict(replayed.selection), run, run)
    evaluation = seal_evaluation(
        grade,
        evaluator_digest=evaluator,
        analysis_digest=components["analysis_contract_content"].content_digest_sha256,
    )
    document = {
        "schema": REGRADE_SCHEMA,
        "schema_version": REGRADE_SCHEMA_VERSION,
        "artifact_digest_sha256": replayed.artifact.artifact_digest_sha256,
        "old_evaluator_content_digest_sha256": replayed.evaluation["evaluator_content_digest_sha256"],
        "new_evaluator_content_digest_sha256": evaluator,
        "evaluation": evaluation,
    }
    return {**document, SELF_DIGEST: labelled_digest("regrade.v1", canonical_evaluation(document))}


def regrade_bytes(document: dict[str, Any]) -> bytes:
    """Return the file of a regrade: canonical JSON and one line feed."""
    return bytes(canonical_evaluation(document)) + b"\n"
