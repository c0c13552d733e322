"""Visits the regular files below one folder; no link is followed, and no file may change while it is read."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple, TypeAlias, TypeVar

from ..errors import DocumentError
from .naming import shown
from .read import kind_of

T = TypeVar("T")

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY
_GONE = frozenset({errno.ENOENT, errno.ENOTDIR, errno.ELOOP})
"""What opening gives when something else has come to the place of what the folder listed."""


Stamp: TypeAlias = tuple[int, int, int, int]
"""What tells, without reading, that a file is still the one it was: size, time of change in ns, inode, device."""


class FileBelow(NamedTuple):
    """A regular file, as its folder lists it. It can be used during the visit alone.

    Attributes:
        path: from the root, with slashes.
        folder: descriptor of its folder.
        name: its name there.
    """

    path: str
    folder: int
    name: str

    def stamp(self) -> Stamp:
        """Return the stamp without opening the file.

        Raises:
            DocumentError: ``file_changed`` or ``file_unreadable``.
        """
        try:
            return _stamp(os.stat(self.name, dir_fd=self.folder, follow_symlinks=False))
        except OSError as fault:
            raise _refusal(fault, self.path) from None

    def read(self, limit: int) -> tuple[bytes, Stamp]:
        """Return the whole content, and the stamp that the file had before and after it was read.

        Args:
            limit: most bytes, inclusive.

        Raises:
            DocumentError: ``file_changed``, ``file_unreadable`` or ``file_too_large``.
        """
        try:
            descriptor = os.open(self.name, _FILE, dir_fd=self.folder)
            try:
                status = os.fstat(descriptor)
                if not stat.S_ISREG(status.st_mode):  # its folder said that it is
                    raise _changed(self.path)
                size = status.st_size
                if size > limit:
                    most, actual = f"at most {limit} bytes", f"{size} bytes"
                    raise DocumentError("file_too_large", path=shown(self.path), expected=most, actual=actual)
                content = os.read(descriptor, size)  # growth shows in the stamp
                stamp = _stamp(os.fstat(descriptor))
            finally:
                os.close(descriptor)
        except OSError as fault:
            raise _refusal(fault, self.path) from None
        if stamp != _stamp(status) or len(content) != size:
            raise _changed(self.path)
        return content, stamp


def _stamp(status: os.stat_result) -> Stamp:
    return status.st_size, status.st_mtime_ns, status.st_ino, status.st_dev


def visit_below(root: str, wanted: Callable[[str], bool], visit: Callable[[FileBelow], T]) -> list[T]:
    """Visit all wanted files below a folder.

    Args:
        root: the folder; it is opened once, and everything below is opened relative to its own folder.
        wanted: asked with each path from the root, that of a folder with a slash at its end. What is not wanted is
            passed over; a wanted link, pipe or device is refused.
        visit: called with each file.

    Returns:
        What ``visit`` returned, a folder's entries in code-point order of their names.

    Raises:
        DocumentError: ``file_type``, ``file_changed`` or ``file_unreadable``; the path is that from the root.
    """
    with _folder(root, None, root) as descriptor:
        return list(_visited(descriptor, "", wanted, visit))


def _visited(folder: int, above: str, wanted: Callable[[str], bool], visit: Callable[[FileBelow], T]) -> Iterator[T]:
    try:
        with os.scandir(folder) as listed:
            entries = sorted(listed, key=lambda entry: entry.name)
    except OSError as fault:
        raise _refusal(fault, above) from None
    for entry in entries:
        path = above + entry.name
        if entry.is_dir(follow_symlinks=False):
            if wanted(f"{path}/"):
                with _folder(entry.name, folder, path) as inner:
                    yield from _visited(inner, f"{path}/", wanted, visit)
        elif wanted(path):
            if not entry.is_file(follow_symlinks=False):
                try:
                    actual = kind_of(entry.stat(follow_symlinks=False).st_mode)
                except OSError as fault:
                    raise _refusal(fault, path) from None
                raise DocumentError("file_type", path=shown(path), expected="a regular file", actual=actual)
            yield visit(FileBelow(path, folder, entry.name))


@contextmanager
def _folder(name: str, within: int | None, path: str) -> Iterator[int]:
    try:
        descriptor = os.open(name, _FOLDER, dir_fd=within)
    except OSError as fault:
        raise _refusal(fault, path) from None
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _refusal(fault: OSError, path: str) -> DocumentError:
    if fault.errno in _GONE:
        return _changed(path)
    actual = os.strerror(fault.errno or 0)
    return DocumentError("file_unreadable", path=shown(path), expected="a readable file", actual=actual)


def _changed(path: str) -> DocumentError:
    return DocumentError("file_changed", path=shown(path), expected="a file that stays as it is", actual="another one")
