"""The evaluator: grades the record of an episode in eleven dimensions (runtime contract, section 3)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from types import MappingProxyType

from ...core.endings import outcome_class
from ...core.vocabulary import DEADLOCK, HORIZON_EXHAUSTED, Ending
from ..plan import plan_of
from ..spec.records import OperationSpec
from . import (
    agreement,
    agreement_case,
    authority,
    carried_out,
    checkpoints,
    completion,
    environment,
    integrity,
    invariants,
    obligations,
    occasions,
    opportunities,
    proposals,
    recovery,
    reproduction,
    retrieval,
    temporal,
    terminal,
    timers,
    touches,
    validity,
    waiting,
)
from .case import Case
from .predicate import Predicate
from .result import Dimension, Evaluation, Finding, HumanTouch, Opportunity
from .vocabulary import DIMENSIONS, FINDINGS, TOUCH_KINDS, VERDICTS

__all__ = [
    "DIMENSIONS",
    "FINDINGS",
    "PREDICATES",
    "TOUCH_KINDS",
    "VERDICTS",
    "Dimension",
    "Evaluation",
    "Evaluator",
    "Finding",
    "HumanTouch",
    "Opportunity",
    "Predicate",
]

PREDICATES: tuple[Predicate, ...] = tuple(
    predicate
    for module in (
        integrity,
        terminal,
        proposals,
        invariants,
        completion,
        temporal,
        waiting,
        authority,
        validity,
        occasions,
        checkpoints,
        recovery,
        obligations,
        reproduction,
        environment,
        timers,
        carried_out,
        agreement,
        agreement_case,
        retrieval,
    )
    for predicate in module.PREDICATES
)
"""Everything that is checked."""

_COUNTS: Mapping[str, Callable[[Case], dict[str, int]]] = MappingProxyType(
    {
        "terminal_outcome": terminal.counts,
        "critical_invariants": lambda case: {"accepted_effects": len(case.of_kind["effect_accepted"])},
        "temporal_correctness": temporal.counts,
        "authority_boundaries": authority.counts,
        "action_validity": validity.counts,
        "human_checkpoints": checkpoints.counts,
        "recovery": recovery.counts,
        "obligations": obligations.counts,
        "deterministic_replay": reproduction.counts,
        "environment_integrity": environment.counts,
        "retrieval_discipline": retrieval.counts,
    }
)
_LEGITIMATE = frozenset({Ending.SUCCESSFUL_COMPLETION, Ending.AUTHORISED_CANCELLATION_OR_TRANSFER})


class Evaluator:
    """Grades records of one variant.

    Args:
        spec: the operation.
        variant_id: one of its variants.
        predicates: what to check; a mutation test leaves one out.
    """

    def __init__(self, spec: OperationSpec, variant_id: str, predicates: tuple[Predicate, ...] = PREDICATES) -> None:
        self._spec = spec
        self._variant = spec.variants[variant_id]
        self._plan = plan_of(spec, variant_id)
        self._predicates = predicates

    def evaluate(self, record: object, reproduction: object) -> Evaluation:
        """Grade a record. Nothing in it is trusted, and whatever it is, it is graded: nothing raises.

        Args:
            record: an episode outcome in wire form, or anything else that JSON can hold.
            reproduction: ``{final_state_digest_sha256, trajectory_digest_sha256}`` of a second execution, or null.

        Returns:
            The grade.
        """
        case = Case(self._spec, self._variant, self._plan, record, reproduction)
        integrity.examine(case)
        found: dict[str, list[Finding]] = defaultdict(list)
        for predicate in self._predicates:
            found[predicate.dimension].extend(predicate.check(case))
        ending = _ending(case)
        legitimate = case.outcome.get("status") == self._variant.expected_terminal and ending in _LEGITIMATE
        return Evaluation(
            outcome_class=ending.value,
            legitimate_completion=legitimate,
            reliable=legitimate and not any(found.values()),
            dimensions=tuple(
                Dimension(
                    dimension,
                    not found[dimension],
                    MappingProxyType({"findings": len(found[dimension]), **_COUNTS[dimension](case)}),
                )
                for dimension in DIMENSIONS
            ),
            findings=tuple(finding for dimension in DIMENSIONS for finding in found[dimension]),
            human_touches=tuple(touches.human_touches(case)),
            opportunities=tuple(opportunities.opportunities(case)),
            load=MappingProxyType(_load(case)),
        )


def _ending(case: Case) -> Ending:
    """Name the ending; a record whose status is neither terminal nor horizon is a deadlock."""
    status, violations = case.outcome.get("status"), case.of_kind["critical_violation"]
    if case.is_final:
        return case.plan.terminals[str(status)]
    halt = HORIZON_EXHAUSTED if status == HORIZON_EXHAUSTED else DEADLOCK
    return outcome_class(halt, None, violations[-1]["code"] if violations else None, case.plan.terminals)


def _load(case: Case) -> dict[str, int]:
    """Return what the episode asked of the agent and of humans; a decision is any call that was not a read."""
    calls = [*case.of_kind["agent_outcome"], *case.of_kind["outcome_rejected"]]
    return {
        "invocations": len(case.invoked),
        "decisions": len(calls),
        "decisions_with_human": sum(proposed.action_type in checkpoints.REQUESTS for proposed in case.proposals),
        "checkpoints_opened": len(case.checkpoints),
        "human_events": sum(len(case.facts.get(kind, ())) for kind in _HUMAN_EVENTS),
        "reads_served": len(case.of_kind["retrieval_served"]),
        "messages_sent": len(case.works),
    }


_HUMAN_EVENTS = ("approver_decision_received", "operator_exception_resolved")
