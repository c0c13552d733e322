"""The clean tracked source tree, version 1: admits entries one after the other, and hashes their frames."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias
from unicodedata import is_normalized, normalize

from ..errors import CleanTreeError, describe
from ..files import shown

CLEAN_TREE_ALGORITHM = "operatebench.clean_tracked_source_tree.v1"
MAX_PATH_BYTES = 4_096
LINK = b"120000"

_MAX_LENGTH = 2**64 - 1
_SUBMODULE = b"160000"
_MODES = {mode: len(mode).to_bytes(8, "big") + mode for mode in (b"100644", b"100755", LINK)}
"""Each mode that an entry may have, with its frame."""

_PREFIX = CLEAN_TREE_ALGORITHM.encode() + b"\0"
_UNSAFE_BYTES = bytes(range(0x20)) + b"\x7f\\"
_UNSAFE_NAMES = frozenset({b"", b".", b"..", b".git"})


class Content(NamedTuple):
    """What an entry holds: the bytes of a file, or the text of a link.

    Attributes:
        size: how many bytes are promised.
        chunks: the bytes, each part used before the next is asked for.
    """

    size: int
    chunks: Iterable[bytes]


Read: TypeAlias = Callable[[bytes, bytes], Content]
"""Gives the content of the entry with this mode and path, or raises ``unreadable_bytes``."""


@dataclass(frozen=True, slots=True)
class CleanTree:
    """What the entries of a tree come to.

    Attributes:
        digest_sha256: of all frames.
        entries: how many there are.
        framed_bytes: how many bytes the digest is of.
    """

    digest_sha256: str
    entries: int
    framed_bytes: int


class TreeFraming:
    """Takes the entries of a tree in the order in which git lists them; they are never sorted here.

    Evidence contract, section 8. After a refusal nothing more may be asked of it.
    """

    def __init__(self) -> None:
        self._digest = hashlib.sha256(_PREFIX)
        self._framed_bytes = len(_PREFIX)
        self._before: bytes | None = None
        self._paths: dict[bytes, bytes] = {}

    def add(self, mode: bytes, path: bytes, read: Read) -> None:
        """Admit the next entry: its mode, its path, its content, then its place behind the earlier ones.

        Args:
            mode: as git writes it, such as ``b"100644"``.
            path: from the top of the tree, with slashes.
            read: is called once mode and path are admitted, so that no unsafe path is ever opened.

        Raises:
            CleanTreeError: any code but those of a working tree that is not clean.
        """
        if mode not in _MODES:
            raise _other_mode(mode, path)
        _require_path(path)
        size, chunks = read(mode, path)
        head = b"%b%b%b%b" % (_MODES[mode], len(path).to_bytes(8, "big"), path, frame_length(size))
        self._digest.update(head)
        taken = 0
        for chunk in chunks:
            self._digest.update(chunk)
            taken += len(chunk)
        if taken != size:
            expected, actual = f"{size} bytes", f"{taken} or more" if taken > size else str(taken)
            raise CleanTreeError("unreadable_bytes", path=shown(path), expected=expected, actual=actual)
        self._require_place(path)
        self._framed_bytes += len(head) + size

    def result(self) -> CleanTree:
        """Return what the entries so far come to."""
        return CleanTree(self._digest.hexdigest(), len(self._paths), self._framed_bytes)

    def _require_place(self, path: bytes) -> None:
        before, self._before = self._before, path
        if before is not None and path <= before:
            code = "duplicate_path" if path == before else "out_of_order"
            raise CleanTreeError(code, path=shown(path), expected=f"a path after {shown(before)}", actual=shown(path))
        earlier = self._paths.setdefault(path.lower(), path)
        if earlier is not path:
            expected = f"a path that is not {shown(earlier)} in other case"
            raise CleanTreeError("portable_path_collision", path=shown(path), expected=expected, actual=shown(path))


def frame_length(length: int) -> bytes:
    """Return a length as it stands in a frame: eight bytes, the highest first.

    Raises:
        CleanTreeError: ``frame_length_overflow``.
    """
    if not 0 <= length <= _MAX_LENGTH:
        raise CleanTreeError.found("frame_length_overflow", "", f"0 to {_MAX_LENGTH}", length)
    return length.to_bytes(8, "big")


def _other_mode(mode: bytes, path: bytes) -> CleanTreeError:
    code = "submodule_entry" if mode == _SUBMODULE else "unsupported_mode"
    expected = ", ".join(known.decode() for known in _MODES)
    return CleanTreeError(code, path=shown(path), expected=expected, actual=shown(mode))


def _require_path(path: bytes) -> None:
    if not 0 < len(path) <= MAX_PATH_BYTES:
        raise _unsafe(path, f"1 to {MAX_PATH_BYTES} bytes", f"{len(path)} bytes")
    if not path.isascii():
        try:
            text = path.decode()
        except UnicodeDecodeError:
            raise _unsafe(path, "UTF-8", "other bytes") from None
        if not is_normalized("NFC", text):
            actual = ascii(text)
            raise CleanTreeError(
                "non_canonical_path", path=shown(path), expected=ascii(normalize("NFC", text)), actual=actual
            )
    if len(path.translate(None, _UNSAFE_BYTES)) != len(path):
        raise _unsafe(path, "no control character and no backslash", describe(path.decode()))
    if b"/." in (between := b"/%b/" % path) or b"//" in between:
        for name in path.lower().split(b"/"):
            if name in _UNSAFE_NAMES:
                raise _unsafe(path, "names that are not empty, '.', '..' or '.git'", describe(name.decode()))


def _unsafe(path: bytes, expected: str, actual: str) -> CleanTreeError:
    return CleanTreeError("unsafe_path", path=shown(path), expected=expected, actual=actual)
