"""Runs that verify: of every variant, of a conversational agent, of an unreliable one; and against a known digest."""

from pathlib import Path

import pytest

from operatebench.replay.bundle import read_bundle
from operatebench.replay.verify import State, Verdict, verify
from tests.tracks.lifecycle.verification.forging import runtime, verifier, write_run

NAMES = {
    "0": "expected",
    "1": "members",
    "2": "cards",
    "3": "census",
    "4a": "manifest.self",
    "4b": "manifest.live",
    "5": "ledger",
    "6": "binding",
    "7": "requirements",
    "8": "authorization",
    "9": "evidence",
    "10": "replay",
    "11": "evaluation",
    "12": "verdict",
}
"""Number of a check -> its name (replay contract, section 5)."""


def test_every_check_passes(original: Path) -> None:
    report = verify(original, runtime())

    assert (report.verdict, report.exit_status, report.refusal) == (Verdict.VERIFIED, 0, None)
    assert {each.number: each.name for each in report.checks} == NAMES
    states = {each.number: each.state for each in report.checks}
    absent = {"0", "8"}
    assert states == {number: State.NOT_PRESENT if number in absent else State.PASSED for number in NAMES}
    assert (report.agent, report.divergence) == ("reproduced", None)
    assert report.comparison is not None
    assert report.comparison.to_wire() == {"equal": True, "moved": [], "bundles": [], "reassigned": []}


@pytest.mark.parametrize(
    ("variant", "agent"),
    [
        ("V2", "reference"),
        ("V3", "reference"),
        ("V1", "conversational"),
        ("V3", "speak_nonsense"),
        ("V1", "always_wait"),
    ],
)
def test_other_runs_verify(tmp_path: Path, variant: str, agent: str) -> None:
    """How good an agent is has nothing to do with whether its run can be verified."""
    assert verifier().verify(write_run(tmp_path / "run", variant, agent)).verdict is Verdict.VERIFIED


def test_a_folder_may_have_any_name_and_be_a_link(original: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(original)

    assert verifier().verify(tmp_path / "link").verdict is Verdict.VERIFIED


@pytest.mark.parametrize("which", ["artifact", "manifest", "evidence"])
def test_a_digest_that_is_known_from_elsewhere(original: Path, which: str) -> None:
    artifact = read_bundle(original).artifact
    digest = {
        "artifact": artifact.artifact_digest_sha256,
        "manifest": artifact.identity_manifest_digest_sha256,
        "evidence": artifact.runtime_evidence_digest_sha256,
    }[which]

    report = verifier().verify(original, expect=digest)

    assert (report.verdict, report.check("0").detail) == (Verdict.VERIFIED, f"the digest of the {which}")


def test_another_digest_than_the_known_one(original: Path) -> None:
    evaluation = read_bundle(original).artifact.evaluation_digest_sha256

    report = verifier().verify(original, expect=evaluation)  # the three that bind everything count, and no other

    assert (report.verdict, report.exit_status) == (Verdict.REFUSED, 2)
    assert report.refusal is not None
    assert (report.refusal.code, report.refusal.expected) == ("expected_digest_differs", evaluation)
    assert report.check("0").refusal is report.refusal
    assert report.check("11").state is State.PASSED


def test_the_right_digest_saves_nothing(run: Path) -> None:
    digest = read_bundle(run).artifact.runtime_evidence_digest_sha256
    (run / "evaluation.json").write_bytes((run / "evaluation.json").read_bytes().replace(b"true", b"null", 1))

    report = verifier().verify(run, expect=digest)

    assert (report.verdict, report.check("0").state) == (Verdict.REFUSED, State.NOT_REACHED)
    assert report.refusal is report.check("1").refusal
