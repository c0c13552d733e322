"""Bundles for the replay vectors: recorded by an automaton, then changed, and sealed again with code of their own.

Sealing shares no code with the package, so that a fault in its digests cannot make both sides wrong.
"""

import hashlib
import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import canonicaljson

from operatebench.identity import build_identity_manifest, validate_identity_manifest
from operatebench.replay.bundle import Writer
from operatebench.replay.conformance import Automaton, AutomatonRuntime
from operatebench.replay.identity import RunIdentity
from operatebench.replay.record import record_run
from tests.conformance.automata import automaton

ARTIFACT, EVIDENCE, EVALUATION, LEDGER = "artifact.json", "evidence.json", "evaluation.json", "ledger.ndjson"
ROLES = {
    "cards/operation.json": "operation_card",
    "cards/semantic_scenario.json": "semantic_scenario_card",
    "cards/variant.json": "variant_card",
    "census.json": "census",
    EVALUATION: "evaluation",
    EVIDENCE: "evidence",
    LEDGER: "ledger",
    "manifest.json": "manifest",
}
Run = dict[str, str]
"""Path -> text."""


def recorded(runtime: str, agent: str, trial: int = 0, *, weak: bool = False) -> Run:
    """Return the bundle of a run; with a weak manifest it requires a version where it should require a digest."""
    bound = AutomatonRuntime(Automaton.model_validate(automaton(runtime)))
    selection = bound.selection(agent, trial)
    projections = bound.live(selection)
    assert projections is not None
    identity = RunIdentity.of(bound.cards, projections)
    if weak:
        identity = weakened(identity)
    writer = Writer(
        "automaton", "1.0.0", "3.11.0", "linux", {}, None, bound.source_identity_digest_sha256, bound.spec_sha256
    )
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "run"
        record_run(bound, identity, selection, folder, writer)
        return {path: (folder / path).read_bytes().decode() for path in (ARTIFACT, *ROLES)}


def weakened(identity: RunIdentity) -> RunIdentity:
    compatible = {"kind": "closed_schema_version_range", "minimum_schema_version": 1, "maximum_schema_version": 1}
    rows = {"analysis_contract_content": [{"component": "evaluator_bundle_content", "compatible": compatible}]}
    manifest = build_identity_manifest(identity.projections, rows)
    validated = validate_identity_manifest(manifest, dict(identity.census), identity.projections)
    return RunIdentity(identity.cards, identity.projections, manifest, identity.census, validated)


def canonical(value: Any) -> str:
    return canonicaljson.encode_canonical_json(value).decode()


def digest(value: Any) -> str:
    return hashlib.sha256(canonical(value).encode()).hexdigest()


def sealed(label: str, member: str, record: dict[str, Any], schema: str | None = None) -> dict[str, Any]:
    content = {name: value for name, value in record.items() if name != member}
    wrapper = {
        "domain": f"operatebench.digest.{label}",
        "schema": f"operatebench.{schema or label}",
        "content": content,
    }
    return {**content, member: digest(wrapper)}


def relisted(run_: Run, **changes: Any) -> Run:
    """Return the bundle with an artifact that lists its members as they are."""
    artifact = {**json.loads(run_[ARTIFACT]), **changes}
    members = {member["path"]: member for member in artifact["members"]}
    for path in members.keys() & run_.keys():
        data = run_[path].encode()
        members[path].update(size=len(data), digest_sha256=hashlib.sha256(data).hexdigest())
    return {**run_, ARTIFACT: canonical(sealed("artifact.v9", "artifact_digest_sha256", artifact)) + "\n"}


def edited(run_: Run, path: str, edit: Callable[[Any], Any], **changes: Any) -> Run:
    """Return the bundle with one document changed in place, and listed as it is."""
    document = json.loads(run_[path])
    edit(document)
    return relisted({**run_, path: canonical(document) + "\n"}, **changes)


def with_evidence(run_: Run, edit: Callable[[Any], Any]) -> Run:
    """Return the bundle with other evidence, sealed in itself; the artifact follows."""
    evidence = json.loads(run_[EVIDENCE])
    edit(evidence)
    outcome, tape = evidence["outcome"], evidence["decision_tape"]
    outcome["final_state_digest_sha256"] = digest(outcome["final_state"])
    outcome["trajectory_digest_sha256"] = digest(outcome["trajectory"])
    tape["decisions_digest_sha256"] = digest(tape["decisions"])
    evidence = sealed("executed_runtime_evidence.v1", "runtime_evidence_digest_sha256", evidence)
    text = {**run_, EVIDENCE: canonical(evidence) + "\n"}
    return relisted(text, runtime_evidence_digest_sha256=evidence["runtime_evidence_digest_sha256"])


def with_evaluation(run_: Run, edit: Callable[[Any], Any]) -> Run:
    evaluation = json.loads(run_[EVALUATION])
    edit(evaluation)
    evaluation = sealed("evaluation.v1", "evaluation_digest_sha256", evaluation)
    text = {**run_, EVALUATION: canonical(evaluation) + "\n"}
    return relisted(text, evaluation_digest_sha256=evaluation["evaluation_digest_sha256"])


def with_lines(run_: Run, edit: Callable[[list[Any]], Any], *, counted: bool = True) -> Run:
    """Return the bundle with other lines in the ledger, chained anew; the artifact follows, its counts if asked for."""
    lines = [json.loads(line) for line in run_[LEDGER].splitlines()]
    edit(lines)
    leaves: list[bytes] = []
    previous, chained = "0" * 64, []
    for line in lines:
        if line["record"] == "row":
            line["index"] = len(leaves)
        if line["record"] == "terminal":
            line |= {"row_count": len(leaves), "merkle_root_sha256": root(leaves)}
        line["previous_digest_sha256"] = previous
        done = sealed("trajectory_ledger.line.v1", "row_digest_sha256", line, "trajectory_ledger.v1")
        previous = done["row_digest_sha256"]
        if line["record"] == "row":
            leaves.append(hashlib.sha256(b"\0" + bytes.fromhex(previous)).digest())
        chained.append(canonical(done) + "\n")
    facts = {
        "lines": len(lines),
        "rows": len(leaves),
        "head_digest_sha256": previous,
        "merkle_root_sha256": root(leaves),
    }
    return relisted({**run_, LEDGER: "".join(chained)}, **({"ledger": facts} if counted else {}))


def root(leaves: list[bytes]) -> str:
    return hash_of(leaves).hex()


def hash_of(leaves: list[bytes]) -> bytes:
    if len(leaves) < 2:
        return leaves[0] if leaves else hashlib.sha256().digest()
    half = 1 << (len(leaves) - 1).bit_length() - 1
    return hashlib.sha256(b"\1" + hash_of(leaves[:half]) + hash_of(leaves[half:])).digest()


def put(*path: str | int, value: Any) -> Callable[[Any], None]:
    """Return the edit that puts a value in a place."""

    def edit(document: Any) -> None:
        for step in path[:-1]:
            document = document[step]
        document[path[-1]] = value

    return edit


def dropped(run_: Run, *paths: str) -> Run:
    return {path: text for path, text in run_.items() if path not in paths}


def forged_row(run_: Run) -> Run:
    """Change a row everywhere it stands."""
    forged = with_evidence(run_, put("outcome", "trajectory", 1, "minutes", value=61))
    trajectory = json.loads(forged[EVIDENCE])["outcome"]["trajectory_digest_sha256"]

    def edit(lines: list[Any]) -> None:
        lines[2]["body"]["minutes"] = 61
        lines[-1]["trajectory_digest_sha256"] = trajectory

    return with_lines(forged, edit)
