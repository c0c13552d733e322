"""The packaged authority vectors say what their maker says, and a case that says otherwise is noticed."""

import json
from importlib.resources import files
from typing import Any

import pytest

from operatebench.authority import REASONS
from operatebench.conformance.authority import run
from operatebench.errors import DocumentError
from tests.conformance.authority_file import document, render

TEXT = files("operatebench.vectors").joinpath("authority", "authority.json").read_bytes()
FILE = json.loads(TEXT)
CASES = {case["name"]: case for case in FILE["cases"]}
GOOD = CASES["admit first_use"]


def file_of(*cases: dict[str, Any], **members: Any) -> dict[str, Any]:
    return {**FILE, "count": len(cases), "cases": list(cases), **members}


def test_the_file_is_what_its_maker_makes() -> None:
    assert render(document()) == TEXT
    assert len(TEXT) < 160_000


def test_every_case_passes() -> None:
    assert [outcome for outcome in run(FILE) if outcome.failure] == []


def test_every_reason_stands_alone_and_in_its_order() -> None:
    lists = [case["expect"]["reasons"] for case in FILE["cases"] if case["kind"] == "admit"]

    alone = {reasons[0] for reasons in lists if len(reasons) == 1}
    assert alone == set(REASONS)
    assert all(reasons == sorted(set(reasons), key=REASONS.index) for reasons in lists)


@pytest.mark.parametrize(
    ("name", "change", "said"),
    [
        ("digest good", {"verified": False}, "/verified"),
        ("digest unsigned", {"digest": "0" * 64}, "/digest"),
        ("read good", {"verdict": "refused"}, "/verdict"),
        ("read serial_zero", {"path": ""}, "/path"),
        ("register_row 1 seen", {"digest": "0" * 64}, "/digest"),
        ("register_chain all_kinds", {"head": "0" * 64}, "/head"),
        ("register_chain use_twice", {"row": 2}, "/row"),
        ("admit first_use", {"use_index": 2}, "/use_index"),
        ("admit uses_exhausted", {"reasons": []}, "/reasons"),
    ],
)
def test_a_wrong_expectation_fails(name: str, change: dict[str, Any], said: str) -> None:
    case = CASES[name]
    (outcome,) = run(file_of({**case, "expect": {**case["expect"], **change}}))

    assert said in outcome.failure


@pytest.mark.parametrize(
    ("members", "path"),
    [
        ({"count": 2}, "/count"),
        ({"cases": [GOOD, GOOD], "count": 2}, "/cases/1/name"),
        ({"cases": [{**GOOD, "document": "x"}]}, "/cases/0/document"),
        ({"cases": [{**GOOD, "trust": "x"}]}, "/cases/0/trust"),
        ({"cases": [{**GOOD, "now": "2031-02-29T00:00:00Z"}]}, "/cases/0/now"),
        ({"cases": [{**GOOD, "register": [{"do": "revoke", "document": "x", "now": GOOD["now"]}]}]},
         "/cases/0/register/0/document"),
        ({"register_made_at": ""}, "/register_made_at"),
        ({"documents": {"a": {"base": "b"}}}, "/documents/a/base"),
        ({"documents": {"a": {}}}, "/documents/a"),
        ({"documents": {"a": {"value": 1}, "b": {"base": "a", "patch": [{"op": "remove", "path": "/x"}]}}},
         "/documents/b/patch"),
        ({"lives": {"here": {"value": {}}}}, "/lives/here/source_identity_digest_sha256"),
        ({"trusts": {"issuer": {"issuers": [{"name": "n", "key": "x"}]}}}, "/trusts/issuer/issuers/0/key"),
    ],
)  # fmt: skip
def test_a_file_that_breaks_the_rules_is_refused_and_nothing_runs(members: dict[str, Any], path: str) -> None:
    with pytest.raises(DocumentError) as refused:
        run(file_of(GOOD, **members))

    assert (refused.value.code, refused.value.path) == ("vector_file", path)
