"""Checks 4b and 7: what the run is bound to against what is here, and whether that can replay it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ...errors import VerificationError
from ...identity import ValidatedIdentityManifest, build_identity_manifest, identity_diff
from ...identity.reassigned import Reassigned, reassigned
from ..bound import BoundRuntime
from ..bundle.contract import PLACES
from ..ledger import LedgerHeader
from .recording import IdentityManifest


@dataclass(frozen=True, slots=True)
class Moved:
    """One component that is another one here.

    Attributes:
        component: its name.
        paths: what is different in it; empty for one that merely follows, because it requires another that moved.
    """

    component: str
    paths: tuple[str, ...]

    def to_wire(self) -> dict[str, Any]:
        """Return it as a fresh plain object."""
        return {"component": self.component, "paths": list(self.paths)}


@dataclass(frozen=True, slots=True)
class LiveComparison:
    """A recorded manifest beside the live one.

    Attributes:
        live: the live manifest.
        moved: components with another content, and those that follow, in registry order; empty if both are equal.
        bundles: names of the bundles that are others.
        reassigned: paths that belong to another component here; if there are any, ``moved`` names no paths.
    """

    live: ValidatedIdentityManifest
    moved: tuple[Moved, ...]
    bundles: tuple[str, ...]
    reassigned: tuple[Reassigned, ...]

    @property
    def other_contents(self) -> tuple[str, ...]:
        """The components whose content is another one here; one that follows has the same."""
        return tuple(row.component for row in self.moved if row.paths or self.reassigned)

    def to_wire(self) -> dict[str, Any]:
        """Return the comparison as a fresh plain object."""
        return {
            "equal": not self.moved,
            "moved": [row.to_wire() for row in self.moved],
            "bundles": list(self.bundles),
            "reassigned": [row._asdict() for row in self.reassigned],
        }


class LiveManifests:
    """The manifests of what is here; each is made once, as long as the runtime hands out the same projections."""

    def __init__(self, bound: BoundRuntime) -> None:
        self._bound = bound
        self._made: dict[int, IdentityManifest] = {}

    def of(self, header: LedgerHeader) -> IdentityManifest:
        """Return what is here of the run that a ledger names.

        Raises:
            VerificationError: ``selection_unknown``.
        """
        selection = dict(header.selection)
        projections = self._bound.live(selection)
        if projections is None:
            named = " ".join(selection[name] for name in ("operation_id", "variant_id", "agent_id"))
            at, expected = f"{PLACES['ledger'].path} line 1 /selection", "an operation, variant and agent that are here"
            raise VerificationError.found("selection_unknown", at, expected, named)
        # The projections are kept, so that no other object can get their id.
        if id(projections) not in self._made:
            self._made[id(projections)] = IdentityManifest.of(build_identity_manifest(projections), projections)
        return self._made[id(projections)]


def compare_live(recorded: IdentityManifest, here: IdentityManifest) -> LiveComparison:
    """Compare a recorded manifest with the live one."""
    live = here.validated
    if recorded.validated.manifest_digest_sha256 == live.manifest_digest_sha256:
        return LiveComparison(live, (), (), ())
    bundles = tuple(
        name
        for name, bundle in live.composites.items()
        if bundle.bundle_digest_sha256 != recorded.validated.composites[name].bundle_digest_sha256
    )
    gone = reassigned(recorded.projections, here.projections)
    if gone:  # a diff of manifests refuses these
        names = (
            name
            for name, component in live.components.items()
            if component.content_digest_sha256 != recorded.validated.components[name].content_digest_sha256
        )
        return LiveComparison(live, tuple(Moved(name, ()) for name in names), bundles, gone)
    rows = identity_diff(recorded.validated, live)
    return LiveComparison(live, tuple(Moved(row.owner, row.changed_field_paths) for row in rows), bundles, ())
