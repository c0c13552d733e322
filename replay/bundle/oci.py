"""A run bundle as an OCI image layout and back, byte for byte: for registries and tools that keep artifacts by digest.

Every file of the bundle is one layer, titled by its path; nothing in the layout depends on when or where it was made.
What is read back must be exactly the layout that would be written of that bundle; only the index may have annotations.
"""

from __future__ import annotations

import os
from hashlib import sha256
from typing import Any

from ...errors import BundleError, DocumentError, describe
from ...files import Folder, make_folder, make_new_folder, write_files
from ...identity.admission import admit
from ...identity.boundary import public
from ...identity.grammar import is_digest
from ...identity.strictjson import parse_json
from .artifact import Artifact
from .contract import ARTIFACT_PATH, JSON, LAYOUT_PROFILE, MAX_ARTIFACT_BYTES
from .read import bundle_of, read_bundle
from .write import publish_artifact, write_members

ARTIFACT_TYPE = "application/vnd.operatebench.run-bundle.v9"

_INDEX_TYPE = "application/vnd.oci.image.index.v1+json"
_MANIFEST_TYPE = "application/vnd.oci.image.manifest.v1+json"
_EMPTY_TYPE = "application/vnd.oci.empty.v1+json"
_TITLE = "org.opencontainers.image.title"
_LAYOUT_PATH, _INDEX_PATH = "oci-layout", "index.json"
_LAYOUT = {"imageLayoutVersion": "1.0.0"}
_EMPTY = b"{}"
_MAX_LAYOUT_BYTES = 64 * 1024


@public
def export_oci(bundle_path: str | os.PathLike[str], folder: str | os.PathLike[str]) -> str:
    """Write a run bundle as an OCI image layout.

    Args:
        bundle_path: the bundle.
        folder: a name that nothing has yet.

    Returns:
        The digest of the image manifest, in hexadecimal.

    Raises:
        BundleError: what :func:`operatebench.replay.bundle.read_bundle` refuses.
        DocumentError: likewise; ``file_exists``, ``file_unwritable`` or ``file_unsynced`` for the layout.
    """
    bundle = read_bundle(bundle_path)
    manifest = _manifest(bundle.artifact)
    root = os.fspath(folder).rstrip("/")
    make_new_folder(root)
    make_folder(f"{root}/blobs")
    make_folder(f"{root}/blobs/sha256")
    blobs = {manifest, _EMPTY, bundle.artifact.to_bytes(), *bundle.texts.values()}
    write_files({f"{root}/{_blob(sha256(blob).hexdigest())}": blob for blob in blobs})
    write_files({f"{root}/{_LAYOUT_PATH}": _encoded(_LAYOUT), f"{root}/{_INDEX_PATH}": _index(manifest)})
    return sha256(manifest).hexdigest()


@public
def import_oci(folder: str | os.PathLike[str], bundle_path: str | os.PathLike[str]) -> Artifact:
    """Write the run bundle that an OCI image layout holds.

    Nothing is written before all of it has been read and compared.

    Args:
        folder: the layout.
        bundle_path: a name that nothing has yet.

    Returns:
        What the bundle's ``artifact.json`` says.

    Raises:
        BundleError: ``oci_layout``, ``artifact_…`` or ``member_…``.
        DocumentError: a file of the layout cannot be read, or the bundle not be written.
    """
    with Folder(folder) as layout:
        if _parsed(layout, _LAYOUT_PATH) != _LAYOUT:
            raise _refused(_LAYOUT_PATH, "an image layout of version 1.0.0", "another document")
        manifest, layers = _read_manifest(layout)
        listed = _read_described(layout, layers[0], MAX_ARTIFACT_BYTES, "image manifest#/layers/0")
        artifact = Artifact.parse(listed)
        if manifest != _manifest(artifact):
            raise _refused("image manifest", "the manifest that follows from artifact.json", "another one")
        _read_described(layout, _described(_EMPTY, _EMPTY_TYPE), len(_EMPTY), "image manifest#/config")
        bundle = bundle_of(artifact, lambda member: layout.read(_blob(member.digest_sha256), member.size))
    root = os.fspath(bundle_path).rstrip("/")
    make_new_folder(root)
    write_members(root, bundle.texts)
    publish_artifact(root, artifact)
    return artifact


def _index(manifest: bytes) -> bytes:
    """Return the index of a layout with one image."""
    described = _described(manifest, _MANIFEST_TYPE, artifactType=ARTIFACT_TYPE)
    return _encoded({"schemaVersion": 2, "mediaType": _INDEX_TYPE, "manifests": [described]})


def _manifest(artifact: Artifact) -> bytes:
    """Return the image manifest of a bundle; ``artifact.json`` is its first layer."""
    layers = [_titled(ARTIFACT_PATH, _described(artifact.to_bytes(), JSON))]
    for member in artifact.members:
        described = {
            "mediaType": member.media_type,
            "digest": f"sha256:{member.digest_sha256}",
            "size": member.size,
        }
        layers.append(_titled(member.path, described))
    return _encoded(
        {
            "schemaVersion": 2,
            "mediaType": _MANIFEST_TYPE,
            "artifactType": ARTIFACT_TYPE,
            "config": _described(_EMPTY, _EMPTY_TYPE),
            "layers": layers,
        }
    )


def _described(blob: bytes, media_type: str, **members: str) -> dict[str, Any]:
    digest = f"sha256:{sha256(blob).hexdigest()}"
    return {"mediaType": media_type, "digest": digest, "size": len(blob), **members}


def _titled(path: str, described: dict[str, Any]) -> dict[str, Any]:
    return {**described, "annotations": {_TITLE: path}}


def _encoded(document: dict[str, Any]) -> bytes:
    return bytes(admit(document, LAYOUT_PROFILE).canonical)


def _blob(digest: str) -> str:
    return f"blobs/sha256/{digest}"


def _read_manifest(layout: Folder) -> tuple[bytes, list[Any]]:
    """Return the one image manifest of a layout, and its layers, of which there is at least one."""
    index = _parsed(layout, _INDEX_PATH)
    manifests = index.get("manifests") if type(index) is dict else None
    if type(manifests) is not list or len(manifests) != 1:
        raise _refused(f"{_INDEX_PATH}#/manifests", "exactly one image", describe(manifests))
    text = _read_described(layout, manifests[0], _MAX_LAYOUT_BYTES, f"{_INDEX_PATH}#/manifests/0")
    said = {**_unannotated(index), "manifests": [_unannotated(manifests[0])]}
    if _encoded(said) != _index(text):
        raise _refused(_INDEX_PATH, "the index that follows from the image, and annotations", "another one")
    manifest = parse_json(text, LAYOUT_PROFILE, at="image manifest#").value
    layers = manifest.get("layers") if type(manifest) is dict else None
    if type(layers) is not list or not layers:
        raise _refused("image manifest#/layers", "the files of a run bundle", describe(layers))
    return text, layers


def _unannotated(described: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in described.items() if name != "annotations"}


def _read_described(layout: Folder, described: Any, limit: int, at: str) -> bytes:
    """Return the blob that a descriptor names, within a limit."""
    digest = described.get("digest") if type(described) is dict else None
    # Only a digest of this form may become part of a path.
    named = type(digest) is str and digest.startswith("sha256:") and is_digest(digest.removeprefix("sha256:"))
    if not named:
        raise _refused(f"{at}/digest", "sha256: and 64 lowercase hexadecimal characters", describe(digest))
    text = layout.read(_blob(str(digest).removeprefix("sha256:")), limit)
    found = f"sha256:{sha256(text).hexdigest()}"
    if found != digest:
        raise _refused(f"{at}/digest", found, describe(digest))
    return text


def _parsed(layout: Folder, name: str) -> Any:
    try:
        text = layout.read(name, _MAX_LAYOUT_BYTES)
    except DocumentError as refusal:
        if refusal.code != "file_missing":
            raise
        raise _refused(name, "a file of an image layout", "no such file") from None
    return parse_json(text, LAYOUT_PROFILE, at=f"{name}#").value


def _refused(at: str, expected: str, actual: str) -> BundleError:
    return BundleError("oci_layout", path=at, expected=expected, actual=actual)
