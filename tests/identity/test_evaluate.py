"""The evaluator tells malformed input from unmet requirements, in the order of the identity contract, section 12."""

import dataclasses
import itertools
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import pytest

from operatebench.identity import RequirementEvaluationV1, evaluate_component_requirements, recompute_component
from operatebench.identity.requirements import REQUIREMENT_EVALUATION_REASON_ORDER
from tests.identity import oracle
from tests.identity.oracle import CARD, COMPONENTS, CORE
from tests.identity.refusals import assert_refused, refusal
from tests.identity.test_bundle import records
from tests.identity.test_oracle import COMPONENT_DIGESTS

LARGEST = 2**53 - 1
UNKNOWN, MISSING, MISMATCH, RANGE = REQUIREMENT_EVALUATION_REASON_ORDER
GOOD = oracle.exact(CARD, COMPONENT_DIGESTS[CARD])
BAD = oracle.exact(CARD, "0" * 64)


def reasons(rows: Any, resolved: Any = None) -> tuple[str, ...]:
    result = evaluate_component_requirements(rows, records() if resolved is None else resolved)
    assert type(result) is RequirementEvaluationV1
    assert (result.requirement_contract_version, result.satisfied) == (1, not result.reasons)
    return result.reasons


def test_the_reasons_have_their_names_and_order() -> None:
    assert REQUIREMENT_EVALUATION_REASON_ORDER == (
        "unknown_named_requirement_predicate",
        "missing_component",
        "content_digest_mismatch",
        "schema_version_out_of_range",
    )


def test_nothing_required_is_satisfied() -> None:
    assert evaluate_component_requirements([], {}) == RequirementEvaluationV1(1, True, ())
    assert [field.name for field in dataclasses.fields(RequirementEvaluationV1)] == [
        "requirement_contract_version",
        "satisfied",
        "reasons",
    ]


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        (GOOD, ()),
        (BAD, (MISMATCH,)),
        (oracle.closed_range(CARD, 1, 1), ()),
        (oracle.closed_range(CARD, 1, LARGEST), ()),
        (oracle.closed_range(CARD, 1.0, 2.0), ()),
        (oracle.closed_range(CARD, 2, 2), (RANGE,)),
        (oracle.closed_range(CARD, 2, LARGEST), (RANGE,)),
        (oracle.named(CARD), (UNKNOWN,)),
        (oracle.named(CARD, "can.compare", LARGEST), (UNKNOWN,)),
    ],
)
def test_a_row_about_a_resolved_component(row: dict[str, Any], expected: tuple[str, ...]) -> None:
    assert reasons([row]) == expected
    assert reasons([row, row, row]) == expected


@pytest.mark.parametrize(
    ("row", "expected"),
    [(GOOD, (MISSING,)), (oracle.closed_range(CARD, 2, 2), (MISSING,)), (oracle.named(CARD), (UNKNOWN, MISSING))],
)
def test_a_row_about_an_absent_component(row: dict[str, Any], expected: tuple[str, ...]) -> None:
    assert reasons([row], {}) == expected
    assert reasons([row], {CORE: records()[CORE]}) == expected


def test_reasons_are_gathered_over_all_rows_in_one_order() -> None:
    rows = [BAD, oracle.closed_range(CORE, 2, 2), oracle.named(CARD), oracle.exact(oracle.PLAN, "0" * 64), GOOD]
    resolved = {name: record for name, record in records().items() if name in {CARD, CORE}}
    for order in itertools.permutations(rows):
        assert reasons(list(order), resolved) == REQUIREMENT_EVALUATION_REASON_ORDER
    assert reasons([rows[1], rows[0]], resolved) == (MISMATCH, RANGE)


def test_the_requirements_of_the_targets_are_not_evaluated() -> None:
    target = recompute_component(CORE, {}, [oracle.named(CARD)])
    assert reasons([oracle.closed_range(CORE)], {CORE: target}) == ()


@pytest.mark.parametrize("rows", [None, {}, (), "x", 1, MappingProxyType({})])
def test_requirements_are_a_plain_array(rows: Any) -> None:
    call = evaluate_component_requirements
    assert_refused("requirements_type", "requirements#", "an array", "", call, rows, None)


@pytest.mark.parametrize("resolved", [None, [], (), "x", MappingProxyType({})])
def test_resolved_components_are_a_plain_dict(resolved: Any) -> None:
    call = evaluate_component_requirements
    assert_refused("resolved_type", "resolved#", "a plain dict", "", call, [], resolved)


@pytest.mark.parametrize("name", [None, 1, "", "x", "runtime_bundle", "card_schema_content\n", "x" * 26, "x" * 100_000])
def test_resolved_names_are_components(name: Any) -> None:
    call = evaluate_component_requirements
    assert_refused("resolved_names", "resolved#", "a component name", "", call, [], {name: records()[CARD]})


def test_more_than_eleven_resolved_are_refused_unread() -> None:
    resolved: dict[Any, Any] = dict.fromkeys(range(12))
    call = evaluate_component_requirements
    assert_refused("resolved_names", "resolved#", "at most 11 components", "12", call, [], resolved)


def test_4096_rows_are_the_most() -> None:
    assert reasons([GOOD] * 4096) == ()
    call = evaluate_component_requirements
    assert_refused("resource_limits", "requirements#", "at most 4096 rows", "4097", call, [GOOD] * 4097, {})
    assert_refused("resource_limits", "requirements#", "at most 4096", "100000", call, [object()] * 100_000, {})


@pytest.mark.parametrize("value", [None, {}, "x", object()])
def test_a_resolved_null_is_malformed_and_not_missing(value: Any) -> None:
    path, expected = f"resolved#/{CARD}", "exactly a ComponentIdentityV1"
    assert_refused("resolved_record", path, expected, "", evaluate_component_requirements, [], {CARD: value})


def test_a_resolved_record_is_the_valid_one_of_its_name() -> None:
    call = evaluate_component_requirements
    everything = records()
    error = refusal(call, [], {CARD: everything[oracle.BUILD]})
    assert (error.code, error.path) == ("resolved_record", f"resolved#/{CARD}/name")
    forged = replace(everything[CARD], content_digest_sha256="0" * 64)
    path = f"resolved#/{CARD}/content_digest_sha256"
    assert_refused("resolved_record", path, COMPONENT_DIGESTS[CARD], "000", call, [], {CARD: forged})
    assert refusal(call, [GOOD], {CARD: everything[CARD], CORE: forged}).code == "resolved_record"


@pytest.mark.parametrize("row", [None, [], "x", {}, {"component": CARD}, GOOD | {"x": 1}])
def test_a_row_has_exactly_two_members(row: Any) -> None:
    expected = "an object of exactly component, compatible"
    path = "requirements#/1"
    assert_refused("requirement_shape", path, expected, "", evaluate_component_requirements, [GOOD, row], {})


@pytest.mark.parametrize("component", ["runtime_bundle", "unknown_name", "a.b"])
def test_a_row_about_no_component_is_an_error(component: str) -> None:
    path, call = "requirements#/0/component", evaluate_component_requirements
    row = oracle.closed_range(component)
    assert_refused("requirement_component", path, "a component name", component, call, [row], {})


@pytest.mark.parametrize("component", ["", "root", None, 1])
def test_a_rows_component_is_grammatical_first(component: Any) -> None:
    path, call = "requirements#/0/component", evaluate_component_requirements
    row = oracle.closed_range(component)
    assert_refused("requirement_shape", path, "a namespaced name", "", call, [row], {})


def test_a_rows_component_is_judged_before_its_compatible() -> None:
    row = {"component": "runtime_bundle", "compatible": None}
    assert refusal(evaluate_component_requirements, [row], {}).code == "requirement_component"


def test_a_malformed_row_anywhere_wins_over_reasons() -> None:
    broken = oracle.exact(CARD, "short")
    error = refusal(evaluate_component_requirements, [BAD, broken], {})
    assert (error.code, error.path) == ("requirement_shape", "requirements#/1/compatible/content_digest_sha256")


def test_rows_are_strict_json_within_the_document_limits() -> None:
    call = evaluate_component_requirements
    assert_refused("strict_json", "requirements#/0/x", "an integer", "1.5", call, [{"x": 1.5}], {})
    huge = oracle.named(CARD, "a." + "b" * 5_000_000)
    path = "requirements#/0/compatible/predicate"
    assert_refused("resource_limits", path, "at most 1048576 UTF-8 bytes", "", call, [huge], {})
    longest = oracle.named(CARD, "a." + "b" * 1_048_574)
    assert reasons([longest]) == (UNKNOWN,)


@pytest.mark.parametrize(
    ("rows", "resolved", "code"),
    [
        (None, None, "requirements_type"),
        ([object()] * 5000, None, "resolved_type"),
        ([object()] * 5000, {"x": None}, "resolved_names"),
        ([object()] * 4097, {CARD: None}, "resource_limits"),
        ([object()], {CARD: None}, "strict_json"),
        ([None], {CARD: None}, "resolved_record"),
        ([None], {}, "requirement_shape"),
    ],
)
def test_the_earlier_check_is_named(rows: Any, resolved: Any, code: str) -> None:
    assert refusal(evaluate_component_requirements, rows, resolved).code == code


def test_records_are_judged_in_sorted_order_of_their_names() -> None:
    resolved: dict[str, Any] = dict.fromkeys(COMPONENTS[::-1])
    error = refusal(evaluate_component_requirements, [], resolved)
    assert error.path == f"resolved#/{min(COMPONENTS)}"


def test_the_inputs_stay_as_they_were() -> None:
    rows = [oracle.closed_range(CARD, 1.0, 2.0)]
    before = repr(rows)
    reasons(rows)
    assert repr(rows) == before
