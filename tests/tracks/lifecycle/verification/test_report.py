"""The report of a verification as plain JSON: all checks in order, the verdict, and what no verdict says."""

import json
from pathlib import Path

import pytest

from operatebench.errors import CapabilityError
from operatebench.replay.regrade import regrade
from operatebench.replay.verify import MEANINGS, NOT_ESTABLISHED, Verdict
from tests.tracks.lifecycle.verification.forging import Forgery, runtime, verifier

MEMBERS = [
    "verdict",
    "meaning",
    "checks",
    "refusal",
    "agent",
    "writer",
    "artifact_digest_sha256",
    "comparison",
    "first_divergence",
    "not_established",
]
ORDER = ["0", "1", "2", "3", "4a", "4b", "5", "6", "7", "8", "9", "10", "11", "12"]


def test_of_a_verified_bundle(original: Path) -> None:
    wire = verifier().verify(original).to_wire()

    assert list(wire) == MEMBERS
    assert json.loads(json.dumps(wire)) == wire
    artifact = json.loads((original / "artifact.json").read_bytes())
    assert (wire["verdict"], wire["meaning"]) == ("verified", MEANINGS[Verdict.VERIFIED])
    assert wire["writer"] == artifact["writer"]
    assert wire["artifact_digest_sha256"] == artifact["artifact_digest_sha256"]
    assert wire["not_established"] == list(NOT_ESTABLISHED)
    assert [row["check"] for row in wire["checks"]] == ORDER
    assert {tuple(row) for row in wire["checks"]} == {("check", "name", "state", "detail", "refusal")}
    assert (wire["refusal"], wire["first_divergence"], wire["agent"]) == (None, None, "reproduced")


def test_of_a_run_that_went_another_way(forgery: Forgery, tmp_path: Path) -> None:
    forgery.evidence["outcome"]["trajectory"][9]["\x1b[31m/~"] = "\x1b[31m"

    report = forgery.bind().verified(tmp_path)
    wire = report.to_wire()

    assert wire["first_divergence"] == {
        "part": "row",
        "index": 9,
        "field": "/\\x1b[31m~1~0",
        "recorded": '"\\\\x1b[31m"'.replace("\\\\", "\\"),
        "replayed": "nothing there",
    }
    assert wire["refusal"]["path"] == "evidence.json row 9 /\\x1b[31m~1~0"
    assert [row["state"] for row in wire["checks"]][-3:] == ["failed", "not_reached", "passed"]
    assert wire["checks"][-1]["detail"] == "diverged"
    assert wire["checks"][-2]["detail"] == "needs check 10 replay"


def test_of_nothing(tmp_path: Path) -> None:
    wire = verifier().verify(tmp_path / "no").to_wire()

    assert (wire["verdict"], wire["writer"], wire["comparison"], wire["agent"]) == ("refused", None, None, "not run")
    assert [row["state"] for row in wire["checks"]] == ["not_reached", "failed", *["not_reached"] * 11, "passed"]


def test_two_reports_of_one_bundle_are_equal(original: Path) -> None:
    assert verifier().verify(original).to_wire() == verifier().verify(original).to_wire()


def test_a_replay_gives_the_right_to_one_regrade(original: Path, tmp_path: Path, forgery: Forgery) -> None:
    capability = verifier().replay_exactly(original)
    document = regrade(capability, runtime())

    assert document["evaluation"] == json.loads((original / "evaluation.json").read_bytes())
    with pytest.raises(CapabilityError) as used:
        regrade(capability, runtime())
    assert used.value.code == "capability_used"

    forgery.evaluation["load"]["decisions"] += 1  # a grade that is another one is what a regrade is for
    assert forgery.bind().verified(tmp_path).verdict is Verdict.DIVERGED
    assert regrade(verifier().replay_exactly(tmp_path), runtime())["evaluation"] == document["evaluation"]


@pytest.mark.parametrize("part", ["census", "header"])
def test_a_refused_bundle_gives_no_such_right(forgery: Forgery, tmp_path: Path, part: str) -> None:
    """Not even if its episode comes out again: a census that is another one has nothing to do with that."""
    if part == "census":
        forgery.census["entries"] = []
    else:
        forgery.header["requirements"] = []
    report = forgery.verified(tmp_path)

    with pytest.raises(ValueError, match="at ") as refused:
        verifier().replay_exactly(tmp_path)

    assert report.refusal is not None
    assert str(refused.value) == str(report.refusal)
