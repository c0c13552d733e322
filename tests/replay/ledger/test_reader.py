"""The reader gives out nothing that is not as it was written, and says in which line and at which byte it stopped."""

import io
import itertools
import json
import os
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from operatebench.errors import DocumentError, LedgerError, OperateBenchError
from operatebench.replay.ledger import LedgerReader, LedgerSummary, open_ledger
from tests.replay.ledger.ledgers import (
    DIGEST,
    HEADER,
    PREVIOUS,
    ROWS,
    chained,
    digest_of,
    root_of,
    stream,
    text_of,
    whole,
)

GOOD = text_of(whole())
LINES = GOOD.splitlines(keepends=True)


def read(data: bytes) -> LedgerSummary:
    reader = LedgerReader(stream(data))
    for _ in reader:
        pass
    return reader.summary()


def refusal(data: bytes) -> OperateBenchError:
    with pytest.raises(OperateBenchError) as refused:
        read(data)
    return refused.value


def place(number: int, lines: list[bytes] = LINES) -> str:
    """Return how a refusal names a line, counted from 1."""
    return f"line {number} byte {len(b''.join(lines[: number - 1]))}"


def is_result(data: bytes) -> bool:
    try:
        return read(data).terminal is not None
    except OperateBenchError:
        return False


def test_the_whole_ledger_is_a_result() -> None:
    assert is_result(GOOD)


@pytest.mark.parametrize("bit", range(8))
def test_every_flipped_bit_is_refused(bit: int) -> None:
    """Every position, whatever is there: none is read as another ledger, none as an incomplete one."""
    for position in range(len(GOOD)):
        data = bytearray(GOOD)
        data[position] ^= 1 << bit
        found = refusal(bytes(data))
        assert found.path.startswith("line ")


def test_every_cut_leaves_the_beginning_of_a_run_or_a_torn_line() -> None:
    ends = set(itertools.accumulate(map(len, LINES)))
    for end in range(len(GOOD)):
        if end in ends:
            assert read(GOOD[:end]).terminal is None
        elif end < len(LINES[0]):
            assert refusal(GOOD[:end]).code == "document_kind"
        else:
            assert refusal(GOOD[:end]).code == "ledger_torn_line"


def rechained(lines: list[dict[str, Any]]) -> bytes:
    """Return lines whose chain and root were made anew by somebody who left the indexes alone."""
    *above, last = lines
    above = chained(above)
    rows = [bytes.fromhex(line[DIGEST]) for line in above if line["record"] == "row"]
    return text_of(chained([*above, {**last, "merkle_root_sha256": root_of(rows).hex()}]))


@pytest.mark.parametrize("row", range(len(ROWS)))
def test_a_dropped_row_is_refused_by_the_chain_and_by_its_index(row: int) -> None:
    lines = whole()
    del lines[1 + row]

    last = row == len(ROWS) - 1
    found = refusal(text_of(lines))
    assert found.code == ("ledger_row_count" if last else "ledger_index")
    assert refusal(rechained(lines)).code == found.code
    closed_anew = whole(ROWS[:row] + ROWS[row + 1 :])
    assert is_result(text_of(closed_anew)), "which is why head digest, lines and root are kept elsewhere"
    assert closed_anew[-1][DIGEST] != whole()[-1][DIGEST]


@pytest.mark.parametrize("line", range(1, len(ROWS) + 2))
def test_a_duplicated_line_is_refused(line: int) -> None:
    lines = whole()
    lines.insert(line, lines[line])

    is_terminal = line == len(ROWS) + 1
    assert refusal(text_of(lines)).code == ("ledger_after_terminal" if is_terminal else "ledger_index")
    if not is_terminal:
        assert refusal(rechained(lines)).code == "ledger_index"


@pytest.mark.parametrize(("one", "other"), [*itertools.combinations(range(len(ROWS) + 2), 2)])
def test_swapped_lines_are_refused(one: int, other: int) -> None:
    lines = whole()
    lines[one], lines[other] = lines[other], lines[one]

    assert not is_result(text_of(lines))
    assert not is_result(text_of(chained(lines)))


@pytest.mark.parametrize("index", [-1, 0, 2, 3, True, "1", 1.0, None, 2**53 - 1])
def test_a_wrong_index_is_refused_in_a_chain_that_is_right(index: Any) -> None:
    lines = whole()
    lines[2]["index"] = index
    found = refusal(reencoded(chained(lines)))
    assert found.code == ("ledger_json" if index == 1.0 and type(index) is float else "ledger_index")
    assert found.path == f"{place(3)} /index"


def reencoded(lines: list[dict[str, Any]]) -> bytes:
    return b"".join(
        json.dumps(line, ensure_ascii=False, separators=(",", ":"), sort_keys=True).encode() + b"\n" for line in lines
    )


def test_a_wrong_previous_digest_is_refused_in_a_line_with_its_own_digest() -> None:
    for number in range(len(LINES)):
        lines = whole()
        line = {**lines[number], PREVIOUS: "0" * 63 + "1"}
        del line[DIGEST]
        lines[number] = {**line, DIGEST: digest_of(line)}
        found = refusal(text_of(lines))
        assert (found.code, found.path) == ("ledger_previous", f"{place(number + 1)} /{PREVIOUS}")
        assert found.actual == f'"{"0" * 63}1"'


@pytest.mark.parametrize("digest", ["0" * 64, "", None, 5, "A" * 64, "0" * 63])
def test_a_wrong_digest_is_refused_with_the_right_one(digest: Any) -> None:
    for number in range(len(LINES)):
        lines = whole()
        right = lines[number][DIGEST]
        lines[number][DIGEST] = digest
        found = refusal(text_of(lines))
        assert (found.code, found.path) == ("ledger_digest", f"{place(number + 1)} /{DIGEST}")
        assert found.expected == right


@pytest.mark.parametrize("number", range(len(LINES)))
def test_a_missing_or_unknown_field_is_refused(number: int) -> None:
    names = list(whole()[number])
    for name in names:
        lines = whole()
        del lines[number][name]
        found = refusal(text_of(lines))
        if name in ("record", "schema"):
            assert found.code == ("document_kind" if number == 0 else "ledger_record")
        else:
            assert (found.code, found.path, found.expected) == ("ledger_fields", place(number + 1), f"a field {name}")
    lines = whole()
    lines[number]["note"] = None
    found = refusal(text_of(chained(lines)))
    assert (found.code, found.path, found.actual) == ("ledger_fields", place(number + 1), '"note"')


@pytest.mark.parametrize("record", ["rows", "", None, 5, ["row"], "header"])
def test_an_unknown_record_is_refused(record: Any) -> None:
    lines = whole()
    lines[2]["record"] = record
    found = refusal(text_of(chained(lines)))
    assert (found.code, found.path) == ("ledger_record", place(3))


@pytest.mark.parametrize("line", [b"[]", b"5", b"null", b'"row"', b"{}"])
def test_a_line_that_is_no_record_is_refused(line: bytes) -> None:
    found = refusal(b"".join([*LINES[:2], line, b"\n", *LINES[2:]]))
    assert (found.code, found.path) == ("ledger_record", place(3))


@pytest.mark.parametrize(
    "first", [b"", b"\n", *LINES[1:], b"{}\n", b"[]\n", b"{\n", b"\xff\n", b"text", b"[" * 999 + b"\n"]
)
def test_a_file_that_does_not_begin_with_a_header_is_no_ledger(first: bytes) -> None:
    found = refusal(first + b"".join(LINES[1:]) if first else b"")
    code = "ledger_blank_line" if first == b"\n" else "document_kind"
    assert (found.code, found.path) == (code, "line 1 byte 0")


def test_another_generation_is_no_ledger_of_ours() -> None:
    found = refusal(text_of(whole(header={**HEADER, "schema": "operatebench.trajectory_ledger.v2"})))
    assert type(found) is DocumentError
    assert (found.code, found.expected) == ("document_kind", "the header of operatebench.trajectory_ledger.v1")


@pytest.mark.parametrize("after", [*LINES, b"{}\n", b"x\n"])
def test_nothing_follows_the_terminal_line(after: bytes) -> None:
    found = refusal(GOOD + after)
    assert (found.code, found.path) == ("ledger_after_terminal", f"line 6 byte {len(GOOD)}")


def reordered(line: bytes) -> bytes:
    return (
        json.dumps(dict(reversed(json.loads(line).items())), ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
    )


TEXTS: dict[str, tuple[Callable[[bytes], bytes], str]] = {
    "carriage return": (lambda line: line[:-1] + b"\r\n", "ledger_carriage_return"),
    "byte order mark": (lambda line: b"\xef\xbb\xbf" + line, "ledger_byte_order_mark"),
    "blank line before": (lambda line: b"\n" + line, "ledger_blank_line"),
    "blank line with a return": (lambda line: b"\r\n" + line, "ledger_blank_line"),
    "space at the end": (lambda line: line[:-1] + b" \n", "ledger_canonical"),
    "space inside": (lambda line: line.replace(b":", b": ", 1), "ledger_canonical"),
    "escaped": (lambda line: line.replace(b'"record"', b'"\\u0072ecord"', 1), "ledger_canonical"),
    "members in another order": (reordered, "ledger_canonical"),
    "duplicate member": (lambda line: line.replace(b'"record"', b'"record":"row","record"', 1), "ledger_json"),
    "not UTF-8": (lambda line: line.replace(b'"record"', b'"\xff"', 1), "ledger_json"),
    "cut in the middle": (lambda line: line[:20] + b"\n" + line[20:], "ledger_json"),
}


@pytest.mark.parametrize("case", TEXTS)
@pytest.mark.parametrize("number", range(len(LINES)))
def test_a_line_that_was_laid_out_anew_is_refused(case: str, number: int) -> None:
    change, code = TEXTS[case]
    changed = [*LINES[:number], change(LINES[number]), *LINES[number + 1 :]]
    found = refusal(b"".join(changed))
    expected = "document_kind" if number == 0 and code == "ledger_json" else code
    assert (found.code, found.path.startswith(place(number + 1))) == (expected, True)


def test_rows_before_a_refusal_are_given_out_and_then_nothing_more() -> None:
    lines = whole()
    lines[3]["at"] = "another"
    reader = LedgerReader(stream(text_of(lines)))
    given: list[int] = []
    with pytest.raises(LedgerError):
        given.extend(row.index for row in reader)
    assert given == [0, 1]
    assert list(reader) == []
    with pytest.raises(TypeError, match="when all of it was read"):
        reader.summary()


def test_a_ledger_that_was_not_read_to_its_end_comes_to_nothing() -> None:
    reader = LedgerReader(stream(GOOD))
    next(iter(reader))
    with pytest.raises(TypeError):
        reader.summary()
    assert [row.index for row in reader] == [1, 2]
    assert reader.summary() == read(GOOD)


def test_a_failing_disk_is_a_refusal_with_its_place() -> None:
    class Failing(io.BytesIO):
        def readline(self, size: int | None = -1, /) -> bytes:
            if self.tell() == len(LINES[0]):
                raise OSError(5, "never shown")
            return super().readline(size)

    reader = LedgerReader(Failing(GOOD))
    with pytest.raises(DocumentError) as refused:
        list(reader)
    assert (refused.value.code, refused.value.path) == ("file_unreadable", place(2))
    assert refused.value.actual == "Input/output error"


def test_memory_does_not_grow_with_the_ledger() -> None:
    """Counted are the bytes that Python holds; a reader that kept its rows would hold a hundred times as much."""
    peaks = []
    for count in (100, 10_000):
        data = stream(text_of(whole(ROWS[:1] * count)))
        tracemalloc.start()
        reader = LedgerReader(data)
        for _ in reader:
            pass
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 2 * peaks[0]


def test_a_link_a_pipe_and_a_device_are_no_ledgers(tmp_path: Path) -> None:
    (tmp_path / "l").write_bytes(GOOD)
    (tmp_path / "link").symlink_to("l")
    os.mkfifo(tmp_path / "pipe")
    for path, actual in (
        (tmp_path / "link", "a symbolic link"),
        (tmp_path / "pipe", "a pipe"),
        (tmp_path, "a directory"),
        (Path("/dev/null"), "a character device"),
    ):
        with pytest.raises(DocumentError) as refused, open_ledger(path):
            pass
        assert (refused.value.code, refused.value.path, refused.value.actual) == ("file_type", str(path), actual)
    with pytest.raises(DocumentError) as refused, open_ledger(tmp_path / "missing"):
        pass
    assert refused.value.code == "file_missing"
