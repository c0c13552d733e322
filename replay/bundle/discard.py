"""Takes a run away again: a bundle, or what an interrupted run left."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

from ...errors import BundleError, DocumentError
from ...files import shown
from .contract import ARTIFACT_PATH, PLACES

_FOLDERS = {""} | {os.path.dirname(place.path) for place in PLACES.values()}  # noqa: PTH120  (texts all along)
_FILES = {ARTIFACT_PATH, *(place.path for place in PLACES.values())}
_TEMPORARY = re.compile(r"(?:cards/)?\.operatebench-[0-9a-f]{16}\.tmp", re.ASCII)
"""What a writer that was killed can leave besides."""


def discard_run(path: str | os.PathLike[str]) -> None:
    """Remove the folder of a run, if nothing is in it that a run does not write.

    ``artifact.json`` goes first: whatever interrupts this, what is left is no bundle. No link is followed.

    Raises:
        BundleError: ``member_unlisted``, and nothing was removed.
        DocumentError: ``file_type`` if it is no folder, and ``file_unwritable``.
    """
    root, files = _run(path)
    try:
        for name in files:
            os.unlink(f"{root}/{name}")  # noqa: PTH108
        for folder in sorted(_FOLDERS, reverse=True):
            if os.path.isdir(f"{root}/{folder}"):  # noqa: PTH112
                os.rmdir(f"{root}/{folder}")  # noqa: PTH106
    except OSError as fault:
        raise _unremovable(root, fault) from None


def require_discardable(path: str | os.PathLike[str]) -> None:
    """Refuse what :func:`discard_run` would refuse, and leave all as it is.

    Raises:
        BundleError: ``member_unlisted``.
        DocumentError: ``file_type`` or ``file_unwritable``.
    """
    _run(path)


def _run(path: str | os.PathLike[str]) -> tuple[str, list[str]]:
    """Return the folder of a run and its files, ``artifact.json`` first."""
    root = os.fspath(path).rstrip("/")  # else a link would be followed
    if not os.path.isdir(root) or os.path.islink(root):  # noqa: PTH112, PTH114
        raise DocumentError("file_type", path=shown(root), expected="the folder of a run", actual="something else")
    try:
        return root, sorted(_files(root), key=lambda name: (name != ARTIFACT_PATH, name))
    except OSError as fault:
        raise _unremovable(root, fault) from None


def _unremovable(root: str, fault: OSError) -> DocumentError:
    expected, actual = "a run that can be removed", os.strerror(fault.errno or 0)
    return DocumentError("file_unwritable", path=shown(root), expected=expected, actual=actual)


def _files(root: str) -> Iterator[str]:
    """Yield the files of a run, relative to its folder.

    Raises:
        BundleError: ``member_unlisted``.
    """
    for folder in sorted(_FOLDERS):
        place = f"{root}/{folder}"
        if not os.path.isdir(place):  # noqa: PTH112
            continue
        with os.scandir(place) as entries:
            for entry in entries:
                name = f"{folder}/{entry.name}".lstrip("/")
                if entry.is_dir(follow_symlinks=False) and name in _FOLDERS:
                    continue
                if entry.is_dir(follow_symlinks=False) or not (name in _FILES or _TEMPORARY.fullmatch(name)):
                    expected = "a folder with the files of a run and no others"
                    raise BundleError("member_unlisted", path=shown(f"{root}/{name}"), expected=expected, actual="more")
                yield name
