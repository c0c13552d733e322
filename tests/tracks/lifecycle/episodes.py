"""Episodes that tests look at, and their bundles: each is run once in a test process."""

import hashlib
import json
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from operatebench.replay.bound import Execution
from operatebench.replay.bundle import Artifact, Member, Writer
from operatebench.replay.evaluation import evaluation_bytes, seal_evaluation
from operatebench.replay.evidence import build_evidence
from operatebench.tracks.lifecycle import EpisodeRecord, MaintenanceRuntime, Selection, keep_run, packaged_spec, run_one

OPERATION = packaged_spec().operation_id


@cache
def runtime() -> MaintenanceRuntime:
    """Return the one runtime, which remembers what runs are bound to."""
    return MaintenanceRuntime()


@cache
def writer() -> Writer:
    """Return what bundles of these tests say of their writer."""
    source = runtime().source_identity_digest_sha256
    return Writer("operatebench", "0.1.0", "3.11.7", "Linux", {"orjson": "3.10.15"}, None, source, None)


def selection_of(variant_id: str, agent_id: str, trial: int = 0) -> Selection:
    """Return which trial is meant."""
    return Selection(OPERATION, variant_id, agent_id, trial)


@cache
def record_of(variant_id: str, agent_id: str) -> EpisodeRecord:
    """Return an episode as it was run."""
    return run_one(runtime(), variant_id, agent_id)


@cache
def execution_of(variant_id: str, agent_id: str) -> Execution:
    """Return the first execution of an episode."""
    instance_id = runtime().identity(variant_id, agent_id).instance_id(0)
    return runtime().execute(selection_of(variant_id, agent_id).to_wire(), instance_id)


@cache
def _bundle_of(variant_id: str, agent_id: str, trial: int) -> Mapping[str, bytes]:
    with TemporaryDirectory() as folder:
        path = Path(folder, "run")
        keep_run(runtime(), selection_of(variant_id, agent_id, trial), path, writer())
        return files(path)


def bundle_of(path: Path, variant_id: str, agent_id: str, trial: int = 0) -> Path:
    """Put the bundle of an episode into a new folder, for tests to change, and return the folder."""
    for name, text in _bundle_of(variant_id, agent_id, trial).items():
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_bytes(text)
    return path


def files(folder: Path) -> dict[str, bytes]:
    """Return the content of all files below a folder."""
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def rewrite(path: Path, change: Callable[[dict[str, Any], dict[str, Any]], object]) -> None:
    """Change outcome and evaluation of a bundle, and make every digest that stands for them right again.

    The ledger stays as it is: that they belong together is not what is looked at when a bundle is read for people.
    """
    evidence, evaluation = (json.loads((path / name).read_bytes()) for name in ("evidence.json", "evaluation.json"))
    outcome, tape = evidence["outcome"], evidence["decision_tape"]
    change(outcome, evaluation)
    for holder, name in ((outcome, "final_state"), (outcome, "trajectory"), (tape, "decisions")):
        holder[f"{name}_digest_sha256"] = sha256(holder[name])
    built = build_evidence(
        manifest_digest=evidence["identity_manifest_digest_sha256"],
        instance_id=evidence["operation_instance_id"],
        outcome=outcome,
        decision_tape=tape,
        execution_record=evidence["execution_record"],
        provider_binding=None,
    )
    of_grade = ("vector", "findings", "human_touches", "opportunities", "load", "outcome_class")
    sealed = seal_evaluation(
        {name: evaluation[name] for name in of_grade},
        evaluator_digest=evaluation["evaluator_content_digest_sha256"],
        analysis_digest=evaluation["analysis_content_digest_sha256"],
    )
    (path / "evidence.json").write_bytes(built.to_bytes() + b"\n")
    (path / "evaluation.json").write_bytes(evaluation_bytes(sealed))
    relist(path)


def relist(path: Path) -> None:
    """Let the artifact of a bundle list its members as they are now."""
    old = Artifact.parse((path / "artifact.json").read_bytes())
    evidence, evaluation = (json.loads((path / name).read_bytes()) for name in ("evidence.json", "evaluation.json"))
    new = Artifact.seal(
        track=old.track,
        members=tuple(_listed(path, member) for member in old.members),
        identity_manifest_digest_sha256=old.identity_manifest_digest_sha256,
        card_refs=old.card_refs,
        ledger=old.ledger,
        runtime_evidence_digest_sha256=evidence["runtime_evidence_digest_sha256"],
        evaluation_digest_sha256=evaluation["evaluation_digest_sha256"],
        writer=old.writer,
    )
    (path / "artifact.json").write_bytes(new.to_bytes())


def _listed(path: Path, member: Member) -> Member:
    text = (path / member.path).read_bytes()
    return Member(member.role, member.path, member.media_type, len(text), hashlib.sha256(text).hexdigest())


def canonical(value: Any) -> bytes:
    """Return canonical JSON by other means than those of the package."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True).encode()


def sha256(value: Any) -> str:
    """Return the digest of a value by other means than those of the package."""
    return hashlib.sha256(canonical(value)).hexdigest()
