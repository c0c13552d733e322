"""Takes the source identity of a package from its bytes on disk, and says later whether they were left alone."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.machinery import all_suffixes
from pathlib import Path
from types import MappingProxyType
from typing import TypeVar

from ..errors import DocumentError, ProvenanceError
from ..files import FileBelow, Stamp, shown, visit_below
from .owners import OwnerTable
from .source import SourceFile, SourceIdentityV1

T = TypeVar("T")

MAX_SOURCE_FILE_BYTES = 16 * 1024 * 1024
_PACKAGE = "__init__.py"
_BYTE_CODE = "/__pycache__/"
_MODULES = tuple(all_suffixes())


@dataclass(frozen=True, slots=True)
class SourceSnapshot:
    """A source identity, and what tells whether the files are still those it was taken from.

    Attributes:
        identity: of the files.
        root: the package's folder, without links.
        owners: the table that said which files there are.
        stamps: path -> stamp when the file was read.
    """

    identity: SourceIdentityV1
    root: str
    owners: OwnerTable
    stamps: Mapping[str, Stamp]

    def require_unchanged(self) -> None:
        """Compare the stamps of all files with those taken; nothing is read.

        Raises:
            ProvenanceError: ``source_changed_during_run``; the path is that of the first such file.
        """
        try:
            now = dict(_visit(self.root, self.owners, lambda file: (file.path, file.stamp())))
        except DocumentError as refusal:  # what was a file is none any more
            raise _changed(refusal.path, refusal.actual) from None
        moved = [path for path in sorted(now.keys() | self.stamps.keys()) if now.get(path) != self.stamps.get(path)]
        if moved:
            raise _changed(shown(moved[0]), f"changed, added or removed files: {len(moved)}")


def take_source_snapshot(root: str | os.PathLike[str], owners: OwnerTable) -> SourceSnapshot:
    """Read and hash all files of a package.

    Only what the table's entries are about is looked at, so the same package gives the same identity wherever it lies:
    installed, copied, or in a checkout with other things beside it. There, ``__pycache__`` is passed over, and what
    no entry covers is refused. So is a module in the root that no entry names.

    Args:
        root: the package's folder; links in this path, and there alone, are followed, once.
        owners: which files there are, and to whom each belongs.

    Raises:
        ProvenanceError: ``source_root`` or ``file_without_owner``.
        DocumentError: ``file_type``, ``file_changed``, ``file_unreadable`` or ``file_too_large``.
        The path is that below the root; of the root itself, the absolute one.
    """
    place = os.path.realpath(root)
    if not _is_package(Path(place)):
        raise ProvenanceError("source_root", path=shown(place), expected="a package", actual=f"no {_PACKAGE}")

    def read(file: FileBelow) -> tuple[SourceFile, Stamp]:
        try:
            owner = owners.owner_of(file.path)
        except KeyError:
            expected = "a file that the owner table covers"
            raise ProvenanceError.found("file_without_owner", shown(file.path), expected, file.name) from None
        content, stamp = file.read(MAX_SOURCE_FILE_BYTES)
        return SourceFile(file.path, len(content), hashlib.sha256(content).hexdigest(), owner), stamp

    found = _visit(place, owners, read)
    stamps = MappingProxyType({file.path: stamp for file, stamp in found})
    return SourceSnapshot(SourceIdentityV1.of(file for file, _ in found), place, owners, stamps)


def _is_package(place: Path) -> bool:
    try:
        return (place / _PACKAGE).is_file()
    except OSError:  # it may not be looked at
        return False


def _visit(root: str, owners: OwnerTable, visit: Callable[[FileBelow], T]) -> list[T]:
    top_level = owners.top_level()

    def wanted(path: str) -> bool:
        name = path.removesuffix("/")
        if "/" in name:
            return not path.endswith(_BYTE_CODE)
        # A module in the root can come before the package's own: Python prefers compiled extensions to sources.
        return name in top_level or path.endswith(_MODULES)

    return visit_below(root, wanted, visit)


def _changed(path: str, actual: str) -> ProvenanceError:
    expected = "the file that the source identity was taken from"
    return ProvenanceError("source_changed_during_run", path=path, expected=expected, actual=actual)
