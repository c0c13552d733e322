"""The gate: what must be reliable is, and everything that must be rejected is, for exactly its reasons."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from ...cards.authoring.words import listed
from ...runtime.maintenance.agents import AGENTS
from ...runtime.maintenance.evaluator import PREDICATES, Evaluation, Evaluator, Predicate
from ...runtime.maintenance.forged import Forgery, forge, load_forgeries
from ...runtime.maintenance.oracle import packaged_oracle
from ...runtime.maintenance.spec import OperationSpec, packaged_spec
from .bound import MaintenanceRuntime, reproduction_of
from .selection import Selection


@dataclass(frozen=True, slots=True)
class Case:
    """One record to be graded, and what the grade must be.

    Attributes:
        name: for people.
        variant_id: whose plan it is graded against.
        failed_dimensions: exactly those that must fail, in order; none for what must be reliable.
        finding_codes: exactly those that must be found, sorted.
        record: an episode outcome in wire form.
        reproduction: the digests of a second execution, or what a forger says they are.
    """

    name: str
    variant_id: str
    failed_dimensions: tuple[str, ...]
    finding_codes: tuple[str, ...]
    record: Mapping[str, Any]
    reproduction: Mapping[str, str] | None


@dataclass(frozen=True, slots=True)
class Check:
    """A case and its grade.

    Attributes:
        deviations: one sentence for each way in which the grade is not what it must be.
    """

    case: Case
    evaluation: Evaluation
    deviations: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class GateReport:
    """What the gate found.

    Attributes:
        checks: every case, in order.
        deviations: one sentence each; none means that the gate is passed. Those of the checks stand first.
    """

    checks: tuple[Check, ...]
    deviations: tuple[str, ...]


def check_gate(watch: Callable[[int, int], None] | None = None) -> GateReport:
    """Run all agents in the packaged operation, and grade them and the forged records.

    Args:
        watch: is told after each case how many are done, of how many.
    """
    return judge(packaged_spec(), gate_cases(packaged_spec(), watch))


def gate_cases(spec: OperationSpec, watch: Callable[[int, int], None] | None = None) -> Iterator[Case]:
    """Run every episode of the gate, and forge what no behaviour can bring about, one after the other.

    An agent of the registry either has a control in the oracle, which says where it fails, or must be reliable on every
    variant: the reference, and whoever decides like it.

    Args:
        spec: the operation.
        watch: see :func:`check_gate`.
    """
    plans = _plans(spec)
    for done, plan in enumerate(plans, 1):
        yield plan()
        if watch is not None:
            watch(done, len(plans))


def _plans(spec: OperationSpec) -> list[Callable[[], Case]]:
    """Return what makes the cases of the gate, one each, in order."""
    episodes, controls = _Episodes(spec), packaged_oracle().controls
    reliable = [
        (agent_id, variant_id) for agent_id in AGENTS if agent_id not in controls for variant_id in spec.variants
    ]
    return [
        *(partial(_run, episodes, agent_id, variant_id, (), ()) for agent_id, variant_id in reliable),
        *(
            partial(
                _run,
                episodes,
                control.agent_id,
                control.variant_id,
                control.expected_failed_dimensions,
                control.required_finding_codes,
            )
            for control in controls.values()
        ),
        *(partial(_forged, episodes, forgery) for forgery in load_forgeries()),
    ]


def _run(
    episodes: _Episodes, agent_id: str, variant_id: str, dimensions: tuple[str, ...], codes: tuple[str, ...]
) -> Case:
    name = f"{agent_id} on {variant_id}"
    return Case(name, variant_id, dimensions, codes, *episodes.of(variant_id, agent_id))


def _forged(episodes: _Episodes, forgery: Forgery) -> Case:
    name = f"forgery {forgery.forgery_id}"
    record, reproduction = episodes.of(forgery.variant_id, forgery.agent_id)
    try:
        forged = forge(record, forgery)
    except LookupError:  # the engine makes no such row any more; the honest record will not be graded as a forged one
        name, forged = f"{name}, which is out of date", (record, reproduction)
    return Case(name, forgery.variant_id, forgery.expected_failed_dimensions, forgery.required_finding_codes, *forged)


class _Episodes:
    """Episodes of the gate, each run once."""

    def __init__(self, spec: OperationSpec) -> None:
        self._runtime = MaintenanceRuntime(spec)
        self._found: dict[tuple[str, str], tuple[dict[str, Any], dict[str, str]]] = {}

    def of(self, variant_id: str, agent_id: str) -> tuple[dict[str, Any], dict[str, str]]:
        """Return the record of an episode, and its reproduction."""
        key = variant_id, agent_id
        if key not in self._found:
            selection = Selection(self._runtime.spec.operation_id, variant_id, agent_id, 0)
            recorded, instance_id = selection.to_wire(), self._runtime.identity(*key).instance_id(0)
            first, again = (self._runtime.execute(recorded, instance_id) for _ in range(2))
            self._found[key] = first.outcome, reproduction_of(again)
        return self._found[key]


def judge(spec: OperationSpec, cases: Iterable[Case], predicates: tuple[Predicate, ...] = PREDICATES) -> GateReport:
    """Grade the cases and compare each grade with what it must be.

    Args:
        spec: what the episodes were run by.
        cases: see :func:`gate_cases`.
        predicates: of the evaluator; a test leaves one out and expects a deviation.
    """
    checks = []
    for case in cases:
        evaluation = Evaluator(spec, case.variant_id, predicates).evaluate(case.record, case.reproduction)
        checks.append(Check(case, evaluation, tuple(_deviations(case, evaluation))))
    together = [*_untested(checks), *_indistinct(checks)]
    return GateReport(
        tuple(checks), (*(f"{check.case.name}: {each}" for check in checks for each in check.deviations), *together)
    )


def _deviations(case: Case, evaluation: Evaluation) -> list[str]:
    found = []
    for what, wanted, got in (
        ("fails", case.failed_dimensions, evaluation.failed_dimensions),
        ("finds", case.finding_codes, evaluation.finding_codes),
    ):
        if tuple(wanted) != got:
            missing = [each for each in wanted if each not in got]
            more = [each for each in got if each not in wanted]
            found.append(f"{what} {listed(got)}; missing: {listed(missing)}; too many: {listed(more)}")
    if evaluation.reliable == bool(case.failed_dimensions):
        found.append(f"must {'not ' if case.failed_dimensions else ''}be reliable, ending {evaluation.outcome_class}")
    return found


def _untested(checks: Sequence[Check]) -> list[str]:
    """Name the dimensions that nothing fails."""
    failed = {name for check in checks for name in check.evaluation.failed_dimensions}
    every = [row.dimension for row in checks[0].evaluation.dimensions] if checks else []
    return [f"no control or forgery fails {name}" for name in every if name not in failed]


def _indistinct(checks: Sequence[Check]) -> list[str]:
    """Name the rejected cases that are rejected for the same reasons as an earlier one."""
    first: dict[tuple[tuple[str, ...], tuple[str, ...]], str] = {}
    found = []
    for check in checks:
        if check.case.failed_dimensions:
            signature = check.evaluation.failed_dimensions, check.evaluation.finding_codes
            earlier = first.setdefault(signature, check.case.name)
            if earlier != check.case.name:
                found.append(f"{check.case.name}: rejected for the same reasons as {earlier}")
    return found
