"""What the verifier says of honest runs."""

from pathlib import Path

import pytest

from operatebench.replay.bundle import read_bundle
from operatebench.replay.verify import NOT_ESTABLISHED, State, Verdict, Verifier, verify
from tests.replay.verify.automaton import Automaton
from tests.replay.verify.runs import OTHER_SOURCE, document, record, runtime

ORDER = ["0", "1", "2", "3", "4a", "4b", "5", "6", "7", "8", "9", "10", "11", "12"]


def test_verified(run: Path, verifier: Verifier) -> None:
    report = verifier.verify(run)
    states = {check.number: check.state for check in report.checks}
    assert list(states) == ORDER
    assert states == {number: State.NOT_PRESENT if number in {"0", "8"} else State.PASSED for number in ORDER}
    assert (report.verdict, report.exit_status, report.agent) == (Verdict.VERIFIED, 0, "reproduced")
    assert report.refusal is None
    assert report.check("4b").detail == "equal"
    assert report.to_wire()["not_established"] == list(NOT_ESTABLISHED)


def test_verified_agent_that_fails(bound: Automaton, verifier: Verifier, tmp_path: Path) -> None:
    record(tmp_path / "run", bound, "waiting", 7)
    report = verifier.verify(tmp_path / "run")
    assert report.verdict is Verdict.VERIFIED
    assert report.check("11").detail == "successful_completion; fails seen"


@pytest.mark.parametrize("what", ["artifact", "manifest", "evidence"])
def test_expected(what: str, run: Path, verifier: Verifier) -> None:
    artifact = read_bundle(run).artifact
    name = {"artifact": "artifact", "manifest": "identity_manifest", "evidence": "runtime_evidence"}[what]
    report = verifier.verify(run, expect=getattr(artifact, f"{name}_digest_sha256"))
    assert report.check("0").detail == f"the digest of the {what}"
    assert report.verdict is Verdict.VERIFIED


def test_expected_another(run: Path, bound: Automaton) -> None:
    report = verify(run, bound, expect=read_bundle(run).artifact.evaluation_digest_sha256)
    assert report.verdict is Verdict.REFUSED
    assert report.refusal is not None
    assert report.refusal.code == "expected_digest_differs"
    assert report.check("10").state is State.PASSED


def test_same_identities_from_another_source(verifier: Verifier, tmp_path: Path) -> None:
    """A build that differs in nothing that a component owns made the same run."""
    record(tmp_path / "run", runtime(source_identity_digest_sha256=OTHER_SOURCE))
    assert verifier.verify(tmp_path / "run").verdict is Verdict.VERIFIED


def test_recorded_decisions(tmp_path: Path) -> None:
    projections = {**document()["projections"], "provider_run_plan_content": {"/provider/plan": "recorded"}}
    selection = {**document()["selection"], "plan": "recorded"}
    recorded = runtime(outcome_source="recorded", projections=projections, selection=selection)
    record(tmp_path / "run", recorded)
    report = verify(tmp_path / "run", recorded)
    assert (report.verdict, report.exit_status) == (Verdict.REPLAYED, 2)
    assert report.agent == "recorded, not reproduced"
    assert report.check("10").detail == "engine; agent: recorded, not reproduced: 3 rows"


def test_reassigned_path(tmp_path: Path) -> None:
    """A path that had another owner is named with both, instead of the paths that a diff cannot say."""
    projections = document()["projections"]
    projections["arm_protocol_content"]["/moved"] = projections["runtime_contract_content"].pop(
        "/runtime_contract_content/version"
    )
    here = document()["projections"]
    here["runtime_contract_content"]["/moved"] = 1
    record(tmp_path / "run", runtime(projections=projections, source_identity_digest_sha256=OTHER_SOURCE))
    report = verify(tmp_path / "run", runtime(projections=here))
    assert report.verdict is Verdict.CONSISTENT_ONLY
    assert report.comparison is not None
    assert report.comparison.to_wire()["reassigned"] == [
        {"path": "/moved", "old_owner": "arm_protocol_content", "new_owner": "runtime_contract_content"}
    ]
    assert report.check("4b").detail == "differs: runtime_contract_content, arm_protocol_content"
