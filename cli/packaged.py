"""Writes folders of packaged documents to disk, for whoever works with them outside of this package."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources.abc import Traversable

from ..files import make_folder, write_files

_DOCUMENTS = (".json", ".md")


def copy_documents(folder: Traversable, out: str) -> list[str]:
    """Copy all documents of a packaged folder, with the folders in it, into a folder that is made if need be.

    Args:
        folder: the packaged folder.
        out: where to.

    Returns:
        The new files.

    Raises:
        DocumentError: ``file_exists`` or ``file_unwritable``, and no file was written; ``file_unsynced``.
    """
    found = dict(_documents(folder, out))
    for place in sorted({path.rpartition("/")[0] for path in found} | {out}):
        make_folder(place)
    write_files(found)
    return list(found)


def _documents(folder: Traversable, out: str) -> Iterator[tuple[str, bytes]]:
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        path = f"{out}/{entry.name}"
        if entry.is_dir():
            yield from _documents(entry, path)
        elif entry.name.endswith(_DOCUMENTS):
            yield path, entry.read_bytes()
