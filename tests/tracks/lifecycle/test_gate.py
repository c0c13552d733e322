"""The gate: passed today, and every way in which it could be wrong is a deviation with a sentence of its own."""

from dataclasses import replace

import pytest

from operatebench.runtime.maintenance.evaluator import PREDICATES, Predicate
from operatebench.runtime.maintenance.forged import load_forgeries
from operatebench.tracks.lifecycle import (
    AGENTS,
    EpisodeRecord,
    Selection,
    check_gate,
    gate,
    grade_lines,
    packaged_spec,
    picture,
    timeline_lines,
)
from operatebench.tracks.lifecycle.form import require_form
from operatebench.tracks.lifecycle.gate import Case, Check, GateReport, gate_cases, judge

SPEC = packaged_spec()


@pytest.fixture(scope="module")
def cases() -> list[Case]:
    return list(gate_cases(SPEC))


@pytest.fixture(scope="module")
def report(cases: list[Case]) -> GateReport:
    return judge(SPEC, cases)


def case_of(cases: list[Case], name: str) -> Case:
    return next(case for case in cases if case.name == name)


def test_the_gate_is_passed(report: GateReport) -> None:
    assert report.deviations == ()


def test_what_has_no_control_must_be_reliable_everywhere(report: GateReport) -> None:
    assert [check.case.name for check in report.checks if check.evaluation.reliable] == [
        f"{agent} on {variant}" for agent in ("conversational", "reference") for variant in SPEC.variants
    ]
    named = " ".join(check.case.name for check in report.checks)
    assert all(agent in named for agent in AGENTS)


def recorded(check: Check) -> EpisodeRecord:
    """Return a case and its grade in the form that a bundle has them in."""
    selection = Selection(SPEC.operation_id, check.case.variant_id, "any", 0)
    return EpisodeRecord(selection, "opinst_" + "0" * 32, check.case.record, {}, check.evaluation.to_wire())


def test_what_is_reliable_follows_from_the_grade_as_a_bundle_has_it(report: GateReport) -> None:
    for check in report.checks:
        record = recorded(check)
        assert record.reliable == check.evaluation.reliable, check.case.name
        assert record.failed_dimensions == check.evaluation.failed_dimensions
        assert record.finding_codes == check.evaluation.finding_codes


def test_every_episode_can_be_told_and_drawn(report: GateReport) -> None:
    episodes = [check for check in report.checks if not check.case.name.startswith("forgery ")]
    assert len(episodes) >= len(AGENTS)
    for record in map(recorded, episodes):
        require_form(record.outcome, record.evaluation)
        assert timeline_lines(record)
        assert grade_lines(record)
        assert picture(record)


def test_every_dimension_is_failed_by_something(report: GateReport) -> None:
    failed = {name for check in report.checks for name in check.evaluation.failed_dimensions}
    assert failed == set(SPEC.dimensions)
    assert len(failed) == 11


def test_no_two_are_rejected_for_the_same_reasons(report: GateReport) -> None:
    signatures = [
        (check.evaluation.failed_dimensions, check.evaluation.finding_codes)
        for check in report.checks
        if not check.evaluation.reliable
    ]
    assert len(set(signatures)) == len(signatures)


@pytest.mark.parametrize("left_out", PREDICATES, ids=lambda predicate: predicate.predicate_id)
def test_the_gate_notices_a_predicate_that_is_left_out(cases: list[Case], left_out: Predicate) -> None:
    rest = tuple(predicate for predicate in PREDICATES if predicate is not left_out)
    # No other predicate finds its codes, so where it finds nothing its absence changes nothing.
    concerned = [case for case in cases if not set(left_out.codes).isdisjoint(case.finding_codes)]

    report = judge(SPEC, concerned[:1], rest)

    assert [check for check in report.checks if check.deviations]


def test_a_reference_that_is_not_what_it_must_be(cases: list[Case]) -> None:
    reference = case_of(cases, "reference on V1")

    failing = judge(SPEC, [replace(reference, failed_dimensions=("obligations",))]).checks[0]
    finding = judge(SPEC, [replace(reference, finding_codes=("NO_SUCH",))]).checks[0]

    assert failing.deviations == (
        "fails none; missing: obligations; too many: none",
        "must not be reliable, ending successful_completion",
    )
    assert finding.deviations == ("finds none; missing: NO_SUCH; too many: none",)


def test_a_control_that_is_not_what_it_must_be(cases: list[Case]) -> None:
    control = case_of(cases, "always_wait on V1")
    first, *others = control.failed_dimensions
    fewer = replace(control, failed_dimensions=tuple(others))
    reference = replace(control, failed_dimensions=(), finding_codes=())

    assert judge(SPEC, [control]).checks[0].deviations == ()
    (sentence,) = judge(SPEC, [fewer]).checks[0].deviations
    assert sentence.endswith(f"; missing: none; too many: {first}")
    assert len(judge(SPEC, [reference]).checks[0].deviations) == 3


def test_whoever_watches_is_told_of_each_case(monkeypatch: pytest.MonkeyPatch, cases: list[Case]) -> None:
    few = [lambda case=case: case for case in cases[:3]]
    monkeypatch.setattr(gate, "_plans", lambda _: few)
    told: list[tuple[int, int]] = []

    report = check_gate(lambda done, total: told.append((done, total)))

    assert told == [(1, 3), (2, 3), (3, 3)]
    assert [check.case for check in report.checks] == cases[:3]
    assert check_gate() == report


def test_a_dimension_nothing_fails_is_a_deviation(cases: list[Case]) -> None:
    control = case_of(cases, "always_wait on V1")

    untested = set(SPEC.dimensions) - set(control.failed_dimensions)

    assert set(judge(SPEC, [control]).deviations) == {f"no control or forgery fails {name}" for name in untested}


def test_a_shared_signature_is_a_deviation(cases: list[Case]) -> None:
    control = case_of(cases, "always_wait on V1")

    report = judge(SPEC, [control, replace(control, name="its twin")])

    assert report.deviations[-1] == "its twin: rejected for the same reasons as always_wait on V1"


def test_deviations_of_cases_name_the_case(cases: list[Case]) -> None:
    wrong = replace(case_of(cases, "reference on V1"), finding_codes=("NO_SUCH",))

    assert judge(SPEC, [wrong]).deviations[0] == "reference on V1: finds none; missing: NO_SUCH; too many: none"


def test_a_forgery_that_is_out_of_date_is_a_deviation(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_longer(*_: object) -> None:
        raise LookupError

    forgery = load_forgeries()[0]
    monkeypatch.setattr(gate, "forge", no_longer)

    case = gate._forged(gate._Episodes(SPEC), forgery)
    report = judge(SPEC, [case])

    assert case.name == f"forgery {forgery.forgery_id}, which is out of date"
    assert report.deviations[0].startswith(f"{case.name}: ")
