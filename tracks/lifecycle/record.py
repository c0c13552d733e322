"""What is told and drawn of an episode: one that has just been run, or one that is read from a run bundle."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from io import BytesIO
from typing import Any

from ...replay.bundle import read_bundle
from ...replay.evaluation import parse_evaluation
from ...replay.evidence.read import require_evidence
from ...replay.ledger import LedgerReader
from ...runtime.core.vocabulary import Ending
from .form import require_form
from .selection import Selection

_LEGITIMATE = (Ending.SUCCESSFUL_COMPLETION.value, Ending.AUTHORISED_CANCELLATION_OR_TRANSFER.value)


@dataclass(frozen=True, slots=True)
class EpisodeRecord:
    """One episode; the members are plain JSON that nobody changes.

    Attributes:
        selection: what was run.
        instance_id: the id the agent was shown.
        outcome: ``operatebench.episode_outcome.v2``.
        decision_tape: ``operatebench.decision_tape.v1``.
        evaluation: the grade: at least the members of :meth:`~operatebench.replay.bound.BoundRuntime.evaluate`.
    """

    selection: Selection
    instance_id: str
    outcome: Mapping[str, Any]
    decision_tape: Mapping[str, Any]
    evaluation: Mapping[str, Any]

    @property
    def failed_dimensions(self) -> tuple[str, ...]:
        """The dimensions that do not hold, in the evaluator's order."""
        return tuple(row["dimension"] for row in self.evaluation["vector"] if not row["ok"])

    @property
    def finding_codes(self) -> tuple[str, ...]:
        """The codes found, sorted, each once."""
        return tuple(sorted({finding["code"] for finding in self.evaluation["findings"]}))

    @property
    def reliable(self) -> bool:
        """Whether the operation came to a legitimate end, the one it should, and every dimension holds."""
        return self.evaluation["outcome_class"] in _LEGITIMATE and not self.failed_dimensions


def read_episode(path: str | os.PathLike[str]) -> EpisodeRecord:
    """Read a run bundle for people to look at.

    Each of its documents is sound in itself; whether they belong together and are true, only a verifier can tell.

    Raises:
        DocumentError: a file cannot be read.
        BundleError: it is no bundle, or a member of it is not as listed.
        LedgerError: no sound header of a ledger.
        EvidenceError: the evidence is not sound.
        EvaluationError: the evaluation is not.
        EpisodeError: ``episode_shape``: what was recorded cannot be told.
    """
    bundle = read_bundle(path)
    evidence = bundle.documents["evidence"]
    require_evidence(evidence)
    evaluation = parse_evaluation(bundle.texts["evaluation"])
    require_form(evidence["outcome"], evaluation)
    header = LedgerReader(BytesIO(bundle.texts["ledger"])).header
    return EpisodeRecord(
        Selection.from_wire(header.selection),
        evidence["operation_instance_id"],
        evidence["outcome"],
        evidence["decision_tape"],
        evaluation,
    )
