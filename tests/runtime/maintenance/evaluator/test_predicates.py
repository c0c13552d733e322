"""Every finding code can be found, by one predicate only: leaving any predicate out is visible."""

import pytest

from operatebench.runtime.maintenance.evaluator import DIMENSIONS, FINDINGS, PREDICATES
from operatebench.runtime.maintenance.spec import packaged_spec
from tests.runtime.maintenance.evaluator.episodes import (
    Forgery,
    evaluator,
    grade,
    predicate_of,
    record_of,
    reproduction_of,
)
from tests.runtime.maintenance.evaluator.forgeries_business import BUSINESS, TORN_READS
from tests.runtime.maintenance.evaluator.forgeries_structure import STRUCTURE

CODES = [code for codes in FINDINGS.values() for code in codes]
REPLAY = {"REPLAY_NOT_CHECKED", "REPLAY_DIVERGED"}
CASES = {code: ("V1", "reference", change) for code, change in STRUCTURE.items()} | BUSINESS


def test_dimensions_are_the_eleven_of_the_operation() -> None:
    assert packaged_spec().dimensions == DIMENSIONS
    assert len(DIMENSIONS) == 11


def test_each_code_belongs_to_one_predicate() -> None:
    assert sorted(code for predicate in PREDICATES for code in predicate.codes) == sorted(CODES)
    assert len({predicate.predicate_id for predicate in PREDICATES}) == len(PREDICATES)


def test_each_code_has_a_forgery() -> None:
    assert sorted({*CASES, *REPLAY}) == sorted(CODES)


@pytest.mark.parametrize("code", sorted(CASES))
def test_a_forgery_is_found_by_its_predicate_alone(code: str) -> None:
    variant_id, agent_id, change = CASES[code]
    record = record_of(variant_id, agent_id)
    if change is not None:
        forgery = Forgery(record)
        change(forgery)
        forgery.sealed(renumbered=code not in {"TRAJECTORY_INDICES_NOT_CONTIGUOUS", "TRAJECTORY_ROW_NOT_A_RECORD"})
    predicate = predicate_of(code)
    evaluation = grade(record, variant_id)
    assert code in evaluation.finding_codes
    assert predicate.dimension in evaluation.failed_dimensions
    assert not evaluation.reliable
    rest = grade(record, variant_id, left_out=predicate.predicate_id)
    assert set(rest.finding_codes) == set(evaluation.finding_codes) - set(predicate.codes)


def test_two_versions_in_one_window_are_stale() -> None:
    forgery = Forgery(record_of("V1"))
    TORN_READS(forgery)
    assert "STALE_RETRIEVED_RECORD" in grade(forgery.sealed(), "V1").finding_codes


def test_a_second_execution_is_required_and_must_agree() -> None:
    record = record_of("V2")
    agreed = reproduction_of(record)
    for reproduction, codes in (
        (None, ("REPLAY_NOT_CHECKED",)),
        ({}, ("REPLAY_NOT_CHECKED",)),
        ({**agreed, "trajectory_digest_sha256": "0" * 64}, ("REPLAY_DIVERGED",)),
        ({**agreed, "final_state_digest_sha256": "0" * 64}, ("REPLAY_DIVERGED",)),
        (agreed, ()),
    ):
        assert evaluator("V2").evaluate(record, reproduction).finding_codes == codes


def test_contents_must_have_the_digests_the_record_states() -> None:
    record = record_of("V2")
    record["trajectory"][4]["records"]["reopen_count"] = 7
    assert "REPLAY_DIVERGED" in grade(record, "V2").finding_codes
