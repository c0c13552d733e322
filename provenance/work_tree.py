"""Reads the content of tracked files below one folder: no link is followed, and no file may change meanwhile."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from io import FileIO
from types import TracebackType
from typing import Self

from ..errors import CleanTreeError, DocumentError
from ..files import shown
from ..files.read import kind_of
from .clean_tree import LINK, Content

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY
_CHUNK = 1024 * 1024


class WorkTree:
    """An open folder with tracked files in it. Use it as a context manager.

    The folder of the entry read last stays open: entries come in the order of their paths, so most are in the same.
    """

    __slots__ = ("_folder", "_place", "_root")

    def __init__(self, root: bytes) -> None:
        """Open the folder, which has no link in its path.

        Raises:
            DocumentError: ``file_unreadable``.
        """
        try:
            self._root = os.open(root, _FOLDER)
        except OSError as fault:
            texts = {"expected": "a readable folder", "actual": os.strerror(fault.errno or 0)}
            raise DocumentError("file_unreadable", path=shown(root), **texts) from None
        self._folder = self._root
        self._place = b""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._leave()
        os.close(self._root)

    def read(self, mode: bytes, path: bytes) -> Content:
        """Return the content of an entry.

        Args:
            mode: what the entry is to be.
            path: from the top of the tree, admitted.

        Raises:
            CleanTreeError: ``unreadable_bytes``; of a big file, its chunks raise it.
        """
        place, _, name = path.rpartition(b"/")
        try:
            if place != self._place:
                self._enter(place)
            if mode == LINK:
                text = os.readlink(name, dir_fd=self._folder)
                return Content(len(text), (text,))
            return self._content(name, path)
        except OSError as fault:
            raise _unreadable(path, os.strerror(fault.errno or 0)) from None

    def _content(self, name: bytes, path: bytes) -> Content:
        descriptor = os.open(name, _FILE, dir_fd=self._folder)
        try:
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode):
                raise _unreadable(path, kind_of(status.st_mode))
            size = status.st_size
            if size > _CHUNK:
                return Content(size, _chunks(os.fdopen(os.dup(descriptor), "rb", buffering=0), status, path))
            data = os.read(descriptor, size + 1)  # growth shows
            _require_unchanged(status, descriptor, path)
        finally:
            os.close(descriptor)
        return Content(size, (data,))

    def _enter(self, place: bytes) -> None:
        """Open a folder step by step from the top, for a link anywhere in its path must not be followed."""
        self._leave()
        for name in place.split(b"/") if place else ():
            try:
                below = os.open(name, _FOLDER, dir_fd=self._folder)
            finally:
                self._leave()
            self._folder = below
        self._place = place

    def _leave(self) -> None:
        if self._folder != self._root:
            os.close(self._folder)
        self._folder, self._place = self._root, b""


def _chunks(file: FileIO, status: os.stat_result, path: bytes) -> Iterator[bytes]:
    with file:
        taken = 0
        try:
            while taken <= status.st_size and (chunk := file.read(_CHUNK)):
                taken += len(chunk)
                yield chunk
            _require_unchanged(status, file.fileno(), path)
        except OSError as fault:
            raise _unreadable(path, os.strerror(fault.errno or 0)) from None


def _require_unchanged(before: os.stat_result, descriptor: int, path: bytes) -> None:
    after = os.fstat(descriptor)
    times = before.st_mtime_ns, before.st_ctime_ns
    if (after.st_size, after.st_mtime_ns, after.st_ctime_ns) != (before.st_size, *times):
        raise _unreadable(path, "a file that was changed while it was read")


def _unreadable(path: bytes, actual: str) -> CleanTreeError:
    return CleanTreeError("unreadable_bytes", path=shown(path), expected="what was committed there", actual=actual)
