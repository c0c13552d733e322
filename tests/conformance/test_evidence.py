"""Every packaged evidence case passes on its own, and a case that says something else than the reader is noticed."""

import copy
import json
from importlib.resources import files
from typing import Any

import pytest

from operatebench.conformance.evidence import run
from operatebench.conformance.judging import Outcome
from operatebench.conformance.resealing import places, reseal, swept
from operatebench.errors import DocumentError

FILE = json.loads(files("operatebench.vectors").joinpath("evidence", "executed_evidence.json").read_bytes())
CASES = {case["name"]: case for case in FILE["cases"]}
BASES = [CASES["solo_base"], CASES["duo_base"]]
ACCEPTED = CASES["solo_base"]["expect"]
REFUSED = {"verdict": "refuse", "marker": "<schema>"}


def file_of(*cases: dict[str, Any], **members: Any) -> dict[str, Any]:
    return {**FILE, "sweeps": [], "count": len(cases), "cases": list(cases), **members}


def outcome_of(**case: Any) -> Outcome:
    return run(file_of(*BASES, {"name": "c", **case}))[-1]


def file_fault(document: Any) -> DocumentError:
    with pytest.raises(DocumentError) as refused:
        run(document)
    return refused.value


def changed(**members: Any) -> dict[str, Any]:
    return {**CASES["solo_base"]["document"], **members}


def test_every_case_and_sweep_passes() -> None:
    outcomes = run(FILE)

    assert [outcome for outcome in outcomes if outcome.failure] == []
    assert [outcome.id for outcome in outcomes] == [
        *CASES,
        "solo_base delete",
        "solo_base substitute",
        "duo_base delete",
        "duo_base substitute",
    ]


def test_all_but_two_codes_are_the_markers() -> None:
    differing = {outcome.id: (outcome.label, outcome.code) for outcome in run(FILE) if outcome.label != outcome.code}

    assert differing == {
        "nan_inside_state": ("strict_json_type", "evidence_json"),  # such a text is no JSON
        "depth_65_containers_innermost_empty": ("accept", "bounded_json_profile"),  # left open, and refused here
    }


@pytest.mark.parametrize(
    ("case", "failure"),
    [
        (
            {"document": CASES["solo_base"]["document"], "expect": REFUSED},
            "accepted with an object with 2 members, expected the refusal schema",
        ),
        ({"text": "{}", "expect": ACCEPTED}, "refused with schema at evidence#"),
        (
            {"document": CASES["solo_base"]["document"], "expect": {**ACCEPTED, "wrapper_bytes": 1}},
            "/wrapper_bytes: expected 1, got 2253",
        ),
        (
            {"document": CASES["solo_base"]["document"], "expect": {**ACCEPTED, "digest": "x"}},
            '/digest: expected "x", got "c8f9af36',
        ),
        (
            {"document": CASES["solo_base"]["document"], "ambiguous": True, "expect": {**ACCEPTED, "digest": "x"}},
            "accepted with an object with 2 members, expected the refusal accept",
        ),
        (
            {
                "generate": {"base": "solo", "path": "/x", "kind": "nulls", "count": 1},
                "expect": REFUSED,
            },
            "cannot be run: vector_case at op 0: expected an op that fits",
        ),
        (
            {
                "generate": {"base": "solo", "path": "/outcome", "kind": "rows", "rows": [[1000, 1000]]},
                "expect": REFUSED,
            },
            "cannot be run: vector_case at /rows: expected rows of at most 1000000 values, got more",
        ),
    ],
)
def test_what_is_not_as_expected_fails(case: dict[str, Any], failure: str) -> None:
    assert outcome_of(**case).failure.startswith(failure)


@pytest.mark.parametrize(
    ("case", "code"),
    [
        ({"text": "{"}, "evidence_json"),
        ({"text": '{"a": 1, "a": 1}'}, "duplicate_key"),
        ({"document": None}, "schema"),
        ({"document": changed(operation_instance_id="opinst_" + 32 * "b")}, "runtime_evidence_digest"),
        ({"generate": {"base": "duo", "path": "/outcome/events", "kind": "nulls", "count": 1}}, "schema"),
        (
            {"generate": {"base": "solo", "path": "/outcome/final_state", "kind": "nest", "levels": 200}},
            "bounded_json_profile",
        ),
        (
            {
                "generate": {
                    "base": "solo",
                    "path": "/outcome/final_state",
                    "kind": "string",
                    "unit": "é",
                    "count": 524_289,
                }
            },
            "string_utf8_bytes",
        ),
    ],
)
def test_every_kind_of_input_reaches_the_reader(case: dict[str, Any], code: str) -> None:
    assert outcome_of(expect=REFUSED, **case) == Outcome("c", label="schema", code=code)


def test_an_open_case_passes_either_way() -> None:
    document = CASES["solo_base"]["document"]

    assert outcome_of(document=document, expect=ACCEPTED, ambiguous=True) == Outcome("c")
    assert outcome_of(text="{", expect=ACCEPTED, ambiguous=True) == Outcome("c", label="accept", code="evidence_json")


def test_a_sweep_that_is_not_refused_everywhere_names_the_place(monkeypatch: pytest.MonkeyPatch) -> None:
    sweep = {"base": "solo_base", "how": "delete", "pointers": 93, "expect": "every one refused"}
    monkeypatch.setattr(
        "operatebench.conformance.evidence.swept",
        lambda base, place, how: base if place == "/outcome/status" else swept(base, place, how),
    )

    assert run(file_of(*BASES, sweeps=[sweep]))[-1] == Outcome(
        "solo_base delete",
        "/outcome/status: accepted with an object with 2 members, expected the refusal refused",
    )


@pytest.mark.parametrize(
    ("document", "path", "expected"),
    [
        (file_of(*BASES, count=3), "/count", "2"),
        (file_of(BASES[0], BASES[0]), "/cases/1/name", "a name no other case has"),
        (file_of(*BASES, format="execution-ledger-vectors"), "/format", "Input should be 'evidence-v1-vectors'"),
        (
            file_of({"name": "c", "expect": ACCEPTED}),
            "/cases/0",
            "Value error, exactly one of document, text and generate",
        ),
        (
            file_of({"name": "c", "expect": ACCEPTED, "text": "", "document": 1}),
            "/cases/0",
            "Value error, exactly one of document, text and generate",
        ),
        (
            file_of({"name": "c", "text": "", "expect": {"verdict": "refuse"}}),
            "/cases/0/expect/refuse/marker",
            "Field required",
        ),
        (
            file_of(
                {
                    "name": "c",
                    "expect": REFUSED,
                    "generate": {"base": "solo", "path": "", "kind": "nulls", "count": 1},
                }
            ),
            "/cases/0/generate/base",
            "the name of a base",
        ),
        (
            file_of(
                *BASES,
                sweeps=[{"base": "trio_base", "how": "delete", "pointers": 1, "expect": "every one refused"}],
            ),
            "/sweeps/0/base",
            "the name of a case with a document",
        ),
        (
            file_of(
                *BASES,
                sweeps=[{"base": "solo_base", "how": "delete", "pointers": 92, "expect": "every one refused"}],
            ),
            "/sweeps/0/pointers",
            "93",
        ),
    ],
)
def test_a_file_of_another_shape_is_never_run(document: Any, path: str, expected: str) -> None:
    fault = file_fault(document)

    assert (fault.code, fault.path, fault.expected) == ("vector_file", path, expected)


def test_the_bases_are_resealed_to_what_they_are() -> None:
    for case in BASES:
        document = copy.deepcopy(case["document"])
        reseal(document)
        assert document == case["document"]


@pytest.mark.parametrize(
    ("value", "other"),
    [
        (None, 0),
        (True, False),
        (1, 2),
        ("", "z"),
        ([], [None]),
        ([1], []),
        ({}, {"unowned": 1}),
        ({"a": 1}, {}),
    ],
)
def test_substitutes_are_those_of_the_language(value: Any, other: Any) -> None:
    document = {"a/~": [value]}

    assert places(document)[:2] == ["/a~1~0", "/a~1~0/0"]
    assert swept(document, "/a~1~0/0", "substitute") == {"a/~": [other]}
    assert swept(document, "/a~1~0/0", "delete") == {"a/~": []}
    assert document == {"a/~": [value]}
