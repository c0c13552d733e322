"""What the checks read from a run bundle, each document once; a later check finds here what an earlier one made."""

from __future__ import annotations

import io
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ...identity import ValidatedIdentityManifest, build_projection_census, validate_identity_manifest
from ..bound import Projections
from ..bundle import Bundle
from ..ledger import LedgerHeader, LedgerReader, LedgerRow, LedgerSummary, LedgerTerminal


@dataclass(frozen=True, slots=True)
class RecordedLedger:
    """A whole ledger.

    Attributes:
        rows: all of them.
        terminal: how the run ended.
    """

    header: LedgerHeader
    rows: tuple[LedgerRow, ...]
    summary: LedgerSummary
    terminal: LedgerTerminal

    @classmethod
    def read(cls, text: bytes) -> RecordedLedger:
        """Read and verify a ledger.

        Raises:
            LedgerError: any code of a line, or ``ledger_incomplete``.
            DocumentError: ``document_kind``.
        """
        reader = LedgerReader(io.BytesIO(text))
        rows = tuple(reader)
        summary = reader.summary()
        return cls(reader.header, rows, summary, summary.require_complete())


@dataclass(frozen=True, slots=True)
class IdentityManifest:
    """A manifest that is sound in itself, recorded or live.

    Attributes:
        projections: what it says that its components project.
        validated: the manifest, validated with those.
        census: the census that follows from them.
    """

    projections: Projections
    validated: ValidatedIdentityManifest
    census: Mapping[str, Any]

    @classmethod
    def of(cls, manifest: dict[str, Any], projections: Projections) -> IdentityManifest:
        """Validate a manifest against projections and the census that follows from them.

        Raises:
            IdentityValidationError: the first rule that it breaks.
        """
        census = build_projection_census(projections)
        return cls(projections, validate_identity_manifest(manifest, census, projections), census)


@dataclass(frozen=True, slots=True)
class Recording:
    """A bundle of which every document is sound in itself; plain JSON that nobody changes.

    Attributes:
        cards: by ``operation``, ``semantic_scenario`` and ``variant``.
        evidence: ``operatebench.executed_runtime_evidence.v1``.
    """

    bundle: Bundle
    cards: Mapping[str, Mapping[str, Any]]
    manifest: IdentityManifest
    ledger: RecordedLedger
    evidence: Mapping[str, Any]

    @property
    def selection(self) -> Mapping[str, Any]:
        """Which run is meant."""
        return self.ledger.header.selection
