"""What is here in the place of what a run is bound to (checks 4b and 7)."""

from __future__ import annotations

from ...errors import VerificationError
from ...identity import build_identity_manifest
from ..bound import BoundRuntime
from ..bundle.contract import PLACES
from ..ledger import LedgerHeader
from .recording import IdentityManifest


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
