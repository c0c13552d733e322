"""Checks 2, 3, 4a, 5 and 9: each document of a bundle is sound in itself (replay contract, section 5)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from ...cards import load_card_chain
from ...cards.projection import CARD_ROOTS
from ...errors import CardValidationError, EvidenceError, IdentityValidationError, VerificationError
from ...identity import claimed_projections
from ..bundle import Bundle
from ..bundle.contract import CARD_ROLES, PLACES
from ..evidence.read import require_evidence
from .differences import require_equal
from .recording import IdentityManifest

_SCHEMAS = dict(zip(CARD_ROLES, CARD_ROOTS, strict=True))
"""Name of a card -> the schema that it has."""
_OWN = re.compile(r"^(?:manifest#|(?=projections#|census#))")
"""How the validator of manifests begins the places in a manifest; other places are named behind that."""
_CARD_PLACES = {f"cards/{index}": PLACES[role].path for index, role in enumerate(CARD_ROLES.values())}
"""How the card reader names the cards that it is given -> their places."""


def sound_cards(bundle: Bundle) -> Mapping[str, Mapping[str, Any]]:
    """Check 2: three cards, each of its own kind, valid, and referring to one another.

    Raises:
        CardValidationError: the first rule that one of them breaks.
        VerificationError: ``card_not_of_role``.
    """
    cards: dict[str, Any] = {name: bundle.documents[role] for name, role in CARD_ROLES.items()}
    for name, card in cards.items():
        schema = card.get("schema") if type(card) is dict else None
        if schema != _SCHEMAS[name]:
            path = f"{PLACES[CARD_ROLES[name]].path}#/schema"
            raise VerificationError.found("card_not_of_role", path, _SCHEMAS[name], schema)
    try:
        load_card_chain([bundle.texts[role] for role in CARD_ROLES.values()])
    except CardValidationError as refusal:
        at, mark, inside = refusal.path.partition("#")
        raise refusal.moved_to(f"{_CARD_PLACES.get(at, at)}{mark}{inside}") from None
    return cards


def sound_manifest(bundle: Bundle) -> IdentityManifest:
    """Check 4a: the manifest follows from its own projections, and requires nothing weaker than exact digests.

    Raises:
        IdentityValidationError: the first rule of the manifest that it breaks.
        VerificationError: ``requirement_not_exact``.
    """
    manifest = bundle.documents["manifest"]
    try:
        sound = IdentityManifest.of(manifest, claimed_projections(manifest))
    except IdentityValidationError as refusal:
        # Its projections, and the census that follows from them, are the manifest's own: there is no other place.
        raise refusal.moved_to(f"{PLACES['manifest'].path}{_OWN.sub('#', refusal.path)}") from None
    for name, component in sound.validated.components.items():
        for index, row in enumerate(component.requires):
            kind = row.compatible["kind"]
            if kind != "exact_digest":
                path = f"{PLACES['manifest'].path}#/components/{name}/requires/{index}/compatible/kind"
                raise VerificationError.found("requirement_not_exact", path, "exact_digest", kind)
    return sound


def require_derived_census(bundle: Bundle, manifest: IdentityManifest) -> None:
    """Check 3: the census is byte by byte the one of the manifest's own projections.

    Raises:
        VerificationError: ``census_not_derived``.
    """
    require_equal("census_not_derived", f"{PLACES['census'].path}#", manifest.census, bundle.documents["census"])


def sound_evidence(bundle: Bundle) -> Mapping[str, Any]:
    """Check 9: the evidence keeps every rule of its contract.

    Raises:
        EvidenceError: the first rule that it breaks.
    """
    evidence: Mapping[str, Any] = bundle.documents["evidence"]
    try:
        require_evidence(evidence)
    except EvidenceError as refusal:
        raise refusal.moved_to(refusal.path.replace("evidence#", f"{PLACES['evidence'].path}#", 1)) from None
    return evidence
