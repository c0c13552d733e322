"""A run that is kept: members that belong together, the same bytes again, and no bundle of what was not finished."""

import dataclasses
import errno
import io
import os
from pathlib import Path

import pytest

from operatebench.errors import BundleError, DocumentError, LedgerError
from operatebench.replay.bound import Execution
from operatebench.replay.bundle import read_bundle
from operatebench.replay.ledger import LedgerReader, LedgerSummary, verify_ledger
from operatebench.replay.verify import Verdict, Verifier
from operatebench.runtime.core.observation import Observation
from operatebench.tracks.lifecycle import AGENTS, MaintenanceRuntime, keep_run, read_episode
from tests.tracks.lifecycle.episodes import (
    bundle_of,
    canonical,
    execution_of,
    files,
    record_of,
    runtime,
    selection_of,
    writer,
)

REFERENCE = selection_of("V1", "reference")


@pytest.mark.parametrize(
    ("variant", "agent"),
    [("V1", "reference"), ("V2", "conversational"), ("V1", "speak_nonsense"), ("V1", "always_act")],
)
def test_the_members_belong_together(tmp_path: Path, variant: str, agent: str) -> None:
    path = bundle_of(tmp_path / "run", variant, agent)
    bundle, identity, run = read_bundle(path), runtime().identity(variant, agent), execution_of(variant, agent)
    artifact, documents = bundle.artifact, bundle.documents

    assert documents["manifest"] == identity.manifest
    assert documents["census"] == identity.census
    assert {name: documents[f"{name}_card"] for name in identity.cards} == identity.cards
    evidence, evaluation = documents["evidence"], documents["evaluation"]
    assert evidence["identity_manifest_digest_sha256"] == identity.manifest["manifest_digest_sha256"]
    assert evidence["operation_instance_id"] == identity.instance_id(0)
    assert {field.name: evidence[field.name] for field in dataclasses.fields(Execution)} == dataclasses.asdict(run)
    assert {name: evaluation[name] for name in record_of(variant, agent).evaluation} == record_of(
        variant, agent
    ).evaluation
    for name, component in (
        ("evaluator_content_digest_sha256", "evaluator_bundle_content"),
        ("analysis_content_digest_sha256", "analysis_contract_content"),
    ):
        assert evaluation[name] == identity.manifest["components"][component]["content_digest_sha256"]

    ledger = LedgerReader(io.BytesIO(bundle.texts["ledger"]))
    rows = [{"index": row.index, "at": row.at, "record_type": row.record_type, **row.body} for row in ledger]
    end = ledger.summary().require_complete()
    assert rows == run.outcome["trajectory"]
    assert ledger.header.selection == selection_of(variant, agent).to_wire()
    assert ledger.header.operation_instance_id == identity.instance_id(0)
    assert ledger.header.identity_manifest_digest_sha256 == identity.manifest["manifest_digest_sha256"]
    assert ledger.header.runtime_bundle_digest_sha256 == identity.runtime_bundle_digest_sha256
    assert ledger.header.card_refs == artifact.card_refs == identity.card_refs()
    assert (end.status, end.outcome_class) == (run.outcome["status"], evaluation["outcome_class"])
    for name in ("final_state_digest_sha256", "trajectory_digest_sha256"):
        assert getattr(end, name) == run.outcome[name]
    assert (artifact.ledger.rows, artifact.ledger.lines) == (len(rows), len(rows) + 2)
    assert artifact.runtime_evidence_digest_sha256 == evidence["runtime_evidence_digest_sha256"]
    assert artifact.evaluation_digest_sha256 == evaluation["evaluation_digest_sha256"]
    assert (artifact.track, artifact.writer) == ("lifecycle", writer())
    assert Verifier(runtime()).verify(path).verdict is Verdict.VERIFIED


def test_what_is_returned_is_what_is_there(tmp_path: Path) -> None:
    kept = keep_run(runtime(), REFERENCE, tmp_path / "run", writer())
    ran = record_of("V1", "reference")

    assert kept == read_episode(tmp_path / "run")
    assert (kept.selection, kept.instance_id, kept.outcome) == (ran.selection, ran.instance_id, ran.outcome)
    assert kept.decision_tape == ran.decision_tape
    assert kept.evaluation.items() >= ran.evaluation.items()


def test_the_same_run_has_the_same_bytes_in_every_member(tmp_path: Path) -> None:
    keep_run(MaintenanceRuntime(), REFERENCE, tmp_path / "again", writer())

    assert files(tmp_path / "again") == files(bundle_of(tmp_path / "run", "V1", "reference"))
    assert len(files(tmp_path / "again")) == 9


def test_another_trial_has_the_same_identity_and_another_instance(tmp_path: Path) -> None:
    one, two = (files(bundle_of(tmp_path / str(trial), "V1", "always_wait", trial)) for trial in (0, 1))
    same = {name for name, text in one.items() if text == two[name]}

    assert one.keys() - same == {"artifact.json", "evidence.json", "ledger.ndjson"}


@pytest.mark.parametrize(("variant", "agent"), [("V9", "reference"), ("V1", "nobody")])
def test_what_does_not_exist_is_a_wrong_call_and_makes_no_folder(tmp_path: Path, variant: str, agent: str) -> None:
    with pytest.raises(KeyError):
        keep_run(runtime(), selection_of(variant, agent), tmp_path / "run", writer())
    assert list(tmp_path.iterdir()) == []


def test_a_name_that_is_taken_is_refused(tmp_path: Path) -> None:
    bundle_of(tmp_path / "run", "V1", "always_wait")
    before = files(tmp_path / "run")

    with pytest.raises(DocumentError) as refused:
        keep_run(runtime(), REFERENCE, tmp_path / "run", writer())

    assert (refused.value.code, refused.value.path) == ("file_exists", str(tmp_path / "run"))
    assert files(tmp_path / "run") == before


def left_incomplete(path: Path) -> LedgerSummary:
    """Return what a run that was not finished left: a sound beginning of a ledger, and nothing else."""
    assert [each.name for each in path.parent.iterdir()] == [path.name]
    assert files(path).keys() == {"ledger.ndjson"}
    with pytest.raises(BundleError) as refused:
        read_episode(path)
    assert (refused.value.code, refused.value.path) == ("bundle_incomplete", str(path))
    summary = verify_ledger(path / "ledger.ndjson")
    assert summary.terminal is None
    with pytest.raises(LedgerError) as incomplete:
        summary.require_complete()
    assert incomplete.value.code == "ledger_incomplete"
    rows = execution_of("V1", "reference").outcome["trajectory"]
    with (path / "ledger.ndjson").open("rb") as stream:
        kept = [
            {"index": row.index, "at": row.at, "record_type": row.record_type, **row.body}
            for row in LedgerReader(stream)
        ]
    assert [canonical(row) for row in kept] == [canonical(row) for row in rows[: len(kept)]]
    return summary


class Fault(BaseException):
    """Stands for whatever ends a process."""


def test_a_crash_in_the_second_execution_leaves_all_rows_and_no_bundle(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    executions = iter([execution_of("V1", "reference")])
    real = MaintenanceRuntime.execute

    def once(runs: MaintenanceRuntime, *arguments: object) -> Execution:
        if next(executions, None) is None:
            raise Fault
        return real(runs, *arguments)  # type: ignore[arg-type]  # as they came

    monkeypatch.setattr(MaintenanceRuntime, "execute", once)
    with pytest.raises(Fault):
        keep_run(runtime(), REFERENCE, tmp_path / "run", writer())

    assert left_incomplete(tmp_path / "run").rows == len(execution_of("V1", "reference").outcome["trajectory"])


class Interrupted:
    """Does as the reference does, until somebody presses Ctrl-C."""

    def __init__(self) -> None:
        self._reference = AGENTS["reference"]()
        self._turns = iter(range(30))

    def decide(self, observation: Observation) -> object:
        if next(self._turns, None) is None:
            raise KeyboardInterrupt
        return self._reference.decide(observation)


def test_an_interrupt_leaves_the_rows_so_far(tmp_path: Path) -> None:
    # Bound by the name of the reference, and so with its instance id.
    with pytest.raises(KeyboardInterrupt):
        keep_run(MaintenanceRuntime(agents={"reference": Interrupted}), REFERENCE, tmp_path / "run", writer())

    assert 10 < left_incomplete(tmp_path / "run").rows < 300


@pytest.mark.parametrize("torn", [False, True])
def test_a_full_disk_while_rows_are_written_leaves_whole_lines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, torn: bool
) -> None:
    real, calls = os.write, iter(range(1_000))

    def fill(descriptor: int, data: memoryview) -> int:
        call = next(calls)
        if call < 8:
            return real(descriptor, data)
        if torn and call == 8:
            return real(descriptor, data[: len(data) // 2])
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as here:
        here.setattr(os, "write", fill)
        with pytest.raises(LedgerError) as refused:
            keep_run(runtime(), REFERENCE, tmp_path / "run", writer())

    assert (refused.value.code, refused.value.actual) == ("ledger_unwritable", os.strerror(errno.ENOSPC))
    assert left_incomplete(tmp_path / "run").rows > 10
