"""Lines of a ledger: read one by one within a bound, and admitted as strict, canonical JSON."""

from __future__ import annotations

import os
from typing import Any, Protocol

import jiter

from ...errors import DocumentError, LedgerError, describe
from ...identity.canonical import encode
from ...identity.profile import MAX_NESTING, MAX_STRICT_JSON_CONTAINER_ITEMS
from ...identity.strictjson import parse_json
from .contract import LEDGER_PROFILE, MAX_LINE_BYTES

_MARK = b"\xef\xbb\xbf"

_SMALL = 2 * MAX_STRICT_JSON_CONTAINER_ITEMS
"""A line of so many bytes is too short to break any limit but that of nesting."""


class Stream(Protocol):
    """What a ledger is read from; a binary file is one."""

    def readline(self, limit: int, /) -> bytes:
        """Return the next line with its line feed, or its first ``limit`` bytes; nothing at the end."""


class Lines:
    """The lines of a stream, counted.

    Attributes:
        number: of the line read last, from 1.
    """

    __slots__ = ("_end", "_start", "_stream", "number")

    def __init__(self, stream: Stream) -> None:
        self._stream = stream
        self._start = 0
        self.number = 0
        self._end = 0

    def place(self, inside: str = "") -> str:
        """Return where the line read last is, and a place inside it."""
        return f"line {self.number} byte {self._start} {inside}".rstrip()

    def next(self) -> bytes:
        """Return the next line without its line feed; nothing at the end of the stream, where no line is blank.

        Raises:
            DocumentError: ``file_unreadable``.
            LedgerError: ``ledger_line_length``, ``ledger_torn_line``, ``ledger_byte_order_mark``,
                ``ledger_carriage_return`` or ``ledger_blank_line``.
        """
        self.number += 1
        self._start = self._end
        try:
            line = self._stream.readline(MAX_LINE_BYTES + 1)
        except OSError as fault:
            actual = os.strerror(fault.errno or 0)
            raise DocumentError("file_unreadable", path=self.place(), expected="a line", actual=actual) from None
        self._end += len(line)
        text = line[:-1]
        if line and (line[-1] != 0x0A or not text or text[0] == _MARK[0] or text[-1] == 0x0D):
            self._refuse(line)
        return text

    def _refuse(self, line: bytes) -> None:
        found = describe(line[:40].decode("utf-8", "replace"))
        if len(line) > MAX_LINE_BYTES and not line.endswith(b"\n"):
            raise self.refusal("ledger_line_length", f"at most {MAX_LINE_BYTES} bytes", "a longer line")
        if line.startswith(_MARK):
            raise self.refusal("ledger_byte_order_mark", "an object", found)
        if not line.strip():
            raise self.refusal("ledger_blank_line", "an object", found)
        if not line.endswith(b"\n"):
            raise self.refusal("ledger_torn_line", "a line feed at the end", f"the end of the file after {found}")
        if line.endswith(b"\r\n"):
            raise self.refusal("ledger_carriage_return", "a line feed alone", "carriage return and line feed")

    def admitted(self, text: bytes) -> Any:
        """Return the value of a line that must be strict JSON in canonical form.

        A value that is encoded to the bytes it was parsed from had unique names, in order, and no other layout. What
        such bytes can still hide is looked at: fractions stay texts in the parser and are refused by the encoder.

        Raises:
            LedgerError: ``ledger_json``, ``ledger_limits`` or ``ledger_canonical``.
        """
        if len(text) <= _SMALL and text.count(b"{") + text.count(b"[") <= MAX_NESTING:
            try:
                value = jiter.from_json(text, allow_inf_nan=False, float_mode="lossless-float", cache_mode="keys")
                if encode(value, LEDGER_PROFILE) == text:
                    return value
            except (TypeError, ValueError):
                pass  # the strict way, below, says what is wrong
        return self.admitted_strictly(text)

    def admitted_strictly(self, text: bytes) -> Any:
        """Return the same value, or the same refusal, as :meth:`admitted`, in longer time."""
        value = self.parsed(text)
        canonical = encode(value, LEDGER_PROFILE)
        if canonical != text:
            common = next((at for at, pair in enumerate(zip(canonical, text, strict=False)) if pair[0] != pair[1]), 0)
            actual = f"other bytes from byte {common} of the line on"
            raise self.refusal("ledger_canonical", "the canonical form of its value", actual)
        return value

    def parsed(self, text: bytes) -> Any:
        """Return the value of a line that must be strict JSON.

        Raises:
            LedgerError: ``ledger_json`` or ``ledger_limits``.
        """
        try:
            return parse_json(text, LEDGER_PROFILE).value
        except LedgerError as refusal:
            inside = refusal.path.removeprefix("line 1 ")  # of its own text, which is one line
            raise self.refusal(refusal.code, refusal.expected, refusal.actual, inside) from None

    def refusal(self, code: str, expected: str, actual: str, inside: str = "") -> LedgerError:
        """Return the refusal of the line read last."""
        return LedgerError(code, path=self.place(inside), expected=expected, actual=actual)
