"""Reads a ledger line by line and gives out nothing that was not verified first, in memory that does not grow."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from hashlib import sha256
from typing import Any

from ...errors import DocumentError, LedgerError, describe
from ...files import open_file
from ...identity.admission import admit
from .contract import (
    DIGEST,
    HEADER,
    HEADER_FIELDS,
    LEDGER_PROFILE,
    LEDGER_SCHEMA,
    NO_PREVIOUS,
    PREVIOUS,
    ROW,
    ROW_FIELDS,
    TERMINAL,
    TERMINAL_FIELDS,
)
from .digests import BEFORE, CLOSED_AFTER, TAIL_LENGTH, line_digest
from .form import require_count
from .lines import Lines, Stream
from .merkle import MerkleTree
from .records import LedgerHeader, LedgerRow, LedgerSummary, LedgerTerminal

_FOREIGN = frozenset({"ledger_line_length", "ledger_torn_line", "ledger_json", "ledger_limits"})
"""What is wrong with the first line of a file that is no ledger at all."""


@contextmanager
def open_ledger(path: str | os.PathLike[str]) -> Iterator[LedgerReader]:
    """Open a ledger in a regular file; a link is not followed.

    Raises:
        DocumentError: ``file_missing``, ``file_type`` or ``file_unreadable``, the path is the name; else as
            :class:`LedgerReader`.
        LedgerError: as :class:`LedgerReader`.
    """
    with open_file(path) as stream:
        yield LedgerReader(stream)


def verify_ledger(path: str | os.PathLike[str]) -> LedgerSummary:
    """Read a ledger to its end. One without terminal line is verified too, and is no result.

    Raises:
        DocumentError: as :func:`open_ledger`.
        LedgerError: any code of a line.
    """
    with open_ledger(path) as reader:
        return reader.read_to_end()


class LedgerReader:
    """A ledger that is read: its header at once, then row after row, each verified before it is given out.

    Attributes:
        header: what the run was bound to.
    """

    def __init__(self, stream: Stream) -> None:
        """Read the header.

        Args:
            stream: the ledger from its first byte; buffered, or reading is slow.

        Raises:
            DocumentError: ``document_kind`` if the first line is no header of a ledger; ``file_unreadable``.
            LedgerError: any code of a line.
        """
        self._lines = Lines(stream)
        self._tree = MerkleTree()
        self._head = NO_PREVIOUS
        self._terminal: LedgerTerminal | None = None
        self._ended = False
        self.header = self._read_header()
        self._rows = self._read_rows()

    def __iter__(self) -> Iterator[LedgerRow]:
        """Give out the rows that were not read yet; after a refusal there are none.

        Raises:
            DocumentError: ``file_unreadable``.
            LedgerError: any code of a line.
        """
        return self._rows

    def read_to_end(self) -> LedgerSummary:
        """Verify the rows that were not read yet, and return what the ledger comes to.

        Raises:
            DocumentError: ``file_unreadable``.
            LedgerError: any code of a line.
        """
        for _ in self:
            pass
        return self.summary()

    def summary(self) -> LedgerSummary:
        """Return what the ledger comes to.

        Raises:
            TypeError: it was not read to its end.
        """
        if not self._ended:
            raise TypeError("a ledger comes to something when all of it was read")
        return LedgerSummary(
            terminal=self._terminal,
            lines=self._lines.number - 1,  # the last one was the end of the file
            rows=self._tree.size,
            head_digest_sha256=self._head,
            merkle_root_sha256=self._tree.root().hex(),
        )

    def _read_rows(self) -> Iterator[LedgerRow]:
        lines = self._lines
        while text := lines.next():
            if self._terminal is not None:
                raise lines.refusal("ledger_after_terminal", "the end of the file", "another line")
            value = lines.admitted(text)
            if type(value) is dict and value.get("record") == ROW:
                yield self._row(value, text)
            else:
                self._terminal = self._read_terminal(value)
        self._ended = True

    def _read_header(self) -> LedgerHeader:
        lines = self._lines
        try:
            text = lines.next()
            value = lines.parsed(text)
        except LedgerError as refusal:
            if refusal.code in _FOREIGN:
                raise _no_header(lines, str(refusal)) from None
            raise
        if type(value) is not dict or value.get("record") != HEADER or value.get("schema") != LEDGER_SCHEMA:
            raise _no_header(lines, describe(value))
        lines.admitted(text)
        self._require_fields(value, HEADER_FIELDS)
        self._require_next(value)
        header = LedgerHeader.from_wire(value, lines.place() + " ")
        self._require_digest(value)
        return header

    def _row(self, value: dict[str, Any], text: bytes) -> LedgerRow:
        if tuple(value) != ROW_FIELDS:
            self._require_fields(value, ROW_FIELDS)
        index, at, record_type, body = value["index"], value["at"], value["record_type"], value["body"]
        if type(index) is not int or index != self._tree.size:
            raise self._lines.refusal("ledger_index", str(self._tree.size), describe(index), "/index")
        self._require_next(value)
        if not (type(at) is str and type(record_type) is str and type(body) is dict):
            self._refuse_row_values(value)
        # The digest is the last member, so the line up to it is what the wrapper holds.
        digest = sha256(BEFORE + text[:-TAIL_LENGTH] + CLOSED_AFTER).digest()
        head = digest.hex()
        if value[DIGEST] != head:
            self._require_digest(value)
        self._tree.append(digest)
        self._head = head
        return LedgerRow(index, at, record_type, body, head)

    def _refuse_row_values(self, value: Mapping[str, Any]) -> None:
        for name, kind, wanted in (("at", str, "text"), ("record_type", str, "text"), ("body", dict, "an object")):
            if type(value[name]) is not kind:
                raise self._lines.refusal("ledger_value", wanted, describe(value[name]), f"/{name}")

    def _read_terminal(self, value: Any) -> LedgerTerminal:
        lines = self._lines
        if type(value) is not dict or value.get("record") != TERMINAL:
            found = value["record"] if type(value) is dict and "record" in value else value
            raise lines.refusal("ledger_record", f'record "{ROW}" or "{TERMINAL}"', describe(found))
        self._require_fields(value, TERMINAL_FIELDS)
        at = lines.place() + " "
        require_count(value["row_count"], f"{at}/row_count")
        if value["row_count"] != self._tree.size:
            raise lines.refusal("ledger_row_count", str(self._tree.size), str(value["row_count"]), "/row_count")
        self._require_next(value)
        terminal = LedgerTerminal.from_wire(value, at)
        root = self._tree.root().hex()
        if terminal.merkle_root_sha256 != root:
            raise lines.refusal("ledger_merkle_root", root, terminal.merkle_root_sha256, "/merkle_root_sha256")
        self._require_digest(value)
        return terminal

    def _require_fields(self, value: dict[str, Any], fields: tuple[str, ...]) -> None:
        """Refuse another set of members; canonical form has put them in order."""
        missing = [name for name in fields if name not in value]
        unknown = [name for name in value if name not in fields]
        if missing:
            raise self._lines.refusal("ledger_fields", f"a field {missing[0]}", "no such field")
        if unknown:
            raise self._lines.refusal("ledger_fields", f"no field but {', '.join(fields)}", describe(unknown[0]))

    def _require_next(self, value: dict[str, Any]) -> None:
        if value[PREVIOUS] != self._head:
            raise self._lines.refusal("ledger_previous", self._head, describe(value[PREVIOUS]), f"/{PREVIOUS}")

    def _require_digest(self, value: dict[str, Any]) -> None:
        content = {name: item for name, item in value.items() if name != DIGEST}
        digest = line_digest(bytes(admit(content, LEDGER_PROFILE).canonical)).hex()
        if value[DIGEST] != digest:
            raise self._lines.refusal("ledger_digest", digest, describe(value[DIGEST]), f"/{DIGEST}")
        self._head = digest


def _no_header(lines: Lines, actual: str) -> DocumentError:
    expected = f"the header of {LEDGER_SCHEMA}"
    return DocumentError("document_kind", path=lines.place(), expected=expected, actual=actual)
