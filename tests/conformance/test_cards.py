"""Every packaged card case passes on its own, and a case that says something else than the reader is noticed."""

import copy
import json
from importlib.resources import files
from typing import Any

import pytest

from operatebench.conformance.cards import run, run_digests
from operatebench.conformance.judging import Outcome
from operatebench.errors import DocumentError

FOLDER = files("operatebench.vectors").joinpath("cards")
FILES = {name: json.loads(FOLDER.joinpath(f"{name}.json").read_bytes()) for name in ("accepts", "refusals")}
CASES = {case["name"]: case for file in FILES.values() for case in file["cases"]}
SHEET = json.loads(FOLDER.joinpath("digests.json").read_bytes())


def file_of(*cases: dict[str, Any], **members: Any) -> dict[str, Any]:
    return {"vectors": "operatebench.conformance.cards.v1", "count": len(cases), "cases": list(cases), **members}


def outcome_of(**case: Any) -> Outcome:
    (outcome,) = run(file_of({"name": "c", "target": "operation", "expected": "accepted", **case}))
    return outcome


def refusal_of(**case: Any) -> Outcome:
    return outcome_of(**{"expected": "refused", "stage": "some", "reason": "rule", **case})


def file_fault(document: Any) -> DocumentError:
    with pytest.raises(DocumentError) as refused:
        run(document)
    return refused.value


def replace(path: str, value: Any) -> dict[str, Any]:
    return {"op": "replace", "path": path, "value": value}


def test_names_are_unique_over_all_files() -> None:
    assert len(CASES) == sum(file["count"] for file in FILES.values()) == 529


@pytest.mark.parametrize("name", CASES)
def test_case(name: str) -> None:
    assert run(file_of(CASES[name]))[0].failure == ""


def test_a_refusal_that_does_not_come_is_noticed() -> None:
    assert refusal_of().failure == 'accepted with "accepted", expected the refusal some.rule'


def test_a_refusal_that_should_not_come_is_noticed() -> None:
    outcome = outcome_of(patch={"operation": [replace("/id", "Upper")]})

    assert outcome.failure.startswith("refused with shape.lexical at card#/id: expected ")


def test_a_refusal_under_another_label_passes_and_is_named() -> None:
    assert refusal_of(raw="[]") == Outcome("c", label="some.rule", code="shape.root_not_object")


@pytest.mark.parametrize(
    ("case", "code"),
    [
        ({"raw": "{"}, "parse.syntax"),
        ({"raw": "\ufeff{}"}, "parse.syntax"),
        ({"raw_hex": "ff"}, "parse.not_utf8"),
        ({"raw_repeat": [["[", 65], ["]", 65]]}, "parse.too_deep"),
        ({"edit": [['"id": "damp', '"id": 1.5, "x": "']]}, "parse.float"),
        ({"edit": [["{", {"$repeat": ["{", 2]}]]}, "parse.syntax"),
        ({"patch": {"operation": [replace("/content/policy_contract/horizon_minutes", 0)]}}, "shape.number_bounds"),
        ({"patch": {"operation": [replace("/id", "x")]}, "no_repin": ["operation"]}, "digest.stale_or_forged"),
        ({"target": "scenario", "references": []}, "references.unresolved"),
        ({"target": "variant", "references": ["operation"]}, "references.unresolved"),
        ({"target": "scenario", "references": ["operation", "operation"]}, "references.ambiguous"),
        ({"target": "scenario", "extra_references": [{"copy_of": "operation"}]}, "references.ambiguous"),
        ({"target": "scenario", "extra_references": [{"value": 1}]}, "references.target_not_object"),
        (
            {"target": "scenario", "extra_references": [{"value": {"schema": "x", "id": "y"}, "times": 2}]},
            "references.ambiguous",
        ),
        (
            {
                "target": "scenario",
                "extra_references": [{"copy_of": "operation", "patch": [replace("/id", "x")], "no_repin": True}],
            },
            "references.target_invalid",
        ),
        (
            {
                "target": "variant",
                "no_relink": ["scenario"],
                "patch": {"operation": [replace("/id", "x")]},
            },
            "references.target_invalid",
        ),
    ],
)
def test_every_member_of_a_case_reaches_the_reader(case: dict[str, Any], code: str) -> None:
    assert refusal_of(**case).code == code


@pytest.mark.parametrize(
    "case",
    [
        {"target": "variant", "references": ["scenario", "operation"]},
        {"target": "scenario", "extra_references": [{"copy_of": "operation", "patch": [replace("/id", "x")]}]},
        {"target": "scenario", "extra_references": [{"value": 1, "times": 0}]},
        {"target": "variant", "patch": {"operation": [replace("/id", "x")]}},
        {"edit": [["{", {"$repeat": [" ", 9_000_000]}], [" " * 9, "{"]]},
        {"edit": [["damp", "damp"], ["damp", "damp"]], "note": "no change"},
    ],
)
def test_inputs_that_differ_where_nothing_counts_are_accepted(case: dict[str, Any]) -> None:
    assert outcome_of(**case) == Outcome("c")


@pytest.mark.parametrize(
    ("case", "reason"),
    [
        (
            {"edit": [["nowhere", ""]]},
            'vector_case at /edit/0: expected a text of the file, and one in its place, got "nowhere"',
        ),
        (
            {"edit": [["damp", 1]]},
            'vector_case at /edit/0: expected a text of the file, and one in its place, got "damp"',
        ),
        ({"raw_hex": "0g"}, 'vector_case at /raw_hex: expected hexadecimal digits, got "0g"'),
        ({"raw_repeat": [["a", -1]]}, "vector_case at /raw_repeat/0: expected a text and how often it comes, got -1"),
        (
            {"raw_repeat": [["a", 2**40]]},
            "vector_case at /raw_repeat/0: expected a text and how often it comes, got 1099511627776",
        ),
        (
            {"raw_repeat": [["a", True]]},
            "vector_case at /raw_repeat/0: expected a text and how often it comes, got true",
        ),
        (
            {"patch": {"operation": [{"op": "remove", "path": "/x"}]}},
            "vector_case at op 0: expected an op that fits what stands at its path, got remove /x: KeyError 'x'",
        ),
    ],
)
@pytest.mark.parametrize("judge", [outcome_of, refusal_of])
def test_an_input_that_cannot_be_built_fails_whatever_is_expected(
    judge: Any, case: dict[str, Any], reason: str
) -> None:
    assert judge(**case).failure == f"cannot be run: {reason}"


@pytest.mark.parametrize(
    ("change", "path", "expected"),
    [
        ({"surprise": 1}, "/cases/0/surprise", "Extra inputs are not permitted"),
        ({"target": "policy"}, "/cases/0/target", "Input should be 'operation', 'scenario' or 'variant'"),
        ({"expected": "maybe"}, "/cases/0/expected", "Input should be 'accepted' or 'refused'"),
        ({"raw": "", "raw_hex": ""}, "/cases/0", "Value error, at most one of edit, raw, raw_hex and raw_repeat"),
        (
            {"raw": "", "edit": [["a", "b"]]},
            "/cases/0",
            "Value error, at most one of edit, raw, raw_hex and raw_repeat",
        ),
        ({"stage": "shape"}, "/cases/0", "Value error, stage and reason belong to refused cases, and to no other"),
        ({"expected": "refused"}, "/cases/0", "Value error, stage and reason belong to refused cases, and to no other"),
        (
            {"expected": "refused", "stage": "shape"},
            "/cases/0",
            "Value error, stage and reason belong to refused cases, and to no other",
        ),
        ({"references": ["other"]}, "/cases/0/references/0", "Input should be 'operation', 'scenario' or 'variant'"),
        ({"edit": [["a"]]}, "/cases/0/edit/0", "List should have at least 2 items after validation, not 1"),
    ],
)
def test_a_case_of_another_shape_is_never_run(change: dict[str, Any], path: str, expected: str) -> None:
    fault = file_fault(file_of({"name": "c", "target": "operation", "expected": "accepted", **change}))

    assert (fault.code, fault.path, fault.expected) == ("vector_file", path, expected)


def test_an_unknown_op_is_never_run() -> None:
    patch = {"operation": [{"op": "move", "path": "/id"}]}
    fault = file_fault(file_of({"name": "c", "target": "operation", "expected": "accepted", "patch": patch}))

    assert (fault.code, fault.path) == ("vector_file", "/cases/0/patch/operation/0")


def test_a_file_states_how_many_cases_it_has_and_names_each_once() -> None:
    case = CASES["base.operation"]
    miscounted, repeated = file_fault(file_of(case, count=2)), file_fault(file_of(case, case))

    assert (miscounted.path, miscounted.expected, miscounted.actual) == ("/count", "1", "2")
    assert (repeated.path, repeated.expected) == ("/cases/1/name", "a name no other case has")
    assert repeated.actual == '"base.operation"'


def test_every_row_of_the_digests_passes() -> None:
    outcomes = run_digests(SHEET)

    assert [outcome.failure for outcome in outcomes] == [""] * 9
    assert outcomes[0].id == "operation.json"
    assert outcomes[-1].id == "empty-content"


@pytest.mark.parametrize(
    ("rows", "index", "member"),
    [
        *(("cards", index, member) for index in range(3) for member in SHEET["cards"][0] if member != "file"),
        *(
            ("digest_only", index, member)
            for index in range(6)
            for member in ("canonical_content_hex", "content_digest_sha256")
        ),
    ],
)
def test_every_broken_digest_is_noticed(rows: str, index: int, member: str) -> None:
    sheet = copy.deepcopy(SHEET)
    value = sheet[rows][index][member]
    sheet[rows][index][member] = value + 1 if isinstance(value, int) else value + "0"

    failures = [outcome.failure for outcome in run_digests(sheet) if outcome.failure]

    assert len(failures) == 1
    assert failures[0].startswith(f"/{member}: expected ")


def test_a_row_of_a_file_that_is_no_sample_fails() -> None:
    sheet = copy.deepcopy(SHEET)
    sheet["cards"][0]["file"] = "../operation.json"

    assert run_digests(sheet)[0].failure == (
        'cannot be run: vector_case at /file: expected a sample card, got "../operation.json"'
    )


def test_digests_of_another_shape_are_refused() -> None:
    with pytest.raises(DocumentError) as refused:
        run_digests({**SHEET, "cards": [{}]})

    assert (refused.value.code, refused.value.path) == ("vector_file", "/cards/0/file")
