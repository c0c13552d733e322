"""The episode file: what one trial was, did and was graded, in one sealed document."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from ...errors import DocumentError, EpisodeError, describe
from ...files import read_file, write_files
from ...identity.canonical import mapping, scalar
from ...identity.labels import labelled_digest
from ...identity.strictjson import parse_json
from ...runtime.maintenance.spec import OperationSpec
from .digests import EPISODE_PROFILE, MAX_EPISODE_TEXT_BYTES, canonical
from .form import EPISODE_SCHEMA, EPISODE_SCHEMA_VERSION, SELF_DIGEST, require_form
from .ownership import evaluator_source_digest
from .run import LifecycleRun
from .selection import Selection, operation_instance_id

_LABEL = "episode.v1"
"""What the self-digest says it is of."""


@dataclass(frozen=True, slots=True)
class EpisodeRecord:
    """One episode as its file says it; the members are plain JSON that nobody changes.

    Attributes:
        selection: what was run.
        instance_id: derived from spec and selection.
        spec_sha256: of the bytes of the spec file.
        spec_digest_sha256: of its parsed content.
        evaluator_source_digest_sha256: of the evaluator that graded it.
        outcome: ``operatebench.episode_outcome.v2``.
        decision_tape: ``operatebench.decision_tape.v1``.
        evaluation: the grade, in the wire form of the evaluator.
    """

    selection: Selection
    instance_id: str
    spec_sha256: str
    spec_digest_sha256: str
    evaluator_source_digest_sha256: str
    outcome: Mapping[str, Any]
    decision_tape: Mapping[str, Any]
    evaluation: Mapping[str, Any]

    @classmethod
    def of(cls, spec: OperationSpec, run: LifecycleRun) -> Self:
        """Return the record of an episode that has just been run."""
        return cls(
            selection=run.selection,
            instance_id=run.instance_id,
            spec_sha256=spec.sha256,
            spec_digest_sha256=spec.digest_sha256,
            evaluator_source_digest_sha256=evaluator_source_digest(),
            outcome=run.episode.outcome.to_wire(),
            decision_tape=run.episode.tape(),
            evaluation=run.evaluation.to_wire(),
        )

    def to_bytes(self) -> bytes:
        """Return the file: canonical bytes and one line end.

        Raises:
            EpisodeError: ``episode_too_large``; ``episode_shape`` if the engine or the evaluator broke the format.
        """
        members = {
            "schema": EPISODE_SCHEMA,
            "schema_version": EPISODE_SCHEMA_VERSION,
            "selection": self.selection.to_wire(),
            "operation_instance_id": self.instance_id,
            "spec": {"sha256": self.spec_sha256, "digest_sha256": self.spec_digest_sha256},
            "evaluator_source_digest_sha256": self.evaluator_source_digest_sha256,
            "outcome": self.outcome,
            "decision_tape": self.decision_tape,
            "evaluation": self.evaluation,
        }
        require_form({**members, SELF_DIGEST: "0" * 64})
        pieces = {name: canonical(value) for name, value in members.items()}
        own = scalar(labelled_digest(_LABEL, mapping(pieces)))
        return bytes(mapping({**pieces, SELF_DIGEST: own})) + b"\n"


def write_episode(path: str | os.PathLike[str], record: EpisodeRecord, *, replace: bool = False) -> None:
    """Write an episode file, in one step.

    Raises:
        DocumentError: ``file_exists``, ``file_type``, ``file_unwritable`` or ``file_unsynced``.
        EpisodeError: as :meth:`EpisodeRecord.to_bytes`.
    """
    write_files({os.fspath(path): record.to_bytes()}, replace=replace)


def read_episode(path: str | os.PathLike[str]) -> EpisodeRecord:
    """Read an episode file; see :func:`parse_episode`.

    Raises:
        DocumentError: the file cannot be read, or ``document_kind``.
        EpisodeError: as :func:`parse_episode`.
    """
    return parse_episode(read_file(path, MAX_EPISODE_TEXT_BYTES))


def parse_episode(text: bytes) -> EpisodeRecord:
    """Read the text of an episode file and check all that can be checked without running it again.

    The form of every member, the canonical text, the derivation of the instance id, and the digests of state,
    trajectory, decisions and the whole. Whether it is *true* only a replay can tell.

    Raises:
        DocumentError: ``document_kind`` if it does not call itself an episode.
        EpisodeError: any code but ``worker_lost``; the path is a JSON Pointer, or a position in the text.
    """
    admitted = parse_json(text, EPISODE_PROFILE)
    document = admitted.value
    kind = document.get("schema") if type(document) is dict else None
    if kind != EPISODE_SCHEMA:
        raise DocumentError("document_kind", path="/schema", expected=EPISODE_SCHEMA, actual=describe(kind))
    require_form(document)
    if bytes(admitted.canonical) + b"\n" != text:
        raise EpisodeError("episode_text", expected="canonical JSON and one line end", actual="another text")
    selection = Selection.from_wire(document["selection"])
    _require_equal(
        "episode_instance",
        "/operation_instance_id",
        operation_instance_id(document["spec"]["digest_sha256"], selection),
        document["operation_instance_id"],
    )
    _require_digests(document)
    return EpisodeRecord(
        selection=selection,
        instance_id=document["operation_instance_id"],
        spec_sha256=document["spec"]["sha256"],
        spec_digest_sha256=document["spec"]["digest_sha256"],
        evaluator_source_digest_sha256=document["evaluator_source_digest_sha256"],
        outcome=document["outcome"],
        decision_tape=document["decision_tape"],
        evaluation=document["evaluation"],
    )


def _require_digests(document: Mapping[str, Any]) -> None:
    outcome, tape = document["outcome"], document["decision_tape"]
    for place, holder, member in (
        ("/outcome", outcome, "final_state"),
        ("/outcome", outcome, "trajectory"),
        ("/decision_tape", tape, "decisions"),
    ):
        name = f"{member}_digest_sha256"
        _require_equal("episode_digest", f"{place}/{name}", canonical(holder[member]).sha256(), holder[name])
    pieces = {name: canonical(value) for name, value in document.items() if name != SELF_DIGEST}
    own = labelled_digest(_LABEL, mapping(pieces))
    _require_equal("episode_digest", f"/{SELF_DIGEST}", own, document[SELF_DIGEST])


def _require_equal(code: str, place: str, expected: str, actual: str) -> None:
    if expected != actual:
        raise EpisodeError(code, path=place, expected=expected, actual=actual)
