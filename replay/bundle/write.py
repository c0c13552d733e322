"""Writes a run bundle: the ledger while the run goes on, the rest at its end, and ``artifact.json`` last."""

from __future__ import annotations

import io
import os
from collections.abc import Mapping
from contextlib import suppress
from hashlib import sha256
from types import TracebackType
from typing import Any, Self

from ...authority import UsedAuthorization
from ...files import Folder, make_folder, make_new_folder, write_files
from ...identity.admission import admit
from ..evaluation import evaluation_bytes
from ..evidence import ExecutedRuntimeEvidenceV1
from ..ledger import LedgerHeader, LedgerReader, LedgerWriter
from .artifact import Artifact, LedgerFacts, Member, Writer
from .contract import ARTIFACT_PATH, AUTHORIZATION, CARD_ROLES, PLACES


class BundleWriter:
    """A run bundle that is being written. Use it as a context manager: without :meth:`publish` there is no bundle.

    The folder is made for it alone. Whatever stops the writer, a crash included, leaves a folder without
    ``artifact.json``, which every reader refuses, or a whole bundle. The ledger in such a folder can still be read.

    Attributes:
        ledger: what the run writes its rows to, and finishes.
    """

    def __init__(self, path: str | os.PathLike[str], header: LedgerHeader) -> None:
        """Make the folder and the ledger in it; if that fails there is neither.

        Args:
            path: a name that nothing has yet, in a folder.
            header: what the run is bound to.

        Raises:
            DocumentError: ``file_exists`` or ``file_unwritable``.
            LedgerError: ``ledger_unwritable``.
        """
        self._path = os.fspath(path).rstrip("/")
        self._header = header
        make_new_folder(self._path)
        try:
            self.ledger = LedgerWriter(f"{self._path}/{PLACES['ledger'].path}", header)
        except BaseException:
            with suppress(OSError):
                os.rmdir(self._path)  # noqa: PTH106  (texts all along)
            raise

    def publish(  # noqa: PLR0917  (the parts of a run, in the order of their making)
        self,
        manifest: Mapping[str, Any],
        census: Mapping[str, Any],
        cards: Mapping[str, Mapping[str, Any]],
        evidence: ExecutedRuntimeEvidenceV1,
        evaluation: Mapping[str, Any],
        writer: Writer,
        authorization: UsedAuthorization | None = None,
    ) -> Artifact:
        """Write all other members, each synced, and then ``artifact.json``, which makes the folder a bundle.

        The ledger must be finished. It is read back and verified, so that the artifact says what is on disk.

        Args:
            manifest: the identity manifest.
            census: the census of its projections.
            cards: the cards, by ``operation``, ``semantic_scenario`` and ``variant``.
            evidence: of the run.
            evaluation: as :func:`operatebench.replay.evaluation.seal_evaluation` returned it.
            writer: what writes this.
            authorization: what the run was admitted with, if it was.

        Returns:
            What ``artifact.json`` says.

        Raises:
            BundleError: ``member_json``, ``member_limits``, or ``artifact_…`` for a writer of the wrong form.
            EvaluationError: ``evaluation_json`` or ``evaluation_limits``.
            LedgerError: any code of a line, or ``ledger_incomplete``.
            DocumentError: ``file_…``. After ``file_unsynced`` for ``artifact.json`` the bundle is there.
        """
        documents = {
            "manifest": _document("manifest", manifest),
            "census": _document("census", census),
            **{role: _document(role, cards[card]) for card, role in CARD_ROLES.items()},
            "evidence": evidence.to_bytes() + b"\n",
            "evaluation": evaluation_bytes(evaluation),
        }
        if authorization is not None:
            documents[AUTHORIZATION] = _document(AUTHORIZATION, authorization.to_wire())
        write_members(self._path, documents)
        ledger, facts = self._read_back()
        texts = {**documents, "ledger": ledger}
        artifact = Artifact.seal(
            track=self._header.selection["track"],
            members=tuple(_member(role, texts[role]) for role in PLACES if role in texts),
            identity_manifest_digest_sha256=evidence.identity_manifest_digest_sha256,
            card_refs=self._header.card_refs,
            ledger=facts,
            runtime_evidence_digest_sha256=evidence.runtime_evidence_digest_sha256,
            evaluation_digest_sha256=evaluation["evaluation_digest_sha256"],
            writer=writer,
            authorization_digest_sha256=None if authorization is None else authorization.digest_sha256,
        )
        publish_artifact(self._path, artifact)
        return artifact

    def close(self) -> None:
        """Close the ledger as it is; without :meth:`publish` it is all that is left."""
        self.ledger.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _read_back(self) -> tuple[bytes, LedgerFacts]:
        """Return the ledger as it is on disk, and what it comes to."""
        place = PLACES["ledger"]
        with Folder(self._path) as folder:
            text = folder.read(place.path, place.limit)
        summary = LedgerReader(io.BytesIO(text)).read_to_end()
        summary.require_complete()
        head, root = summary.head_digest_sha256, summary.merkle_root_sha256
        return text, LedgerFacts(summary.lines, summary.rows, head, root)


def write_members(path: str, texts: Mapping[str, bytes]) -> None:
    """Write members, by role, to the folder of a bundle, each synced.

    Raises:
        DocumentError: ``file_exists``, ``file_unwritable`` or ``file_unsynced``.
    """
    make_folder(f"{path}/cards")
    write_files({f"{path}/{PLACES[role].path}": text for role, text in texts.items()})


def publish_artifact(path: str, artifact: Artifact) -> None:
    """Make a folder that has all members a bundle, in one step.

    Raises:
        DocumentError: ``file_exists`` or ``file_unwritable``, and it is none; ``file_unsynced``, and it is one.
    """
    # The temporary file is made beside the bundle: a crash must leave nothing in it that is not listed.
    write_files({f"{path}/{ARTIFACT_PATH}": artifact.to_bytes()}, staging=os.path.split(path)[0] or ".")


def _document(role: str, value: Mapping[str, Any]) -> bytes:
    place = PLACES[role]
    if place.profile is None:
        raise TypeError("the ledger is written while the run goes on")
    return bytes(admit(value, place.profile, at=f"{place.path}#").canonical) + b"\n"


def _member(role: str, text: bytes) -> Member:
    place = PLACES[role]
    return Member(role, place.path, place.media_type, len(text), sha256(text).hexdigest())
