"""Every packaged identity case passes on its own, and every expectation that is broken on purpose is noticed."""

import copy
import json
from collections.abc import Iterator
from typing import Any

import pytest

from operatebench.conformance.identity import KINDS, run
from operatebench.conformance.model import Case
from operatebench.conformance.runner import VECTOR_FILE_PROFILE, packaged_files
from operatebench.identity import identity_to_json, recompute_component
from operatebench.identity.strictjson import parse_values

FILES = {
    name: parse_values(data, VECTOR_FILE_PROFILE) for name, data in packaged_files() if name.startswith("identity/")
}
CASES = {case["id"]: case for file in FILES.values() for case in file["cases"]}


def failure_of(case: dict[str, Any]) -> str:
    head = {"vectors": "operatebench.conformance.identity.v1", "about": "", "conventions": [], "count": 1}
    (outcome,) = run({**head, "cases": [case]})
    return outcome.failure


def accepted_of(kind: str) -> dict[str, Any]:
    """Return the packaged case of a kind that expects the most."""
    cases = [case for case in CASES.values() if case["kind"] == kind and "ok" in case["expect"]]
    return copy.deepcopy(max(cases, key=lambda case: len(json.dumps(case["expect"]))))


def broken(value: Any) -> Iterator[Any]:
    """Yield copies of a plain JSON value, each with one leaf changed or one member or item gone."""
    if isinstance(value, dict):
        for name, item in value.items():
            yield {other: kept for other, kept in value.items() if other != name}
            yield from ({**value, name: changed} for changed in broken(item))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield value[:index] + value[index + 1 :]
            yield from ([*value[:index], changed, *value[index + 1 :]] for changed in broken(item))
    elif isinstance(value, str):
        yield value + "0"
    else:
        yield float(value)
        yield not value


def test_ids_are_unique_over_all_files() -> None:
    assert len(CASES) == sum(file["count"] for file in FILES.values())


@pytest.mark.parametrize("case_id", CASES)
def test_case(case_id: str) -> None:
    assert failure_of(CASES[case_id]) == ""


@pytest.mark.parametrize("kind", KINDS)
def test_every_broken_part_of_an_expected_value_is_noticed(kind: str) -> None:
    case = accepted_of(kind)
    expectations = list(broken(case["expect"]["ok"]))

    assert expectations
    for expectation in expectations[:60]:
        assert failure_of({**case, "expect": {"ok": expectation}}) != ""


@pytest.mark.parametrize("kind", KINDS)
def test_a_refusal_that_does_not_come_is_noticed(kind: str) -> None:
    failure = failure_of({**accepted_of(kind), "expect": {"refused": "some_rule"}})

    assert failure.startswith("accepted with ")
    assert failure.endswith("expected the refusal some_rule")


@pytest.mark.parametrize("kind", sorted({case["kind"] for case in CASES.values() if "refused" in case["expect"]}))
def test_a_value_that_does_not_come_is_noticed(kind: str) -> None:
    case = next(case for case in CASES.values() if case["kind"] == kind and "refused" in case["expect"])

    assert failure_of({**case, "expect": {"ok": None}}).startswith("refused with ")


@pytest.mark.parametrize("kind", KINDS)
def test_an_input_with_an_unknown_member_is_never_run(kind: str) -> None:
    case = accepted_of(kind)
    case["input"]["surprise"] = 1

    failure = failure_of({**case, "expect": {"refused": "some_rule"}})

    assert failure == "cannot be run: vector_case at /surprise: expected Extra inputs are not permitted, got 1"


def test_a_start_that_is_refused_does_not_pass_for_the_refusal_under_test() -> None:
    component = {"name": "future_content", "owned_projection": {}, "requires": []}
    given = {"requirements": [], "resolved": [{"key": "card_schema_content", "component": component}]}
    case = {"id": "c", "note": "", "kind": "requirements", "input": given, "expect": {"refused": "resolved_record"}}

    failure = failure_of(case)

    assert failure.startswith("cannot be run: vector_case: expected a start that is accepted, got refused with name")


@pytest.mark.parametrize("member", ["leaves", "forge"])
def test_a_leaf_that_is_not_there_is_no_refusal(member: str) -> None:
    given: dict[str, Any] = {"name": "runtime_bundle", "leaves": []}
    given[member] = {"leaves": ["runtime_bundle"], "forge": {"variant_content": {}}}[member]
    case = {"id": "c", "note": "", "kind": "bundle", "input": given, "expect": {"refused": "leaf_closure"}}

    assert failure_of(case).startswith("cannot be run: vector_case: expected the name of a component that is there")


def test_a_holder_replaces_the_whole_resolver() -> None:
    case = accepted_of("bundle")
    case["input"]["holder"] = {"$gen": "py", "kind": "mapping_proxy"}

    assert failure_of({**case, "host": "python", "expect": {"refused": "leaf_closure"}}) == ""


def test_diff_ops_work_on_the_record_with_names_from_the_map() -> None:
    wire = recompute_component("card_schema_content", {"/fixture/card_schema_content": 0}, [])
    op = {
        "op": "set",
        "root": "record",
        "path": ["components", "card_schema_content"],
        "value": identity_to_json(wire),
    }
    side = {"base": "plain", "forge": [op]}
    case = {"id": "c", "note": "", "kind": "diff", "input": {"old": side, "new": side}, "expect": {"ok": []}}

    assert failure_of(case) == ""


def test_a_case_is_read_strictly() -> None:
    assert Case.model_validate(next(iter(CASES.values()))).kind in KINDS
