"""What a run is bound to: its cards, the eleven projections, and the manifest and census that follow from them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from ..identity import (
    ValidatedIdentityManifest,
    build_identity_manifest,
    build_projection_census,
    validate_identity_manifest,
)
from ..identity.admission import admit
from ..identity.labels import labelled_digest
from .bound import Projections

__all__ = ["RunIdentity", "card_ref", "operation_instance_id"]


@dataclass(frozen=True, slots=True)
class RunIdentity:
    """What every trial of one agent in one variant is bound to. The members are plain JSON that nobody changes.

    Attributes:
        cards: the cards, by ``operation``, ``semantic_scenario`` and ``variant``.
        projections: of the eleven components.
        manifest: the identity manifest.
        census: that of exactly these projections.
        validated: the manifest, validated with both.
    """

    cards: Mapping[str, Mapping[str, Any]]
    projections: Projections
    manifest: Mapping[str, Any]
    census: Mapping[str, Any]
    validated: ValidatedIdentityManifest

    @classmethod
    def of(cls, cards: Mapping[str, Mapping[str, Any]], projections: Projections) -> Self:
        """Return the identity that follows from cards and projections.

        Raises:
            IdentityValidationError: the projections become no manifest.
        """
        manifest, census = build_identity_manifest(projections), build_projection_census(projections)
        return cls(cards, projections, manifest, census, validate_identity_manifest(manifest, census, projections))

    @property
    def runtime_bundle_digest_sha256(self) -> str:
        """The digest of all that can change what happens in an episode, and of nothing else."""
        return self.validated.composites["runtime_bundle"].bundle_digest_sha256

    def card_refs(self) -> dict[str, dict[str, str]]:
        """Return the references to the cards, as ledger and artifact carry them."""
        return {name: card_ref(card) for name, card in self.cards.items()}

    def content_digest(self, component: str) -> str:
        """Return the content digest of a component."""
        return self.validated.components[component].content_digest_sha256

    def instance_id(self, trial: int) -> str:
        """Return the id that one trial always gets.

        Args:
            trial: from 0.
        """
        return operation_instance_id(self.runtime_bundle_digest_sha256, trial)


def card_ref(card: Mapping[str, Any]) -> dict[str, str]:
    """Return the reference to a card: schema, id and digest."""
    return {member: card[member] for member in ("schema", "id", "content_digest_sha256")}


def operation_instance_id(runtime_bundle_digest_sha256: str, trial: int) -> str:
    """Return the operation instance id of a trial (replay contract, section 1).

    The evaluator has no part in it: an edit there changes nothing an agent sees.

    Args:
        runtime_bundle_digest_sha256: of the manifest.
        trial: from 0.
    """
    content = admit({"runtime_bundle_digest_sha256": runtime_bundle_digest_sha256, "trial": trial}).canonical
    return f"opinst_{labelled_digest('operation_instance.v1', content)[:32]}"
