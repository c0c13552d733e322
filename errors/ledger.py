"""Refusals of trajectory ledgers and of the inclusion proofs made from them."""

from __future__ import annotations

from types import MappingProxyType

from .base import OperateBenchError

_NOT_AS_WRITTEN = "Get the file as it was written: it was changed afterwards, and what it says proves nothing."


class LedgerError(OperateBenchError, ValueError):
    """A ledger or an inclusion proof is not what it must be, or a ledger could not be written.

    The path of a line is its number from 1, the offset of its first byte, and where it helps the place inside:
    ``line 12 byte 6144 /index``. The codes stand in the order in which a line meets them.
    """

    codes = MappingProxyType(
        {
            "ledger_line_length": ("A line is over 8 MiB.", _NOT_AS_WRITTEN),
            "ledger_torn_line": (
                "The last line does not end with a line feed: its writer was stopped, or the file was cut.",
                "Run again; what stands before that line is the beginning of a run, and no result.",
            ),
            "ledger_byte_order_mark": ("A line begins with a byte order mark.", "Get the file as it was written."),
            "ledger_carriage_return": (
                "A line ends with a carriage return.",
                "Get the file as it was written; keep tools from translating its line ends.",
            ),
            "ledger_blank_line": ("A line is blank.", _NOT_AS_WRITTEN),
            "ledger_json": ("A line is no strict JSON.", _NOT_AS_WRITTEN),
            "ledger_limits": ("A line is over a limit of strict JSON.", _NOT_AS_WRITTEN),
            "ledger_canonical": ("A line is not in canonical form.", _NOT_AS_WRITTEN),
            "ledger_after_terminal": ("Something follows the terminal line.", _NOT_AS_WRITTEN),
            "ledger_record": (
                "A line after the first is neither a row nor the terminal line.",
                _NOT_AS_WRITTEN,
            ),
            "ledger_fields": ("A line lacks a field, or has one that its record does not have.", _NOT_AS_WRITTEN),
            "ledger_value": ("A field has a value of the wrong form.", "Compare the field with the form expected."),
            "ledger_index": ("A row does not have the next index.", _NOT_AS_WRITTEN),
            "ledger_row_count": ("The terminal line counts other rows than there are.", _NOT_AS_WRITTEN),
            "ledger_previous": ("A line does not follow on the one before it.", _NOT_AS_WRITTEN),
            "ledger_merkle_root": ("The terminal line has another root than the rows.", _NOT_AS_WRITTEN),
            "ledger_digest": ("A line does not have the digest that it carries.", _NOT_AS_WRITTEN),
            "ledger_incomplete": (
                "The ledger ends without a terminal line.",
                "Run again; what is there is the beginning of a run, and no result.",
            ),
            "ledger_row_missing": ("The ledger has no row of this index.", "Name one of its rows; they count from 0."),
            "ledger_proof_form": (
                "The document is no inclusion proof.",
                "Make the proof anew from the whole ledger.",
            ),
            "ledger_proof_size": (
                "The proof is of a ledger with another number of rows.",
                "Take root and number of rows from the same run bundle; a proof of another size proves another index.",
            ),
            "ledger_proof_root": (
                "The proof does not lead to the root.",
                "Compare the root with the run bundle; if it is the right one, the row is not in that ledger.",
            ),
            "ledger_unwritable": (
                "The operating system refused to write or sync the ledger; it stays incomplete.",
                "Free space or mend the disk, then run again into a new file.",
            ),
            "ledger_closed": (
                "The writer has ended or failed, and writes no more.",
                "Begin a new ledger; a failed one is never continued.",
            ),
        }
    )
