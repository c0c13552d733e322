"""Check 6: the documents of a bundle were written for one another (replay contract, section 5)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...cards.projection import CARD_ROOTS, card_pointers
from ...errors import EvaluationError, VerificationError, pointer
from ..bundle.contract import ARTIFACT_PATH, PLACES
from ..evaluation import parse_evaluation
from ..identity import card_ref, operation_instance_id
from ..ledger import exact_requirements
from ..ledger.records import PLACED
from ..plan import PLAN, PROVIDER_PLAN, declared_source
from .differences import require_equal
from .recording import Recording

_LEDGER, _EVIDENCE = PLACES["ledger"].path, PLACES["evidence"].path
_EVALUATION, _MANIFEST = PLACES["evaluation"].path, PLACES["manifest"].path


def require_bound(recording: Recording) -> Mapping[str, Any]:
    """Hold the documents to one another, in the order of the contract, a to g.

    Returns:
        The evaluation, which is sound too.

    Raises:
        VerificationError: the first rule that is broken.
        EvaluationError: the evaluation is not sound in itself.
    """
    evaluation = _evaluation(recording)
    _cards(recording)
    _references(recording)
    _repeated(recording, evaluation)
    _requirements(recording)
    _selection(recording)
    _trajectory(recording)
    _source(recording)
    return evaluation


def _evaluation(recording: Recording) -> Mapping[str, Any]:
    try:
        return parse_evaluation(recording.bundle.texts["evaluation"])
    except EvaluationError as refusal:
        raise refusal.moved_to(refusal.path.replace("evaluation#", f"{_EVALUATION}#", 1)) from None


def _cards(recording: Recording) -> None:
    """a: the cards, projected, are all that the manifest holds of cards."""
    roots = tuple(f"{root}/" for _, root in CARD_ROOTS.values())
    said = {CARD_ROOTS[card["schema"]][0]: card_pointers(card) for card in recording.cards.values()}
    bound = {
        component: {path: value for path, value in projection.items() if path.startswith(roots)}
        for component, projection in recording.manifest.projections.items()
    }
    require_equal(
        "card_not_of_manifest",
        f"{_MANIFEST}#/components",
        {component: {"owned_projection": paths} for component, paths in said.items()},
        {component: {"owned_projection": paths} for component, paths in bound.items() if paths or component in said},
    )


def _references(recording: Recording) -> None:
    """b: header and artifact refer to the cards."""
    references = {name: card_ref(card) for name, card in recording.cards.items()}
    header, artifact = recording.ledger.header.to_wire(), recording.bundle.artifact.to_wire()
    require_equal("card_refs_differ", f"{_LEDGER} line 1 /card_refs", references, header["card_refs"])
    require_equal("card_refs_differ", f"{ARTIFACT_PATH}#/card_refs", references, artifact["card_refs"])


def _repeated(recording: Recording, evaluation: Mapping[str, Any]) -> None:
    """c: every digest and count that is repeated is that of what it repeats."""
    artifact, header = recording.bundle.artifact, recording.ledger.header
    evidence, outcome = recording.evidence, recording.evidence["outcome"]
    validated, summary, terminal = recording.manifest.validated, recording.ledger.summary, recording.ledger.terminal
    bundles = {name: bundle.bundle_digest_sha256 for name, bundle in validated.composites.items()}
    digests = {name: component.content_digest_sha256 for name, component in validated.components.items()}
    manifest_digest = validated.manifest_digest_sha256
    last = f"{_LEDGER} line {summary.lines} "
    for at, expected, actual in (
        (f"{ARTIFACT_PATH}#/track", header.selection["track"], artifact.track),
        (
            f"{ARTIFACT_PATH}#/identity_manifest_digest_sha256",
            manifest_digest,
            artifact.identity_manifest_digest_sha256,
        ),
        (f"{ARTIFACT_PATH}#/ledger/lines", summary.lines, artifact.ledger.lines),
        (f"{ARTIFACT_PATH}#/ledger/rows", summary.rows, artifact.ledger.rows),
        (
            f"{ARTIFACT_PATH}#/ledger/head_digest_sha256",
            summary.head_digest_sha256,
            artifact.ledger.head_digest_sha256,
        ),
        (
            f"{ARTIFACT_PATH}#/ledger/merkle_root_sha256",
            summary.merkle_root_sha256,
            artifact.ledger.merkle_root_sha256,
        ),
        (
            f"{ARTIFACT_PATH}#/runtime_evidence_digest_sha256",
            evidence["runtime_evidence_digest_sha256"],
            artifact.runtime_evidence_digest_sha256,
        ),
        (
            f"{ARTIFACT_PATH}#/evaluation_digest_sha256",
            evaluation["evaluation_digest_sha256"],
            artifact.evaluation_digest_sha256,
        ),
        (
            f"{_LEDGER} line 1 /identity_manifest_digest_sha256",
            manifest_digest,
            header.identity_manifest_digest_sha256,
        ),
        (
            f"{_LEDGER} line 1 /runtime_bundle_digest_sha256",
            bundles["runtime_bundle"],
            header.runtime_bundle_digest_sha256,
        ),
        (
            f"{_LEDGER} line 1 /experiment_bundle_digest_sha256",
            bundles["experiment_bundle"],
            header.experiment_bundle_digest_sha256,
        ),
        (
            f"{_EVIDENCE}#/identity_manifest_digest_sha256",
            manifest_digest,
            evidence["identity_manifest_digest_sha256"],
        ),
        (
            f"{_EVALUATION}#/evaluator_content_digest_sha256",
            digests["evaluator_bundle_content"],
            evaluation["evaluator_content_digest_sha256"],
        ),
        (
            f"{_EVALUATION}#/analysis_content_digest_sha256",
            digests["analysis_contract_content"],
            evaluation["analysis_content_digest_sha256"],
        ),
        (
            f"{last}/final_state_digest_sha256",
            outcome["final_state_digest_sha256"],
            terminal.final_state_digest_sha256,
        ),
        (
            f"{last}/trajectory_digest_sha256",
            outcome["trajectory_digest_sha256"],
            terminal.trajectory_digest_sha256,
        ),
        (f"{_EVALUATION}#/outcome_class", terminal.outcome_class, evaluation["outcome_class"]),
    ):
        require_equal("repeated_value_differs", at, expected, actual)
    _require_rows_inside(evaluation, len(outcome["trajectory"]))


def _require_rows_inside(evaluation: Mapping[str, Any], rows: int) -> None:
    for part in ("findings", "human_touches", "opportunities"):
        for index, item in enumerate(evaluation[part]):
            for cited in item["rows"]:
                if cited >= rows:
                    at = f"{_EVALUATION}#{pointer(part, index, 'rows')}"
                    raise VerificationError.found("repeated_value_differs", at, f"rows below {rows}", cited)


def _requirements(recording: Recording) -> None:
    """d: the header requires exactly what follows from the manifest."""
    derived = exact_requirements(recording.manifest.validated)
    said = recording.ledger.header.to_wire()["requirements"]
    require_equal("requirements_not_derived", f"{_LEDGER} line 1 /requirements", derived, said)


def _selection(recording: Recording) -> None:
    """e: the selection is that of cards and manifest, and the instance id follows from runtime bundle and trial."""
    header, cards, projections = recording.ledger.header, recording.cards, recording.manifest.projections
    at = f"{_LEDGER} line 1 /selection"
    operation, _, _ = cards["operation"]["id"].partition("@")
    require_equal("selection_not_of_cards", f"{at}/operation_id", operation, _lowered(header.selection["operation_id"]))
    variant = f"{cards['semantic_scenario']['id']}.{_lowered(header.selection['variant_id'])}"
    require_equal("selection_not_of_cards", f"{at}/variant_id", cards["variant"]["id"], variant)
    for name, component, declared in (("plan", PROVIDER_PLAN, PLAN), ("arm", "arm_protocol_content", "/arm/name")):
        if declared in projections[component]:
            found = projections[component][declared]
            require_equal("repeated_value_differs", f"{at}/{name}", found, header.selection[name])
    derived = operation_instance_id(header.runtime_bundle_digest_sha256, header.selection["trial"])
    place = f"{_LEDGER} line 1 /operation_instance_id"
    require_equal("instance_not_derived", place, derived, header.operation_instance_id)
    said = recording.evidence["operation_instance_id"]
    require_equal("instance_not_derived", f"{_EVIDENCE}#/operation_instance_id", derived, said)


def _lowered(name: str) -> str:
    """Return an id as cards write it; of other letters than those of ASCII, two that are alike are not the same."""
    return name.encode().lower().decode()


def _trajectory(recording: Recording) -> None:
    """f: the rows of the ledger are those of the evidence, and both end in the same way."""
    outcome, ledger = recording.evidence["outcome"], recording.ledger
    trajectory, rows = outcome["trajectory"], ledger.rows
    for index, (row, recorded) in enumerate(zip(rows, trajectory, strict=False)):
        said = {"at": row.at, "index": row.index, "record_type": row.record_type, "body": row.body}
        if type(recorded) is not dict:
            require_equal("row_not_of_evidence", f"{_LEDGER} line {index + 2} ", recorded, said)
        body = {name: value for name, value in recorded.items() if name not in PLACED}
        placed = {name: recorded[name] for name in PLACED if name in recorded}
        require_equal("row_not_of_evidence", f"{_LEDGER} line {index + 2} ", {**placed, "body": body}, said)
    if len(rows) != len(trajectory):
        at = f"{_LEDGER} line {min(len(rows), len(trajectory)) + 2}"
        raise VerificationError(
            "row_not_of_evidence", path=at, expected=f"{len(trajectory)} rows", actual=f"{len(rows)} rows"
        )
    at = f"{_LEDGER} line {ledger.summary.lines} /status"
    require_equal("terminal_not_of_outcome", at, outcome["status"], ledger.terminal.status)


def _source(recording: Recording) -> None:
    """g: the decisions came from where the provider plan says."""
    declared = declared_source(recording.manifest.projections[PROVIDER_PLAN])
    said = recording.evidence["execution_record"]["outcome_source"]
    at = f"{_EVIDENCE}#/execution_record/outcome_source"
    require_equal("outcome_source_not_of_plan", at, declared, said)
