"""``operatebench ledger``: verifies and shows trajectory ledgers, makes inclusion proofs and checks them."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any, BinaryIO

import typer

from ..errors import DocumentError, LedgerError, OperateBenchError, escape
from ..files import open_file, open_standard_input, shown, write_files
from .inputs import file_label, read_bytes, unknown_kind
from .options import JsonOption, ending, group_of, require_output
from .output import Exit, Reply, write_out
from .progress import Progress

if TYPE_CHECKING:  # at run time it would load the kernel
    from ..replay.ledger import LedgerHeader, LedgerReader, LedgerSummary

group = group_of("Verify and show trajectory ledgers; prove that a row is in one.", "ledger verify ledger.ndjson")

_ROLE = "ledger"
_MEGABYTE = 1024 * 1024
_SOON_READ = 16
"""Megabytes that nobody needs to watch."""

_SHOWN_AT_ONCE = 1000
"""Rows that are written with one call."""

_MOST_TYPES, _OTHER_TYPES = 1000, "(others)"
"""Types of rows that are counted, and the name under which all further ones are."""

_NO_LEDGER = "no ledger: unreadable, or its first line is no header of one"
_BROKEN = "the chain is broken, or the ledger incomplete; the reason says in which line"

_LedgerArgument = Annotated[str, typer.Argument(metavar="LEDGER", help="The ledger; - is standard input.")]


@group.command(epilog=ending("ledger verify ledger.ndjson", yes="whole", no=_BROKEN, refused=_NO_LEDGER))
def verify(ledger: _LedgerArgument, *, as_json: JsonOption = False) -> int:
    """Verify a ledger line by line: form, chain, digests, Merkle root, terminal line.

    A ledger alone cannot show that its tail was not cut and closed anew. Compare head digest, lines and root with those
    that were kept elsewhere, such as in the run bundle.
    """

    def work(reply: Reply) -> Exit:
        with _opened(ledger, reply) as reader:
            summary = reader.read_to_end()
        reply.data(*_summary_lines(summary))
        return _end(reply, ledger, summary, header=_header_json(reader.header))

    return _answer(Reply("ledger verify", as_json, {_ROLE: ledger}), work)


@group.command(epilog=ending("ledger show ledger.ndjson", yes="whole, and shown", no=_BROKEN, refused=_NO_LEDGER))
def show(ledger: _LedgerArgument, *, as_json: JsonOption = False) -> int:
    """Show a ledger: what the run was bound to, its rows in one line each, how it ended.

    Every line is verified before it is shown. For programs rows are counted by type; the rows themselves are JSON in
    the file already.
    """

    def work(reply: Reply) -> Exit:
        counts: Counter[str] = Counter()
        with _opened(ledger, reply) as reader:
            reply.data(*_header_lines(reader.header), "", "rows")
            lines: list[str] = []
            for row in reader:
                kind = escape(row.record_type)
                counts[kind if kind in counts or len(counts) < _MOST_TYPES else _OTHER_TYPES] += 1
                lines.append(f"  {row.index:>6}  {escape(row.at)}  {kind}")
                if len(lines) == _SHOWN_AT_ONCE:
                    reply.data(*lines)
                    lines.clear()
            reply.data(*lines, "")
            summary = reader.summary()
        reply.data(*_summary_lines(summary))
        return _end(
            reply, ledger, summary, header=_header_json(reader.header), record_types=dict(sorted(counts.items()))
        )

    return _answer(Reply("ledger show", as_json, {_ROLE: ledger}), work)


@group.command(
    epilog=ending(
        "ledger prove ledger.ndjson --row 12 --out proof.json",
        yes="the ledger is whole and the proof is made",
        no="the chain is broken, the ledger incomplete, or there is no such row",
        refused=f"{_NO_LEDGER}; or the proof could not be written",
    )
)
def prove(
    ledger: _LedgerArgument,
    *,
    row: Annotated[int, typer.Option("--row", metavar="N", min=0, help="Index of the row, from 0.")],
    out: Annotated[
        str | None, typer.Option("--out", metavar="FILE", help="Write the proof here instead of to standard output.")
    ] = None,
    as_json: JsonOption = False,
) -> int:
    """Prove that a row stands at its index in a ledger, for somebody who has the Merkle root and not the ledger.

    The whole ledger is verified first.
    """
    if out is not None:
        require_output("--out", out)

    def work(reply: Reply) -> Exit:
        from ..replay.ledger import prove as prove_row

        with _opened(ledger, reply) as reader:
            proof = prove_row(reader, row)
        if out is not None:
            write_files({out: proof.to_bytes()})
        elif not as_json:
            write_out(proof.to_bytes())
        reply.verdict(f"proved: row {row} of {proof.tree_size}, root {proof.merkle_root_sha256}")
        return reply.end(Exit.YES, proof=proof.to_wire(), proof_file=None if out is None else shown(out))

    return _answer(Reply("ledger prove", as_json, {_ROLE: ledger}), work)


@group.command(
    "check-proof",
    epilog=ending(
        f"ledger check-proof proof.json --rows 230 --root {'0123456789abcdef' * 4}",
        yes="the row stands at its index in a ledger of so many rows with this root",
        no="it does not",
        refused="the file is no inclusion proof",
    ),
)
def check_proof(
    proof: Annotated[str, typer.Argument(metavar="PROOF", help="The inclusion proof; - is standard input.")],
    *,
    root: Annotated[
        str, typer.Option("--root", metavar="HEX", help="The Merkle root, from where you trust it: not from the proof.")
    ],
    rows: Annotated[
        int, typer.Option("--rows", metavar="N", min=1, help="How many rows the ledger has, from the same place.")
    ],
    as_json: JsonOption = False,
) -> int:
    """Check an inclusion proof against Merkle root and number of rows, without the ledger.

    `bundle show` prints both. A root alone does not fix the index of a row.
    """
    from ..identity.grammar import is_digest

    if not is_digest(root):
        raise typer.BadParameter("a root has 64 lowercase hexadecimal characters", param_hint="'--root'")

    def work(reply: Reply) -> Exit:
        from ..replay.ledger import InclusionProof
        from ..replay.ledger import check_proof as check

        document = _read_proof(proof)
        try:
            found = InclusionProof.from_wire(document)
        except LedgerError as refusal:
            raise refusal.moved_to(f"proof#{refusal.path}") from None
        try:
            check(found, root, rows)
        except LedgerError as refusal:
            return reply.refuse(refusal.moved_to("proof#"), Exit.NO)
        reply.verdict(f"OK: {file_label(proof)}: row {found.index} of {found.tree_size} is {found.row_digest_sha256}")
        return reply.end(Exit.YES, proof=found.to_wire())

    return Reply("ledger check-proof", as_json, {"proof": proof}).give(work)


def _read_proof(file: str) -> Any:
    from ..identity.strictjson import parse_json
    from ..replay.ledger import LEDGER_PROFILE, PROOF_SCHEMA

    try:
        document = parse_json(read_bytes(file, LEDGER_PROFILE.max_text_bytes), LEDGER_PROFILE).value
    except OperateBenchError as refusal:
        inside = "" if isinstance(refusal, DocumentError) else refusal.path
        raise refusal.moved_to(f"proof#{inside}") from None
    if type(document) is not dict or document.get("schema") != PROOF_SCHEMA:
        raise unknown_kind("proof", document, PROOF_SCHEMA)
    return document


@contextmanager
def _opened(ledger: str, reply: Reply) -> Iterator[LedgerReader]:
    """Open a ledger; the path of every refusal inside starts with the role."""
    from ..replay.ledger import LedgerReader

    try:
        with (
            open_standard_input() if ledger == "-" else open_file(ledger) as stream,
            _watched(stream, reply) as watched,
        ):
            yield LedgerReader(watched)
    except DocumentError as refusal:
        inside = refusal.path if refusal.path.startswith("line ") else ""
        raise refusal.moved_to(f"{_ROLE}#{inside}") from None
    except LedgerError as refusal:
        raise refusal.moved_to(f"{_ROLE}#{refusal.path}") from None


@contextmanager
def _watched(stream: BinaryIO, reply: Reply) -> Iterator[_Watched]:
    """Show people at a terminal how much of a big file was read."""
    size = os.fstat(stream.fileno()).st_size // _MEGABYTE
    with Progress("MiB", wanted=size > _SOON_READ and not reply.as_json) as progress:
        yield _Watched(stream, lambda done: progress.show(done, size))


class _Watched:
    """A stream that reports each megabyte of lines."""

    def __init__(self, stream: BinaryIO, report: Callable[[int], None]) -> None:
        self._stream = stream
        self._report = report
        self._read = 0

    def readline(self, limit: int, /) -> bytes:
        """Return the next line, or as much of it as ``limit`` allows."""
        line = self._stream.readline(limit)
        before, self._read = self._read // _MEGABYTE, self._read + len(line)
        # A line may be longer than a megabyte.
        for done in range(before + 1, self._read // _MEGABYTE + 1):
            self._report(done)
        return line


def _answer(reply: Reply, work: Callable[[Reply], Exit]) -> int:
    """Give an answer in which what is wrong with a ledger means no, and what is no ledger is refused."""

    def judged(reply: Reply) -> Exit:
        try:
            return work(reply)
        except LedgerError as refusal:
            return reply.refuse(refusal, Exit.NO)

    return reply.give(judged)


def _end(reply: Reply, ledger: str, summary: LedgerSummary, **members: Any) -> Exit:
    """Finish: a ledger without terminal line was verified as far as it goes, and is no result."""
    members |= {"summary": _summary_json(summary)}
    try:
        summary.require_complete()
    except LedgerError as refusal:
        return reply.end(Exit.NO, **members, refusal=reply.say(refusal.moved_to(f"{_ROLE}#"), reply.files))
    reply.verdict(f"OK: {file_label(ledger)}: {summary.rows} rows, head {summary.head_digest_sha256}")
    return reply.end(Exit.YES, **members)


def _header_lines(header: LedgerHeader) -> list[str]:
    return _aligned(
        {
            "instance": header.operation_instance_id,
            **{name: escape(str(value)) for name, value in header.selection.items()},
            "manifest": header.identity_manifest_digest_sha256,
            "runtime bundle": header.runtime_bundle_digest_sha256,
            "experiment bundle": header.experiment_bundle_digest_sha256,
            **{
                f"{role.rpartition('_')[2]} card": f"{card['id']} {card['content_digest_sha256']}"
                for role, card in header.card_refs.items()
            },
            "requires": f"{len(header.requirements)} exact digests",
        }
    )


def _summary_lines(summary: LedgerSummary) -> list[str]:
    terminal = summary.terminal
    ended = {} if terminal is None else {"status": escape(terminal.status), "outcome": escape(terminal.outcome_class)}
    return _aligned(
        {
            **ended,
            "lines": str(summary.lines),
            "rows": str(summary.rows),
            "head": summary.head_digest_sha256,
            "root": summary.merkle_root_sha256,
        }
    )


def _aligned(facts: dict[str, str]) -> list[str]:
    return [f"{name:<18} {fact}" for name, fact in facts.items()]


def _header_json(header: LedgerHeader) -> dict[str, Any]:
    wire = header.to_wire()
    del wire["record"]
    return wire


def _summary_json(summary: LedgerSummary) -> dict[str, Any]:
    terminal = None if summary.terminal is None else summary.terminal.to_wire()
    if terminal is not None:
        del terminal["record"]
    return {
        "complete": terminal is not None,
        "lines": summary.lines,
        "rows": summary.rows,
        "head_digest_sha256": summary.head_digest_sha256,
        "merkle_root_sha256": summary.merkle_root_sha256,
        "terminal": terminal,
    }
