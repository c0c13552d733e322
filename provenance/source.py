"""The source identity: each file of a package by path, size and SHA-256, and the digest of that list."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from ..errors import ProvenanceError, describe, pointer
from ..identity.canonical import Canonical, encode
from ..identity.grammar import is_digest
from ..identity.labels import labelled_digest
from ..identity.profile import IDENTITY_PROFILE
from .owners import OwnerTable, is_source_path

SOURCE_IDENTITY_SCHEMA = "operatebench.source_identity.v1"
SOURCE_IDENTITY_SCHEMA_VERSION = 1
UNLISTED = "unlisted"
"""The owner of a file that another build had, and that the owner table of this one does not cover."""

_DIGEST = "source_identity_digest_sha256"


@dataclass(frozen=True, slots=True)
class SourceFile:
    """One file of the source.

    Attributes:
        path: relative to the package, with slashes.
        size: bytes.
        sha256: of its bytes.
        owner: by the table of whoever looks at it, and so not compared.
    """

    path: str
    size: int
    sha256: str
    owner: str = field(compare=False)

    def to_wire(self) -> dict[str, Any]:
        """Return the file as a fresh plain object; the owner is no part of it."""
        return {"path": self.path, "size": self.size, "sha256": self.sha256}


@dataclass(frozen=True, slots=True)
class SourceIdentityV1:
    """All files of a source, and their digest (replay contract, section 1). :meth:`of` makes it.

    Attributes:
        files: in code-point order of their paths.
        digest_sha256: of paths, sizes and SHA-256.
    """

    files: tuple[SourceFile, ...]
    digest_sha256: str

    @classmethod
    def of(cls, files: Iterable[SourceFile]) -> SourceIdentityV1:
        """Return the identity of these files, of all of a package or of a part of it."""
        ordered = tuple(sorted(files, key=lambda file: file.path))
        # Admission would find nothing: there are plain texts and sizes, no more.
        data = encode({"files": [file.to_wire() for file in ordered]}, IDENTITY_PROFILE)
        content = Canonical((data,), len(data), nodes=2 + 4 * len(ordered), depth=3)
        return cls(ordered, labelled_digest("source_identity.v1", content))

    def of_owner(self, owner: str) -> SourceIdentityV1:
        """Return the identity of the files that belong to ``owner``."""
        return self.of(file for file in self.files if file.owner == owner)

    def to_wire(self) -> dict[str, Any]:
        """Return the document to save: a fresh plain object."""
        return {
            "schema": SOURCE_IDENTITY_SCHEMA,
            "schema_version": SOURCE_IDENTITY_SCHEMA_VERSION,
            "files": [file.to_wire() for file in self.files],
            _DIGEST: self.digest_sha256,
        }


def read_source_identity(document: Any, owners: OwnerTable) -> SourceIdentityV1:
    """Return the identity in a saved document, after making its digest again.

    Args:
        document: plain JSON, as the strict parser gives it.
        owners: says to whom each file belongs; it need not cover all of them, for they may be those of another build.

    Raises:
        ProvenanceError: ``source_shape`` or ``source_digest``.
    """
    _require_members(document, "", ("schema", "schema_version", "files", _DIGEST))
    for name, expected in (("schema", SOURCE_IDENTITY_SCHEMA), ("schema_version", SOURCE_IDENTITY_SCHEMA_VERSION)):
        found = document[name]
        _require(type(found) is type(expected) and found == expected, f"/{name}", describe(expected), found)
    rows = document["files"]
    _require(type(rows) is list and rows != [], "/files", "a list of files", rows)
    before = ""
    files = []
    for index, row in enumerate(rows):
        place = pointer("files", index)
        _require_members(row, place, ("path", "size", "sha256"))
        path, size, sha256 = row["path"], row["size"], row["sha256"]
        _require(type(path) is str and is_source_path(path), f"{place}/path", "a relative path", path)
        _require(path > before, f"{place}/path", "paths in code-point order, each once", path)
        _require(type(size) is int and size >= 0, f"{place}/size", "a number of bytes", size)
        _require(is_digest(sha256), f"{place}/sha256", "a SHA-256", sha256)
        files.append(SourceFile(path, size, sha256, _owner(path, owners)))
        before = path
    identity = SourceIdentityV1.of(files)
    if document[_DIGEST] != identity.digest_sha256:
        raise ProvenanceError.found("source_digest", f"/{_DIGEST}", identity.digest_sha256, document[_DIGEST])
    return identity


def _owner(path: str, owners: OwnerTable) -> str:
    try:
        return owners.owner_of(path)
    except KeyError:
        return UNLISTED


def _require_members(value: Any, place: str, names: tuple[str, ...]) -> None:
    found = type(value) is dict and value.keys() == set(names)
    _require(found, place, f"an object of {', '.join(names)}", value)


def _require(kept: bool, place: str, expected: str, value: Any) -> None:
    if not kept:
        raise ProvenanceError.found("source_shape", place, expected, value)
