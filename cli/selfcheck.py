"""Checks a manifest against the projections it claims itself, for commands that have no independent ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..errors import IdentityValidationError
from .inputs import read_document, unknown_kind

if TYPE_CHECKING:  # at run time it would load the kernel
    from ..identity import ValidatedIdentityManifest


def read_manifest(role: str, file: str) -> dict[str, Any]:
    """Read a document that calls itself a manifest.

    Args:
        role: what the path of a refusal starts with.
        file: the file as named by the user.

    Raises:
        DocumentError: the file cannot be read; ``document_kind`` if it does not call itself a manifest.
        IdentityValidationError: ``strict_json`` or ``resource_limits``.
    """
    from ..identity import IDENTITY_MANIFEST_SCHEMA

    document = read_document(role, file)
    if type(document) is not dict or document.get("schema") != IDENTITY_MANIFEST_SCHEMA:
        raise unknown_kind(role, document, IDENTITY_MANIFEST_SCHEMA)
    manifest: dict[str, Any] = document
    return manifest


def check_against_itself(role: str, manifest: dict[str, Any]) -> ValidatedIdentityManifest:
    """Validate a manifest against its own claims: shows that it is consistent, not that it describes anything real.

    Args:
        role: what the path of a refusal starts with.
        manifest: the document.

    Raises:
        IdentityValidationError: any code of the validator; the path lies in the manifest.
    """
    from ..identity import build_projection_census, claimed_projections, validate_identity_manifest

    try:
        claimed = claimed_projections(manifest)
        return validate_identity_manifest(manifest, build_projection_census(claimed), claimed)
    except IdentityValidationError as refusal:
        raise refusal.moved_to(role + _place_in_manifest(refusal.path)) from None


def _place_in_manifest(path: str) -> str:
    """Return where in the manifest a refused place of the documents derived from it lies."""
    document, _, inside = path.partition("#")
    if document == "manifest":
        return f"#{inside}"
    name, slash, field = inside.removeprefix("/").partition("/")
    if document == "projections" and name:
        return f"#/components/{name}/owned_projection{slash}{field}"
    return "#/components"  # rows of a census made for this check alone have no place of their own
