"""Merkle trees of RFC 6962 that grow leaf by leaf in logarithmic memory, and the audit paths through them."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256

LEAF, NODE = b"\x00", b"\x01"
"""What is hashed before a leaf and before two nodes, so that neither can be taken for the other."""


class MerkleTree:
    """The tree of all leaves appended so far.

    Attributes:
        size: number of leaves.
    """

    __slots__ = ("_peaks", "size")

    def __init__(self) -> None:
        self.size = 0
        self._peaks: list[bytes] = []
        """Roots of the biggest complete trees, from left to right: one for each bit of the size."""

    def append(self, leaf: bytes) -> None:
        """Append a leaf."""
        node = sha256(LEAF + leaf).digest()
        size = self.size
        while size & 1:
            node = self._join(self._peaks.pop(), node)
            size >>= 1
        self._peaks.append(node)
        self.size += 1

    def root(self) -> bytes:
        """Return the root: of no leaves, the SHA-256 of nothing."""
        if not self._peaks:
            return sha256().digest()
        *rest, root = self._peaks
        for peak in reversed(rest):
            root = self._join(peak, root)
        return root

    def _join(self, left: bytes, right: bytes) -> bytes:
        return sha256(NODE + left + right).digest()


class AuditedTree(MerkleTree):
    """A tree that remembers the audit path of one of its leaves.

    Attributes:
        path: the siblings on the way up, as far as there is one yet; the whole path once :meth:`root` was called.
    """

    __slots__ = ("_audited", "_node", "path")

    def __init__(self, audited: int) -> None:
        """Begin an empty tree.

        Args:
            audited: index of the leaf, from 0.
        """
        super().__init__()
        self.path: list[bytes] = []
        self._audited = audited
        self._node: bytes | None = None

    def append(self, leaf: bytes) -> None:
        """Append a leaf."""
        if self.size == self._audited:
            self._node = sha256(LEAF + leaf).digest()
        super().append(leaf)

    def _join(self, left: bytes, right: bytes) -> bytes:
        node = super()._join(left, right)
        if self._node in (left, right):
            self.path.append(right if self._node == left else left)
            self._node = node
        return node


def root_of_path(leaf: bytes, index: int, size: int, path: Sequence[bytes]) -> bytes:
    """Return the root that an audit path leads to.

    Args:
        leaf: the leaf.
        index: its index, from 0.
        size: leaves of the tree; more than ``index``.
        path: the siblings from the leaf up, as many as :func:`path_length` says.
    """
    node = sha256(LEAF + leaf).digest()
    siblings = iter(path)
    last = size - 1
    while last:
        if index & 1:
            node = sha256(NODE + next(siblings) + node).digest()
        elif index < last:
            node = sha256(NODE + node + next(siblings)).digest()
        index >>= 1
        last >>= 1
    return node


def path_length(index: int, size: int) -> int:
    """Return how many siblings the audit path of a leaf has."""
    last = size - 1
    length = 0
    while last:
        length += index & 1 or index < last
        index >>= 1
        last >>= 1
    return length
