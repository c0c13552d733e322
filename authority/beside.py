"""The files beside an authorization: the source and manifests that it binds, so that a refusal can say what moved."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..errors import OperateBenchError
from ..files import read_file
from ..identity import (
    ValidatedIdentityManifest,
    build_projection_census,
    claimed_projections,
    parse_json,
    validate_identity_manifest,
)
from ..identity.admission import admit
from ..identity.profile import IDENTITY_PROFILE
from ..provenance import OwnerTable, SourceIdentityV1, read_source_identity
from .authorization import Pair, SourceBoundAuthorizationV1
from .live import Build

SUFFIX = ".json"
"""What the name of an authorization's file ends with; the files beside it have the rest of its name."""


def files_of(
    path: str,
    authorization: SourceBoundAuthorizationV1,
    source: SourceIdentityV1,
    manifests: Mapping[Pair, Mapping[str, Any]],
) -> dict[str, bytes]:
    """Return the files of an authorization: itself, the source, and a manifest for each run, in their order.

    Args:
        path: of the authorization; it ends with ``.json``.
        authorization: what was issued.
        source: what it was issued for.
        manifests: of all its runs.

    Returns:
        Path -> bytes.
    """
    documents: dict[str, Mapping[str, Any]] = {path: authorization.to_wire(), _source_path(path): source.to_wire()}
    for index, run in enumerate(authorization.runs):
        documents[_manifest_path(path, index)] = manifests[run.pair]
    return {place: bytes(admit(document).canonical) + b"\n" for place, document in documents.items()}


def read_beside(path: str, authorization: SourceBoundAuthorizationV1, owners: OwnerTable) -> Build:
    """Return what is at hand beside an authorization: only what is sound and has the bound digest.

    Args:
        path: of the authorization.
        authorization: says which digests are bound.
        owners: to whom each file of a source belongs.
    """
    source = _source(_source_path(path), owners)
    if source is not None and source.digest_sha256 != authorization.source_identity_digest_sha256:
        source = None
    manifests = {}
    for index, run in enumerate(authorization.runs):
        manifest = _manifest(_manifest_path(path, index))
        if manifest is not None and manifest.manifest_digest_sha256 == run.manifest_digest_sha256:
            manifests[run.pair] = manifest
    return Build(source, manifests)


def _manifest(path: str) -> ValidatedIdentityManifest | None:
    """Return the manifest in a file, if there is a sound one."""
    try:
        manifest = parse_json(read_file(path, IDENTITY_PROFILE.max_text_bytes)).value
        projections = claimed_projections(manifest)
        return validate_identity_manifest(manifest, build_projection_census(projections), projections)
    except OperateBenchError:
        return None


def _source(path: str, owners: OwnerTable) -> SourceIdentityV1 | None:
    """Return the source identity in a file, if there is a sound one."""
    try:
        return read_source_identity(parse_json(read_file(path, IDENTITY_PROFILE.max_text_bytes)).value, owners)
    except OperateBenchError:
        return None


def _source_path(path: str) -> str:
    return f"{path.removesuffix(SUFFIX)}.source{SUFFIX}"


def _manifest_path(path: str, index: int) -> str:
    return f"{path.removesuffix(SUFFIX)}.manifest-{index + 1}{SUFFIX}"
