"""Reads regular files, alone or below a folder, or standard input, within a limit (architecture, "Files on disk")."""

from __future__ import annotations

import errno
import os
import stat
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from types import TracebackType
from typing import BinaryIO, Self

from ..errors import DocumentError
from .naming import shown

STANDARD_INPUT = "standard input"
"""What a refusal calls standard input."""

_CHUNK = 1024 * 1024
_BUFFER = 128 * 1024
_KINDS = (
    (stat.S_ISDIR, "a directory"),
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISCHR, "a character device"),
    (stat.S_ISBLK, "a block device"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISLNK, "a symbolic link"),
)
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_MISSING = frozenset({errno.ENOENT, errno.ENOTDIR})


def read_file(path: str | os.PathLike[str], limit: int) -> bytes:
    """Return the whole content of the regular file that ``path`` names.

    The path is resolved once, when it is opened, and may be a link. Type and size are checked on the open file before
    anything is read; opening a pipe or device never waits. A file that grows meanwhile is refused like a bigger one.

    Args:
        path: what the user named.
        limit: most bytes the file may have, inclusive.

    Raises:
        DocumentError: ``file_missing``, ``file_type``, ``file_unreadable`` or ``file_too_large``; the path is the name.
    """
    name = shown(path)
    return _read_open(*_open(path, name), limit, name)


def open_file(path: str | os.PathLike[str]) -> BinaryIO:
    """Open the regular file that has the name ``path``, for documents that are read piece by piece.

    A link is not followed. The type is checked on the open file; opening a pipe or device never waits.

    Raises:
        DocumentError: ``file_missing``, ``file_type`` or ``file_unreadable``; the path is the name.
    """
    descriptor, _ = _open(path, shown(path), follow=False)
    return os.fdopen(descriptor, "rb", buffering=_BUFFER)


class Folder:
    """An open folder: what is read below it is below it, whatever becomes of its name. Use it as a context manager.

    Its own name may be a link; links below it are not followed, and whatever is no regular file is refused before
    anything is read.
    """

    __slots__ = ("_descriptor",)

    def __init__(self, path: str | os.PathLike[str]) -> None:
        """Open a folder.

        Raises:
            DocumentError: ``file_missing``, ``file_type`` or ``file_unreadable``; the path is the name.
        """
        self._descriptor = _open_folder(path, shown(path), _FOLDER)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.close(self._descriptor)

    def read(self, place: str, limit: int) -> bytes:
        """Return the whole content of a regular file below the folder.

        Args:
            place: its path, relative, with slashes.
            limit: most bytes the file may have, inclusive.

        Raises:
            DocumentError: ``file_missing``, ``file_type``, ``file_unreadable`` or ``file_too_large``; the path is
                ``place``.
        """
        folder, _, name = place.rpartition("/")
        with self._below(folder) as descriptor:
            return _read_open(*_open(name, shown(place), follow=False, folder=descriptor), limit, shown(place))

    def names(self, place: str = "") -> Iterator[str]:
        """Give out the names in a folder below this one, in no order; as many as are asked for are read.

        Raises:
            DocumentError: ``file_missing``, ``file_type`` or ``file_unreadable``; the path is ``place``.
        """
        with self._below(place) as descriptor:
            try:
                with os.scandir(descriptor) as entries:
                    for entry in entries:
                        yield entry.name
            except OSError as fault:
                raise _refusal(fault, shown(place)) from None

    @contextmanager
    def _below(self, place: str) -> Iterator[int]:
        """Open a folder below this one, step by step."""
        with ExitStack() as opened:
            descriptor = self._descriptor
            for step in filter(None, place.split("/")):
                descriptor = _open_folder(step, shown(place), _FOLDER | os.O_NOFOLLOW, descriptor)
                opened.callback(os.close, descriptor)
            yield descriptor


def read_standard_input(limit: int) -> bytes:
    """Return everything that standard input has until its end.

    Args:
        limit: most bytes, inclusive.

    Raises:
        DocumentError: ``file_unreadable`` or ``file_too_large``.
    """
    return read_descriptor(_standard_input(), limit, STANDARD_INPUT)


def read_descriptor(descriptor: int, limit: int, name: str) -> bytes:
    """Return everything that an open file descriptor, which may be a pipe, has until its end; it stays open.

    Args:
        descriptor: of a file that somebody else opened.
        limit: most bytes, inclusive.
        name: the path of a refusal.

    Raises:
        DocumentError: ``file_unreadable`` or ``file_too_large``.
    """
    try:
        return _read(descriptor, 0, limit, name)
    except OSError as fault:
        raise _refusal(fault, name) from None


def open_standard_input() -> BinaryIO:
    """Open standard input, for documents that are read piece by piece; closing it leaves the process's own open.

    Raises:
        DocumentError: ``file_unreadable``.
    """
    return os.fdopen(_standard_input(), "rb", buffering=_BUFFER, closefd=False)


def kind_of(mode: int) -> str:
    """Say what kind of file a mode of ``stat`` belongs to."""
    return next((kind for test, kind in _KINDS if test(mode)), "a regular file")


def _standard_input() -> int:
    if sys.stdin is None:  # closed from the start: another file may have got its descriptor
        raise DocumentError("file_unreadable", path=STANDARD_INPUT, expected="an open file", actual="a closed one")
    return sys.stdin.fileno()


def _open_folder(path: str | os.PathLike[str], name: str, flags: int, folder: int | None = None) -> int:
    try:
        return os.open(path, flags, dir_fd=folder)
    except ValueError:  # a zero byte in the name
        raise _unnamed(name) from None
    except OSError as fault:
        if fault.errno in (errno.ENOTDIR, errno.ELOOP):  # a link that is not followed gives the one or the other
            raise DocumentError("file_type", path=name, expected="a folder", actual="something else") from None
        raise _refusal(fault, name) from None


def _read_open(descriptor: int, size: int, limit: int, name: str) -> bytes:
    """Read an open file of a known size to its end, and close it."""
    try:
        if size > limit:
            raise _too_large(name, limit, f"{size} bytes")
        return _read(descriptor, size, limit, name)
    except OSError as fault:
        raise _refusal(fault, name) from None
    finally:
        os.close(descriptor)


def _open(
    path: str | os.PathLike[str], name: str, *, follow: bool = True, folder: int | None = None
) -> tuple[int, int]:
    """Open a regular file and return its descriptor and its size."""
    flags = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY
    try:
        descriptor = os.open(path, flags if follow else flags | os.O_NOFOLLOW, dir_fd=folder)
    except ValueError:  # a zero byte in the name
        raise _unnamed(name) from None
    except OSError as fault:
        if fault.errno == errno.ELOOP and not follow:
            actual = kind_of(stat.S_IFLNK)
            raise DocumentError("file_type", path=name, expected="a regular file", actual=actual) from None
        raise _refusal(fault, name) from None
    try:
        return descriptor, _size_of_regular(descriptor, name)
    except DocumentError:
        os.close(descriptor)
        raise


def _size_of_regular(descriptor: int, name: str) -> int:
    try:
        status = os.fstat(descriptor)
    except OSError as fault:
        raise _refusal(fault, name) from None
    if not stat.S_ISREG(status.st_mode):
        raise DocumentError("file_type", path=name, expected="a regular file", actual=kind_of(status.st_mode))
    return status.st_size


def _read(descriptor: int, size: int, limit: int, name: str) -> bytes:
    """Read until the end of the file, but no more than one byte over ``limit``."""
    chunks: list[bytes] = []
    total = 0
    wanted = size + 1  # a file that keeps its size is read with one call, into one object
    while total <= limit:
        chunk = os.read(descriptor, min(max(wanted, _CHUNK), limit + 1 - total))
        if not chunk:
            return b"".join(chunks)
        chunks.append(chunk)
        total += len(chunk)
        wanted = _CHUNK
    raise _too_large(name, limit, f"more than {limit} bytes")


def _unnamed(name: str) -> DocumentError:
    return DocumentError("file_missing", path=name, expected="a name without a zero byte", actual="one with it")


def _too_large(name: str, limit: int, actual: str) -> DocumentError:
    return DocumentError("file_too_large", path=name, expected=f"at most {limit} bytes", actual=actual)


def _refusal(fault: OSError, name: str) -> DocumentError:
    number = fault.errno or 0
    if number in _MISSING:
        code = "file_missing"
    elif number == errno.ENXIO:  # a socket
        code = "file_type"
    else:
        code = "file_unreadable"
    return DocumentError(code, path=name, expected="a readable file", actual=os.strerror(number))
