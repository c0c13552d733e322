"""Records a run: executes it while the ledger is written, executes it again, grades it, and publishes the bundle."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from ..authority import UsedAuthorization
from ..errors import AuthorizationError
from .bound import BoundRuntime, Selection
from .bundle import Artifact, BundleWriter, Writer
from .evaluation import seal_evaluation
from .evidence import build_evidence
from .identity import RunIdentity
from .ledger import LedgerHeader
from .ledger.records import PLACED
from .plan import MODEL, PROVIDER_PLAN, declared_source

__all__ = ["record_run"]


def record_run(
    bound: BoundRuntime,
    identity: RunIdentity,
    selection: Selection,
    path: str | os.PathLike[str],
    writer: Writer,
    *,
    authorization: UsedAuthorization | None = None,
) -> Artifact:
    """Run one trial into a new folder.

    Whatever ends it early leaves at most an incomplete ledger there, never a bundle.

    Args:
        bound: what runs it.
        identity: what the trial is bound to.
        selection: which trial.
        path: the folder of the bundle; nothing may be there.
        writer: what runs here, as the bundle says it.
        authorization: what the run was admitted with; runs that ask no provider need none.

    Returns:
        What ``artifact.json`` says.

    Raises:
        AuthorizationError: ``authorization_required``, and nothing was made.
        DocumentError: the bundle cannot be written.
        LedgerError: the ledger cannot be written, or a row has no place in it.
        EvidenceError: the run does not fit evidence v1.
        EvaluationError: the grade does not fit evaluation v1.
    """
    if authorization is None and declared_source(identity.projections[PROVIDER_PLAN]) == MODEL:
        place, expected = f"projections#/{PROVIDER_PLAN}", "a plan that asks no provider, or an authorization"
        raise AuthorizationError("authorization_required", path=place, expected=expected, actual="neither")
    recorded, instance_id = dict(selection), identity.instance_id(selection["trial"])
    header = LedgerHeader.of(
        identity.validated, operation_instance_id=instance_id, selection=recorded, card_refs=identity.card_refs()
    )
    with BundleWriter(path, header) as bundle:

        def keep(rows: Sequence[Mapping[str, Any]]) -> None:
            for row in rows:
                body = {name: value for name, value in row.items() if name not in PLACED}
                bundle.ledger.append(row["at"], row["record_type"], body)
            bundle.ledger.flush()

        run = bound.execute(recorded, instance_id, keep)
        evidence = build_evidence(
            manifest_digest=identity.validated.manifest_digest_sha256,
            instance_id=instance_id,
            outcome=run.outcome,
            decision_tape=run.decision_tape,
            execution_record=run.execution_record,
            provider_binding=run.provider_binding,
        )
        evaluation = seal_evaluation(
            bound.evaluate(recorded, run, bound.execute(recorded, instance_id)),
            evaluator_digest=identity.content_digest("evaluator_bundle_content"),
            analysis_digest=identity.content_digest("analysis_contract_content"),
        )
        bundle.ledger.finish(
            status=run.outcome["status"],
            outcome_class=bound.outcome_class(run.outcome),
            final_state_digest_sha256=run.outcome["final_state_digest_sha256"],
            trajectory_digest_sha256=run.outcome["trajectory_digest_sha256"],
        )
        return bundle.publish(
            identity.manifest, identity.census, identity.cards, evidence, evaluation, writer, authorization
        )
