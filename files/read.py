"""Reads one whole regular file, or standard input, within a limit (architecture, "Files on disk")."""

from __future__ import annotations

import errno
import os
import stat
import sys

from ..errors import DocumentError
from .naming import shown

STANDARD_INPUT = "standard input"
"""What a refusal calls standard input."""

_CHUNK = 1024 * 1024
_KINDS = (
    (stat.S_ISDIR, "a directory"),
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISCHR, "a character device"),
    (stat.S_ISBLK, "a block device"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISLNK, "a symbolic link"),
)
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
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY)
    except OSError as fault:
        raise _refusal(fault, name) from None
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise DocumentError("file_type", path=name, expected="a regular file", actual=kind_of(status.st_mode))
        if status.st_size > limit:
            raise _too_large(name, limit, f"{status.st_size} bytes")
        return _read(descriptor, status.st_size, limit, name)
    except OSError as fault:
        raise _refusal(fault, name) from None
    finally:
        os.close(descriptor)


def read_standard_input(limit: int) -> bytes:
    """Return everything that standard input has until its end.

    Args:
        limit: most bytes, inclusive.

    Raises:
        DocumentError: ``file_unreadable`` or ``file_too_large``.
    """
    if sys.stdin is None:  # closed from the start: another file may have got its descriptor
        raise DocumentError("file_unreadable", path=STANDARD_INPUT, expected="an open file", actual="a closed one")
    try:
        return _read(sys.stdin.fileno(), 0, limit, STANDARD_INPUT)
    except OSError as fault:
        raise _refusal(fault, STANDARD_INPUT) from None


def kind_of(mode: int) -> str:
    """Say what kind of file a mode of ``stat`` belongs to."""
    return next((kind for test, kind in _KINDS if test(mode)), "a regular file")


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
