"""Whole files: every packaged one passes, and a file that is not what it says is refused before anything runs."""

import json
from typing import Any

import pytest

from operatebench.conformance.runner import LANGUAGES, FailedCase, FileReport, OtherCode, packaged_files, run_file
from operatebench.errors import DocumentError, IdentityValidationError

LANGUAGE = "operatebench.conformance.identity.v1"


def case(case_id: str = "one", **members: Any) -> dict[str, Any]:
    expect = {"ok": {"bytes": 1, "sha256": "5feceb66ffc86f38d952786c6d696c79c2dbc239dd4e91b46729d73a27fb57e9"}}
    expect["ok"]["canonical_utf8_hex"] = "30"
    return {"id": case_id, "note": "", "kind": "canonical", "input": {"value": 0}, "expect": expect, **members}


def file_of(*cases: dict[str, Any], **members: Any) -> bytes:
    head = {"vectors": LANGUAGE, "about": "", "conventions": [], "count": len(cases)}
    return json.dumps({**head, "cases": cases, **members}).encode()


def refusal_of(data: bytes) -> DocumentError:
    with pytest.raises(DocumentError) as refused:
        run_file(data, "x.json")
    return refused.value


def test_the_packaged_files_are_found_without_golden_documents_and_sample_cards() -> None:
    names = [name for name, _ in packaged_files()]

    assert names == [
        "authority/authority.json",
        *(f"cards/{name}.json" for name in ("accepts", "digests", "refusals")),
        *(f"evidence/{name}.json" for name in ("build_provenance", "clean_tree", "clean_tree_golden")),
        "evidence/executed_evidence.json",
        *(f"identity/{name}.json" for name in ("accept", "diff", "refuse", "requirements")),
        "replay/bundles.json",
    ]


@pytest.mark.parametrize(
    ("name", "cases"),
    [
        ("cards/accepts.json", 38),
        ("cards/digests.json", 9),
        ("cards/refusals.json", 491),
        ("evidence/build_provenance.json", 15),
        ("evidence/clean_tree.json", 30),
        ("evidence/clean_tree_golden.json", 5),
        ("evidence/executed_evidence.json", 101),
        ("identity/accept.json", 55),
        ("identity/refuse.json", 133),
        ("identity/requirements.json", 49),
        ("identity/diff.json", 50),
    ],
)
def test_every_packaged_file_passes(name: str, cases: int) -> None:
    report = run_file(dict(packaged_files())[name], name)

    assert report.failures == ()
    assert report.line() == f"{name}: {cases} cases, {cases} passed"


def test_the_notes_of_the_card_refusals_are_the_labels_we_do_not_share() -> None:
    notes = run_file(dict(packaged_files())["cards/refusals.json"], "x").notes

    assert {(note.id, note.label, note.code) for note in notes} == {
        ("parse.constant-nan", "parse.constant", "parse.syntax"),
        ("parse.constant-infinity", "parse.constant", "parse.syntax"),
        ("lexical.name.empty", "shape.string_length", "shape.lexical"),
    }


def test_a_report_names_what_failed_and_what_was_refused_otherwise() -> None:
    refused = {"kind": "component", "input": {"name": "x", "owned_projection": {}, "requires": []}}
    cases = [
        case(),
        case("two", input={"value": 1}),
        case("three", **refused, expect={"refused": "field_path"}),
        case("four", **refused, expect={"refused": "name"}),
    ]

    report = run_file(file_of(*cases), "some.json")

    reason = (
        '/sha256: expected "5feceb66ffc86f38d952786c6d696c79c2dbc239dd4e91b46729d73a27fb57e9", '
        'got "6b86b273ff34fce19d6b804eff5a3f5747ada4eaa22f1d49c01e52ddb7875b4b"'
    )
    assert report == FileReport(
        name="some.json",
        language=LANGUAGE,
        cases=4,
        failures=(FailedCase("two", reason),),
        notes=(OtherCode("three", "field_path", "name"),),
        answers=(),
    )
    assert report.line() == "some.json: 4 cases, 3 passed"
    assert report.to_json() == {
        "name": "some.json",
        "language": LANGUAGE,
        "cases": 4,
        "passed": 3,
        "failures": [{"id": "two", "reason": reason}],
        "notes": [{"id": "three", "label": "field_path", "code": "name"}],
        "answers": [],
    }


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"{", "strict_json"),
        (b'{"vectors": 1, "vectors": 1}', "strict_json"),
        (b'{"count": 1.0}', "strict_json"),
        (b'{"count": NaN}', "strict_json"),
        (b'{"note": "\\ud800"}', "strict_json"),
        (b'{"note": "\xff"}', "strict_json"),
        (b"[" * 129 + b"]" * 129, "resource_limits"),
    ],
)
def test_a_file_that_is_no_strict_json_is_refused(data: bytes, code: str) -> None:
    with pytest.raises(IdentityValidationError) as refused:
        run_file(data, "x.json")

    assert refused.value.code == code


@pytest.mark.parametrize("integer", [-(2**53), 2**63, -(2**63) - 1, 2**64, 10**100])
def test_integers_of_any_size_may_stand_in_a_file(integer: int) -> None:
    report = run_file(file_of(case(input={"value": integer}, expect={"refused": "strict_json"})), "x.json")

    assert (report.failures, report.notes) == ((), ())


@pytest.mark.parametrize(
    ("data", "actual"),
    [
        (b"[]", "null"),
        (b"{}", "null"),
        (file_of(vectors="operatebench.conformance.identity.v2"), '"operatebench.conformance.identity.v2"'),
        (file_of(vectors=["x"]), "an array of 1 items"),
    ],
)
def test_an_unknown_language_is_refused(data: bytes, actual: str) -> None:
    refused = refusal_of(data)

    assert (refused.code, refused.path, refused.actual) == ("document_kind", "/vectors", actual)
    known = ",".join(LANGUAGES).replace("operatebench.conformance.", " ").lstrip()
    assert refused.expected == f"a known vector language: operatebench.conformance.{{{known}}}"


@pytest.mark.parametrize(
    ("data", "path", "expected", "actual"),
    [
        (file_of(case(), count=2), "/count", "1", "2"),
        (file_of(case(), case()), "/cases/1/id", "an id no other case has", '"one"'),
        (file_of(case(kind="dance")), "/cases/0/kind", "a kind of case of this language", '"dance"'),
        (file_of(case(extra=1)), "/cases/0/extra", "Extra inputs are not permitted", "1"),
        (file_of(case(host="rust")), "/cases/0/host", "Input should be 'python'", '"rust"'),
        (file_of(case(input=[])), "/cases/0/input", "Input should be a valid dictionary", "an array of 0 items"),
        (file_of(count=True), "/count", "Input should be a valid integer", "true"),
    ],
)
def test_a_file_that_breaks_its_language_is_refused(data: bytes, path: str, expected: str, actual: str) -> None:
    refused = refusal_of(data)

    assert (refused.code, refused.path, refused.actual) == ("vector_file", path, actual)
    assert refused.expected == expected


@pytest.mark.parametrize("expect", [{}, {"ok": 1, "refused": "name"}, {"refused": None}])
def test_an_expectation_is_exactly_one_of_ok_and_refused(expect: dict[str, Any]) -> None:
    refused = refusal_of(file_of(case(expect=expect)))

    assert (refused.code, refused.path) == ("vector_file", "/cases/0/expect")
    assert refused.expected == "Value error, exactly one of ok and refused, and refused is a text"


@pytest.mark.parametrize("missing", ["about", "conventions", "count", "cases"])
def test_a_file_has_all_its_members(missing: str) -> None:
    document = json.loads(file_of(case()))
    del document[missing]

    refused = refusal_of(json.dumps(document).encode())

    assert (refused.code, refused.path, refused.expected) == ("vector_file", f"/{missing}", "Field required")
