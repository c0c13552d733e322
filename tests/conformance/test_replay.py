"""The packaged replay vectors say what their maker says, and a case that says otherwise than the package is noticed."""

import json
from importlib.resources import files
from typing import Any

import pytest

from operatebench.conformance.judging import Outcome
from operatebench.conformance.replay import run
from operatebench.errors import DocumentError
from tests.conformance.automata import AUTOMATON
from tests.conformance.replay_vectors import document, render

TEXT = files("operatebench.vectors").joinpath("replay", "bundles.json").read_bytes()
FILE = json.loads(TEXT)
CASES = {case["name"]: case for case in FILE["cases"]}
GOOD = CASES["careful by reference"]


def file_of(*cases: dict[str, Any], **members: Any) -> dict[str, Any]:
    return {**FILE, "count": len(cases), "cases": list(cases), **members}


def outcome_of(case: dict[str, Any]) -> Outcome:
    (outcome,) = run(file_of(case))
    return outcome


def test_the_file_is_what_its_maker_makes() -> None:
    assert render(document()) == TEXT
    assert len(TEXT) < 300_000


def test_every_case_passes_with_its_code() -> None:
    outcomes = run(FILE)

    assert [outcome.id for outcome in outcomes if outcome.failure or outcome.label != outcome.code] == []
    assert {outcome.said.split()[0] for outcome in outcomes} >= {
        "verified", "replayed", "diverged", "consistent_only", "refused", "regraded", "complete", "incomplete"
    }  # fmt: skip


@pytest.mark.parametrize(
    ("name", "change", "said"),
    [
        ("careful by reference", {"verdict": "replayed"}, "/verdict"),
        ("member_changed by reference", {"verdict": "refused", "check": "2"}, "/check"),
        ("ledger of careful", {"verdict": "complete", "rows": 4}, "/rows"),
        ("ledger of ledger_torn", {"verdict": "refused", "line": 6}, "/line"),
        ("regrade of careful by reference", {"verdict": "refused", "code": "x"}, "/verdict"),
    ],
)
def test_a_wrong_expectation_fails(name: str, change: dict[str, Any], said: str) -> None:
    assert said in outcome_of({**CASES[name], "expect": {**CASES[name]["expect"], **change}}).failure


def test_another_code_is_a_note_and_no_failure() -> None:
    case = CASES["member_changed by reference"]
    outcome = outcome_of({**case, "expect": {**case["expect"], "code": "other"}})

    assert (outcome.failure, outcome.label, outcome.code) == ("", "other", "member_digest")


def broken_automaton(**members: Any) -> dict[str, Any]:
    automaton = {**FILE["runtimes"]["reference"]["automaton"], **members}
    return {"runtimes": {"reference": {"automaton": automaton}}}


@pytest.mark.parametrize(
    ("members", "path"),
    [
        ({"count": 2}, "/count"),
        ({"cases": [GOOD, GOOD], "count": 2}, "/cases/1/name"),
        ({"cases": [{**GOOD, "folder": "x"}]}, "/cases/0/folder"),
        ({"cases": [{**CASES["ledger of careful"], "folder": "empty"}]}, "/cases/0/folder"),
        ({"cases": [{**GOOD, "runtime": "x"}]}, "/cases/0/runtime"),
        ({"folders": {"a": {"base": "b"}, "b": {}}}, "/folders/a/base"),
        ({"folders": {"careful": {"files": {"../x.json": ""}}}}, "/folders/careful/files/../x.json/[key]"),
        (
            {"folders": {"a": {"files": {"x.json": "é"}}, "careful": {
                "base": "a", "splices": {"x.json": [{"start": 0, "end": 2, "text": ""}]}}}},
            "/folders/careful/splices/x.json",
        ),
        ({"runtimes": {"reference": {"base": "x"}}}, "/runtimes/reference/base"),
        ({"runtimes": {**FILE["runtimes"], "x": {"base": "hasty"}}}, "/runtimes/x/base"),
        (
            {"runtimes": {**FILE["runtimes"], "x": {"base": "recorded", "patch": [{"op": "remove", "path": "/y"}]}}},
            "/runtimes/x/patch",
        ),
        (broken_automaton(max_steps=1_001), "/runtimes/reference/max_steps"),
        (broken_automaton(start="nowhere"), "/runtimes/reference"),
        (broken_automaton(agents={"careful": {"projection": {}, "decisions": {}}}), "/runtimes/reference"),
        (broken_automaton(projections={}), "/runtimes/reference"),
        (broken_automaton(selection={"track": "x"}), "/runtimes/reference/selection/pack"),
        (broken_automaton(starts_at="2032-02-30T00:00:00Z"), "/runtimes/reference"),
        (broken_automaton(spec_sha256="A" * 64), "/runtimes/reference/spec_sha256"),
        (broken_automaton(cards={name: {} for name in AUTOMATON["cards"]}), "/runtimes/reference"),
        (
            broken_automaton(agents={"a": {"projection": {}, "decisions": {"opened": {"n": 2**60}}}}),
            "/runtimes/reference",
        ),
        (broken_automaton(extra=1), "/runtimes/reference/extra"),
    ],
)  # fmt: skip
def test_a_file_that_breaks_the_rules_is_refused_and_nothing_runs(members: dict[str, Any], path: str) -> None:
    with pytest.raises(DocumentError) as refused:
        run(file_of(GOOD, **members))

    assert (refused.value.code, refused.value.path.replace("~1", "/")) == ("vector_file", path)
