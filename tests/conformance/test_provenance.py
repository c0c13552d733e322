"""The formats of source trees and build descriptors: cases pass, other answers are noticed, misfits are refused."""

import json
from importlib.resources import files
from typing import Any

import pytest

from operatebench.conformance.judging import Outcome
from operatebench.conformance.provenance import run_builds, run_trees
from operatebench.conformance.runner import run_file
from operatebench.errors import DocumentError

FOLDER = files("operatebench.vectors").joinpath("evidence")
TREES, BUILDS = (
    json.loads(FOLDER.joinpath(name).read_bytes()) for name in ("clean_tree.json", "build_provenance.json")
)
CHECKOUT = BUILDS["cases"][0]["document"]


def trees(*cases: dict[str, Any], **members: Any) -> dict[str, Any]:
    return {**TREES, "count": len(cases), "cases": list(cases), **members}


def tree(expect: dict[str, Any], **members: Any) -> Outcome:
    (outcome,) = run_trees(trees({"name": "c", "expect": expect, **members}))
    return outcome


def refuse(code: str) -> dict[str, Any]:
    return {"verdict": "refuse", "code": code}


@pytest.mark.parametrize("absent", [{}, {"content_hex": None}, {"content": None}])
def test_content_that_is_not_there_could_not_be_read(absent: dict[str, Any]) -> None:
    entries = [
        {"mode": "100644", "path_hex": "62", "content_hex": ""},
        {"mode": "100644", "path_hex": "61", **absent},
    ]

    assert tree(refuse("unreadable_bytes"), entries=entries).failure == ""


def test_another_answer_than_ours_fails() -> None:
    entries = [{"mode": "100644", "path_hex": "61", "content_hex": ""}]
    accepted = {"verdict": "accept", "sha256": "0", "framed_bytes": 73}

    assert tree(accepted, entries=entries).failure.startswith('/sha256: expected "0", got "')
    assert tree(refuse("unsafe_path"), entries=entries).failure.startswith("accepted with ")
    assert tree(refuse("unsafe_path"), length=-1).failure == "refused with frame_length_overflow, expected unsafe_path"
    assert tree(refuse("frame_length_overflow"), length=0).failure.startswith("accepted with ")
    cases = [{"name": "a", "document": {}, "expect": "accept"}, {"name": "b", "document": CHECKOUT, "expect": "refuse"}]
    failures = [outcome.failure for outcome in run_builds({**BUILDS, "count": 2, "cases": cases})]
    assert failures[0].startswith("refused with build_descriptor_shape: ")
    assert failures[1].startswith("accepted with ")


ONE = {"name": "c", "length": 0, "expect": refuse("x")}


@pytest.mark.parametrize(
    ("document", "path"),
    [
        (trees(ONE, count=2), "/count"),
        (trees(ONE, ONE), "/cases/1/name"),
        (trees({**ONE, "entries": []}), "/cases/0"),
        (trees({"name": "c", "expect": refuse("x")}), "/cases/0"),
        (trees({**ONE, "expect": {"verdict": "accept", "sha256": "", "framed_bytes": 0}}), "/cases/0"),
        (
            trees({**ONE, "length": None, "entries": [{"mode": "", "path_hex": "A0"}]}),
            "/cases/0/entries/0/path_hex",
        ),
        ({**BUILDS, "count": 1}, "/count"),
        ({**TREES, "format": "other"}, "/format"),
        ({**TREES, "format": []}, "/format"),
    ],
)
def test_a_file_of_another_shape_is_never_run(document: dict[str, Any], path: str) -> None:
    with pytest.raises(DocumentError) as refused:
        run_file(json.dumps(document).encode(), "x")

    assert (refused.value.code, refused.value.path) == ("vector_file", path)
