"""The records of a ledger: header, row and terminal line without their chain, and what a whole ledger comes to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from ...errors import LedgerError
from ...identity import ValidatedIdentityManifest
from ...identity.admission import admit
from ...identity.records import freeze
from .contract import HEADER, LEDGER_PROFILE, LEDGER_SCHEMA, LEDGER_SCHEMA_VERSION, TERMINAL
from .form import require_header, require_terminal
from .requirements import exact_requirements

PLACED = ("at", "index", "record_type")
"""The members of a row of a trajectory that the ledger has beside its body."""


@dataclass(frozen=True, slots=True)
class LedgerHeader:
    """What a run is bound to before it begins. All members are of the right form, and read-only.

    Attributes:
        operation_instance_id: ``opinst_`` and 32 hexadecimal characters.
        selection: track, pack, operation_id, variant_id, agent_id, arm, plan and trial.
        identity_manifest_digest_sha256: of the manifest.
        runtime_bundle_digest_sha256: of its runtime bundle.
        experiment_bundle_digest_sha256: of its experiment bundle.
        card_refs: a CardRef each for operation, semantic_scenario and variant.
        requirements: exact_digest rows; those of :func:`exact_requirements` if the header was made by :meth:`of`.
    """

    operation_instance_id: str
    selection: Mapping[str, Any]
    identity_manifest_digest_sha256: str
    runtime_bundle_digest_sha256: str
    experiment_bundle_digest_sha256: str
    card_refs: Mapping[str, Mapping[str, str]]
    requirements: tuple[Mapping[str, Any], ...]

    @classmethod
    def of(
        cls,
        manifest: ValidatedIdentityManifest,
        *,
        operation_instance_id: str,
        selection: dict[str, Any],
        card_refs: dict[str, dict[str, str]],
    ) -> Self:
        """Return the header of a run that is bound to ``manifest``.

        Raises:
            LedgerError: ``ledger_json``, ``ledger_limits`` or ``ledger_value``; the path is a JSON Pointer.
        """
        return cls.from_wire(
            {
                "record": HEADER,
                "schema": LEDGER_SCHEMA,
                "schema_version": LEDGER_SCHEMA_VERSION,
                "operation_instance_id": operation_instance_id,
                "selection": selection,
                "identity_manifest_digest_sha256": manifest.manifest_digest_sha256,
                "runtime_bundle_digest_sha256": manifest.composites["runtime_bundle"].bundle_digest_sha256,
                "experiment_bundle_digest_sha256": manifest.composites["experiment_bundle"].bundle_digest_sha256,
                "card_refs": card_refs,
                "requirements": exact_requirements(manifest),
            }
        )

    @classmethod
    def from_wire(cls, wire: dict[str, Any], at: str = "") -> Self:
        """Return the record of a plain object with the members of a header, those of the chain aside.

        Raises:
            LedgerError: ``ledger_json``, ``ledger_limits`` or ``ledger_value``; the path is ``at`` and a JSON Pointer.
        """
        plain = admit(wire, LEDGER_PROFILE, at=at).value
        require_header(plain, at)
        return cls(**{name: freeze(plain[name]) for name in cls.__dataclass_fields__})

    def to_wire(self) -> dict[str, Any]:
        """Return the header without its chain as fresh plain JSON."""
        return {
            "record": HEADER,
            "schema": LEDGER_SCHEMA,
            "schema_version": LEDGER_SCHEMA_VERSION,
            "operation_instance_id": self.operation_instance_id,
            "selection": dict(self.selection),
            "identity_manifest_digest_sha256": self.identity_manifest_digest_sha256,
            "runtime_bundle_digest_sha256": self.runtime_bundle_digest_sha256,
            "experiment_bundle_digest_sha256": self.experiment_bundle_digest_sha256,
            "card_refs": {role: dict(reference) for role, reference in self.card_refs.items()},
            "requirements": [
                {"component": row["component"], "compatible": dict(row["compatible"])} for row in self.requirements
            ],
        }


@dataclass(frozen=True, slots=True)
class LedgerRow:
    """One row of the trajectory.

    Attributes:
        index: from 0.
        at: the simulated instant.
        record_type: any text; the ledger knows no domain.
        body: the row's own fields, plain JSON that nobody else holds.
        digest_sha256: of the line; it commits to all lines before.
    """

    index: int
    at: str
    record_type: str
    body: dict[str, Any]
    digest_sha256: str


@dataclass(frozen=True, slots=True)
class LedgerTerminal:
    """How the run ended.

    Attributes:
        status: a domain terminal, or one of the two halt words.
        outcome_class: what kind of ending that is.
        final_state_digest_sha256: of the final state.
        trajectory_digest_sha256: of the whole trajectory.
        row_count: rows of the ledger.
        merkle_root_sha256: root over the digests of all rows.
    """

    status: str
    outcome_class: str
    final_state_digest_sha256: str
    trajectory_digest_sha256: str
    row_count: int
    merkle_root_sha256: str

    @classmethod
    def from_wire(cls, wire: Mapping[str, Any], at: str = "") -> Self:
        """Return the record of a plain object with the members of a terminal line.

        Raises:
            LedgerError: ``ledger_value``; the path is ``at`` and a JSON Pointer.
        """
        require_terminal(wire, at)
        return cls(**{name: wire[name] for name in cls.__dataclass_fields__})

    def to_wire(self) -> dict[str, Any]:
        """Return the terminal line without its chain as fresh plain JSON."""
        return {"record": TERMINAL, **{name: getattr(self, name) for name in self.__dataclass_fields__}}


@dataclass(frozen=True, slots=True)
class LedgerSummary:
    """What all lines of a ledger come to. Kept elsewhere, it shows a cut tail even if the rest was closed anew.

    Attributes:
        terminal: how the run ended; None for the beginning of a run, which is no result.
        lines: header, rows and terminal line.
        rows: rows alone.
        head_digest_sha256: digest of the last line.
        merkle_root_sha256: root over the digests of all rows.
    """

    terminal: LedgerTerminal | None
    lines: int
    rows: int
    head_digest_sha256: str
    merkle_root_sha256: str

    def require_complete(self) -> LedgerTerminal:
        """Return how the run ended.

        Raises:
            LedgerError: ``ledger_incomplete``.
        """
        if self.terminal is None:
            actual = f"{self.rows} rows and the end of the file"
            raise LedgerError("ledger_incomplete", expected="a terminal line", actual=actual)
        return self.terminal
