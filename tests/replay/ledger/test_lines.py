"""Lines are strict JSON in canonical form within limits, whichever way they are read; none is read without bound."""

import io
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from operatebench.errors import DocumentError, LedgerError, OperateBenchError
from operatebench.replay.ledger import LedgerReader
from operatebench.replay.ledger.contract import MAX_LINE_BYTES
from operatebench.replay.ledger.lines import Lines
from tests.replay.ledger.ledgers import HEADER, ROWS, canonical, chained, rows_of, stream, text_of, whole

LINES = text_of(whole()).splitlines(keepends=True)
ROW = f"line 2 byte {len(LINES[0])}"
"""How a refusal names the first row."""


def is_result(data: bytes) -> bool:
    reader = LedgerReader(stream(data))
    list(reader)
    return reader.summary().terminal is not None


def refusal(data: bytes) -> OperateBenchError:
    with pytest.raises(OperateBenchError) as refused:
        list(LedgerReader(stream(data)))
    return refused.value


BODIES = {
    "a fraction": (b'{"a":[1.5]}', "ledger_json", "/body/a/0"),
    "an integral fraction": (b'{"a":1.0}', "ledger_json", "/body/a"),
    "an exponent": (b'{"a":1e300}', "ledger_json", "/body/a"),
    "a big integer": (b'{"a":9007199254740992}', "ledger_json", "/body/a"),
    "a huge integer": (b'{"a":-100000000000000000000}', "ledger_json", "/body/a"),
    "minus zero": (b'{"a":-0}', "ledger_canonical", ""),
    "not a number": (b'{"a":NaN}', "ledger_json", ""),
    "a lone surrogate": (b'{"a":"\\ud800"}', "ledger_json", ""),
    "64 containers": (b'{"a":' + b"[" * 63 + b"]" * 63 + b"}", "ledger_limits", ""),
    "201 containers": (b'{"a":' + b"[" * 200 + b"]" * 200 + b"}", "ledger_limits", ""),
    "4,097 items": (b'{"a":[' + b",".join([b"0"] * 4097) + b"]}", "ledger_limits", "/body/a"),
    "a long text": (b'{"a":"' + b"x" * (1024 * 1024 + 1) + b'"}', "ledger_limits", "/body/a"),
    "100,001 nodes": (
        b'{"a":[' + b",".join([b"[" + b",".join([b"0"] * 3000) + b"]"] * 34) + b"]}",
        "ledger_limits",
        "",
    ),
    "no object": (b"[]", "ledger_value", "/body"),
    "no object but text": (b'"{}"', "ledger_value", "/body"),
}


@pytest.mark.parametrize("case", BODIES)
def test_a_body_outside_the_profile_is_refused(case: str) -> None:
    body, code, inside = BODIES[case]
    first, last = LINES[1].split(b'"body":{"starts_at":"2032-04-05T08:30:00Z"}')
    found = refusal(LINES[0] + first + b'"body":' + body + last)
    assert (found.code, found.path.startswith(f"{ROW} {inside}".rstrip())) == (code, True)


def test_a_body_at_the_limits_is_read() -> None:
    deep: Any = []
    for _ in range(61):
        deep = [deep]
    body = {
        "deep": deep,
        "wide": [0] * 4096,
        "long": "x" * (1024 * 1024),
        "int": [2**53 - 1, 1 - 2**53],
        "text": "[{" * 99,
    }
    assert is_result(text_of(whole([{"at": "", "record_type": "", "body": body}])))


@pytest.mark.parametrize("name", ["at", "record_type"])
@pytest.mark.parametrize("value", [None, 5, [], {}])
def test_a_row_has_texts(name: str, value: Any) -> None:
    found = refusal(text_of(whole([{**ROWS[0], name: value}])))
    assert (found.code, found.path, found.expected) == ("ledger_value", f"{ROW} /{name}", "text")


def wide_line(length: int) -> bytes:
    """Return a whole ledger whose only row has a line of so many bytes."""
    count = length // (512 * 1024) - 1
    body = {str(number): "x" * (512 * 1024) for number in range(count)}
    row = {"at": "", "record_type": "", "body": body}
    short = len(canonical(chained([HEADER, *rows_of([row])])[1]))
    body["0"] += "x" * (length - short)
    return text_of(whole([row]))


def test_the_longest_line_is_read_and_a_longer_one_is_not() -> None:
    longest = wide_line(MAX_LINE_BYTES)
    assert len(longest.splitlines()[1]) == MAX_LINE_BYTES
    assert is_result(longest)

    found = refusal(wide_line(MAX_LINE_BYTES + 1))
    assert (found.code, found.path) == ("ledger_line_length", ROW)


def test_a_line_without_end_is_not_read_into_memory() -> None:
    class Endless(io.RawIOBase):
        given = 0

        def readable(self) -> bool:
            return True

        def readinto(self, buffer: Any) -> int:
            buffer[:] = b"x" * len(buffer)
            self.given += len(buffer)
            return len(buffer)

    endless = Endless()
    with pytest.raises(DocumentError):
        LedgerReader(io.BufferedReader(endless, 4096))
    assert endless.given <= MAX_LINE_BYTES + 2 * 4096


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(JSON)
def test_the_fast_way_says_what_the_strict_way_says(value: Any) -> None:
    """For any text: canonical or not, within the profile or not."""
    for text in (
        json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True),
        json.dumps(value),
        json.dumps(value, separators=(",", ":")),
    ):
        try:
            data = text.encode()
        except UnicodeEncodeError:
            continue
        assert outcome(Lines(stream(b"")).admitted, data) == outcome(Lines(stream(b"")).admitted_strictly, data)


def outcome(way: Any, data: bytes) -> Any:
    try:
        return json.dumps(way(data))
    except LedgerError as refused:
        return refused.to_json()
