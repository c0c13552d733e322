"""Writes a ledger group by group into a new file: whatever stops it leaves the beginning of a run, or all of it."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from types import TracebackType
from typing import Any, Self

from ...errors import DocumentError, LedgerError
from ...files import shown
from ...identity.admission import admit
from ...identity.canonical import encode
from ...identity.profile import MAX_NESTING, MAX_STRICT_JSON_CONTAINER_ITEMS
from .contract import DIGEST, LEDGER_PROFILE, NO_PREVIOUS, PREVIOUS, ROW
from .digests import DIGEST_AFTER, DIGEST_BEFORE, line_digest
from .merkle import MerkleTree
from .records import LedgerHeader, LedgerSummary, LedgerTerminal

SYNC_BYTES = 64 * 1024
"""Whenever so many bytes are written and not on disk yet, they are synced."""

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_SMALL = 2 * MAX_STRICT_JSON_CONTAINER_ITEMS
"""Canonical bytes up to which a row can break no limit but that of nesting."""


class LedgerWriter:
    """A ledger that is being written. Use it as a context manager: without :meth:`finish` it stays incomplete.

    Rows are gathered until :meth:`flush`, which ends a group, the rows of one step of the engine. A group is written
    with one call, and what is written is synced at the header, at the terminal line, and whenever 64 KiB are due.
    When writing fails the file is cut back to the last whole group, when syncing fails to the last synced one, and the
    writer writes no more.
    """

    def __init__(self, path: str | os.PathLike[str], header: LedgerHeader) -> None:
        """Make the file and write the header; if that fails there is no file.

        Args:
            path: a name that nothing has yet, a link included.
            header: what the run is bound to.

        Raises:
            DocumentError: ``file_exists`` or ``file_unwritable``; the path is the name.
            LedgerError: ``ledger_unwritable``; the path is the name.
        """
        self._name = shown(path)
        self._tree = MerkleTree()
        self._head = NO_PREVIOUS
        # Of the group that is being gathered: its lines, and body and digest of each row. The lines are copied into one
        # buffer at once, because the encoder's results are dear to keep.
        self._group = bytearray()
        self._bodies: list[dict[str, Any]] = []
        self._digests: list[bytes] = []
        self._size = 0
        self._synced = 0
        folder, name = os.path.split(os.fspath(path))
        try:
            place = os.open(folder or ".", _FOLDER)
        except OSError as fault:
            raise self._refused(fault) from None
        try:
            self._descriptor: int | None = self._create(name, place)
            try:
                self._put(self._chained(header.to_wire()), sync=True)
                self._sync_folder(place)
            except BaseException:
                self.close()
                with suppress(OSError):
                    os.unlink(name, dir_fd=place)
                raise
        finally:
            os.close(place)

    def append(self, at: str, record_type: str, body: dict[str, Any]) -> None:
        """Append a row to the group that is being gathered.

        Args:
            at: the simulated instant.
            record_type: any text.
            body: the row's own fields, strict JSON; held until the group ends, and not to be changed before.

        Raises:
            LedgerError: ``ledger_json`` or ``ledger_limits``, the path is a JSON Pointer into the row, and the writer
                goes on without it; ``ledger_closed``.
        """
        if self._descriptor is None:
            self._require_open()
        if not (type(at) is str and type(record_type) is str and type(body) is dict):
            raise TypeError("a row has a text for its instant, a text for its type and an object for its body")
        row = {
            "at": at,
            "body": body,
            "index": self._tree.size + len(self._digests),
            PREVIOUS: self._head,
            "record": ROW,
            "record_type": record_type,
        }
        try:
            content = encode(row, LEDGER_PROFILE)
        except TypeError:
            admit(row, LEDGER_PROFILE)  # says what cannot be encoded
            raise
        if len(content) > _SMALL:
            admit({**row, DIGEST: NO_PREVIOUS}, LEDGER_PROFILE)  # the whole line must keep the limits
        digest = line_digest(content)
        head = digest.hex()
        self._group += content[:-1] + DIGEST_BEFORE + head.encode() + DIGEST_AFTER
        self._bodies.append(body)
        self._digests.append(digest)
        self._head = head

    def flush(self) -> None:
        """End the group: its rows are handed to the operating system, and synced when 64 KiB are due.

        Raises:
            LedgerError: ``ledger_json`` or ``ledger_limits`` for a body that only the encoder took, and nothing of the
                group was written then; ``ledger_unwritable``. Each of them closes the writer. ``ledger_closed``.
        """
        self._require_open()
        if not self._group:
            return
        self._require_strict()
        group, self._group = self._group, bytearray()
        self._put(group)
        for digest in self._digests:
            self._tree.append(digest)
        self._bodies.clear()
        self._digests.clear()

    def finish(
        self, *, status: str, outcome_class: str, final_state_digest_sha256: str, trajectory_digest_sha256: str
    ) -> LedgerSummary:
        """End the group and the ledger: write the terminal line, sync, close.

        Returns:
            What the ledger comes to.

        Raises:
            LedgerError: ``ledger_value`` if an argument is of the wrong form, and the ledger is as after :meth:`flush`
                then; ``ledger_unwritable``, ``ledger_closed``.
        """
        self.flush()
        terminal = LedgerTerminal.from_wire(
            {
                "status": status,
                "outcome_class": outcome_class,
                "final_state_digest_sha256": final_state_digest_sha256,
                "trajectory_digest_sha256": trajectory_digest_sha256,
                "row_count": self._tree.size,
                "merkle_root_sha256": self._tree.root().hex(),
            }
        )
        self._put(self._chained(terminal.to_wire()), sync=True)
        self.close()
        return LedgerSummary(terminal, self._tree.size + 2, self._tree.size, self._head, terminal.merkle_root_sha256)

    def close(self) -> None:
        """Close the file as it is; a group that was not ended is dropped."""
        descriptor, self._descriptor = self._descriptor, None
        if descriptor is not None:
            with suppress(OSError):  # what must be on disk was synced before
                os.close(descriptor)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _chained(self, record: dict[str, Any]) -> bytes:
        """Return the line of a header or terminal line, and make it the head."""
        content = {**record, PREVIOUS: self._head}
        self._head = line_digest(bytes(admit(content, LEDGER_PROFILE).canonical)).hex()
        return bytes(admit({**content, DIGEST: self._head}, LEDGER_PROFILE).canonical) + b"\n"

    def _require_strict(self) -> None:
        """Refuse what the encoder takes and a reader would not, such as fractions; here, to keep appending fast."""
        for number, body in enumerate(self._bodies, self._tree.size):
            if not _is_plain(body.values(), MAX_NESTING - 2):
                self.close()
                admit({"body": body}, LEDGER_PROFILE, at=f"row {number} ")

    def _put(self, data: bytes | bytearray, *, sync: bool = False) -> None:
        """Write whole lines, and sync if asked or due. If either fails, an interrupt included, undo it and close."""
        descriptor = self._require_open()
        keep = self._size
        try:
            rest = memoryview(data)
            while rest:
                rest = rest[os.write(descriptor, rest) :]
            self._size += len(data)
            if sync or self._size - self._synced >= SYNC_BYTES:
                keep = self._synced  # after a failed sync nobody knows what of the rest is on disk
                os.fsync(descriptor)
                self._synced = self._size
        except BaseException as fault:
            with suppress(OSError):  # if even this fails, what is left is a torn line, which every reader refuses
                os.ftruncate(descriptor, keep)
                os.fsync(descriptor)
            self.close()
            if isinstance(fault, OSError):
                raise LedgerError(
                    "ledger_unwritable", path=self._name, expected="room for the ledger", actual=_said(fault)
                ) from None
            raise

    def _create(self, name: str, place: int) -> int:
        try:
            return os.open(name, _NEW, 0o666, dir_fd=place)
        except FileExistsError:
            actual = "a name that is taken"
            raise DocumentError("file_exists", path=self._name, expected="a free name", actual=actual) from None
        except OSError as fault:
            raise self._refused(fault) from None

    def _sync_folder(self, place: int) -> None:
        try:
            os.fsync(place)
        except OSError as fault:
            raise self._refused(fault) from None

    def _refused(self, fault: OSError) -> DocumentError:
        expected = "a folder that takes a new file"
        return DocumentError("file_unwritable", path=self._name, expected=expected, actual=_said(fault))

    def _require_open(self) -> int:
        if self._descriptor is None:
            raise LedgerError("ledger_closed", path=self._name, expected="an open writer", actual="a closed one")
        return self._descriptor


def _is_plain(values: Iterable[Any], room: int) -> bool:
    """Tell whether values are exactly of JSON's types, none a fraction, and at most ``room`` containers deep."""
    for value in values:
        kind = type(value)
        if kind is str or kind is int or value is None or kind is bool:
            continue
        if kind is dict:
            value = value.values()  # noqa: PLW2901  (the same value, seen as what it holds)
        elif kind is not list:
            return False
        if not room or not _is_plain(value, room - 1):
            return False
    return True


def _said(fault: OSError) -> str:
    return os.strerror(fault.errno or 0)
