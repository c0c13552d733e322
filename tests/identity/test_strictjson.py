"""The strict parser reads what the standard library reads minus what the profile refuses, and says where a fault is."""

import json
import random
from dataclasses import replace

import pytest
from canonicaljson import encode_canonical_json
from hypothesis import given, settings
from hypothesis import strategies as st

from operatebench.errors import IdentityValidationError
from operatebench.identity.admission import admit
from operatebench.identity.profile import IDENTITY_PROFILE
from operatebench.identity.strictjson import parse_json
from tests.identity import oracle
from tests.identity.documents import rich
from tests.identity.hostile_text import HostileText
from tests.identity.refusals import assert_refused, assert_well_formed, refusal
from tests.identity.strategies import any_value

DOCUMENTS = 10_000
MEBIBYTE = 1_048_576


def agrees_with_oracle(document: bytes) -> bool:
    """Assert that parser and oracle give the same answer and the same bytes; tell whether both accept."""
    try:
        expected = oracle.parse(document)
    except oracle.Refused:
        with pytest.raises(IdentityValidationError) as caught:
            parse_json(document)
        assert caught.value.code in {"strict_json", "resource_limits"}, document
        assert_well_formed(caught.value)
        return False
    admitted = parse_json(document)
    assert bytes(admitted.canonical) == encode_canonical_json(expected), document
    assert encode_canonical_json(admitted.value) == encode_canonical_json(expected), document
    assert (admitted.canonical.nodes, admitted.canonical.size) == oracle.measure(expected), document
    assert bytes(admit(json.loads(document)).canonical) == bytes(admitted.canonical), "in memory and as text alike"
    return True


def test_10000_hostile_documents_are_judged_as_the_oracle_judges_them() -> None:
    stream = HostileText(20_270_118)
    accepted = sum(agrees_with_oracle(stream.document()) for _ in range(DOCUMENTS))
    assert DOCUMENTS / 4 < accepted < 3 * DOCUMENTS / 4, "both answers are well exercised"


@settings(max_examples=300)
@given(any_value, st.booleans(), st.sampled_from([None, 0, 1]))
def test_any_value_written_as_text_is_judged_as_the_oracle_judges_it(
    value: object, ascii_only: bool, indent: int | None
) -> None:
    text = json.dumps(value, ensure_ascii=ascii_only, indent=indent)
    agrees_with_oracle(text.encode("utf-8", "surrogatepass"))


@settings(max_examples=300)
@given(st.binary(max_size=24))
def test_any_bytes_are_judged_as_the_oracle_judges_them(document: bytes) -> None:
    agrees_with_oracle(document)


@pytest.mark.parametrize(
    "document",
    [
        b"",
        b" ",
        b"{",
        b'"',
        b"[1,]",
        b"nul",
        b"\xef\xbb\xbf1",
        b"1 2",
        b"NaN",
        b"-Infinity",
        b"01",
        b"'a'",
        b"[1}",
        b"\x0c1",
    ],
)
def test_refuses_text_that_is_no_json_at_its_line_and_column(document: bytes) -> None:
    error = refusal(parse_json, document)
    assert (error.code, error.expected) == ("strict_json", "strict JSON in UTF-8")
    assert error.path.startswith("line 1 column ")
    assert error.actual


def test_the_position_counts_lines_from_one() -> None:
    error = refusal(parse_json, b'{\n  "a": [1,\n   2,, 3]}')
    assert error.path == "line 3 column 6"


@pytest.mark.parametrize(
    "document",
    [b'{"a":1,"a":1}', b'{"a":1,"\\u0061":2}', b'[{"x":{"a":1,"b":2,"a":3}}]', b'{"":1,"":2}'],
)
def test_refuses_a_member_name_that_comes_twice(document: bytes) -> None:
    error = refusal(parse_json, document)
    assert error.code == "strict_json"
    assert error.path.startswith("line 1 column ")
    assert error.expected == "unique member names"
    assert error.actual.endswith(" twice")


def test_the_same_name_in_different_objects_is_no_duplicate() -> None:
    assert parse_json(b'{"a":{"a":[{"a":1},{"a":2}]}}').value == {"a": {"a": [{"a": 1}, {"a": 2}]}}


@pytest.mark.parametrize(
    "document",
    [b'"\xff"', b'"\xc0\xaf"', b'"\xed\xa0\x80"', b'"\xf4\x90\x80\x80"', b'"\xe2\x82"', b'"\\ud800"', b'{"\\udc00":1}',
     b'"\\ud800\\u0041"', b'"\\udc00\\ud800"'],
)  # fmt: skip
def test_refuses_bytes_that_are_no_utf8_and_escapes_that_are_no_character(document: bytes) -> None:
    assert refusal(parse_json, document).code == "strict_json"


def test_reads_a_surrogate_pair_as_one_character() -> None:
    assert parse_json(b'"\\ud83d\\ude00"').value == "\U0001f600"


@pytest.mark.parametrize(
    ("document", "value"),
    [
        (b"1.0", 1),
        (b"-0.0", 0),
        (b"-0", 0),
        (b"1e3", 1000),
        (b"9007199254740991.0", 2**53 - 1),
        (b"0e999", 0),
        (b"10e-1", 1),
    ],
)
def test_an_integral_number_is_an_integer_however_it_is_written(document: bytes, value: int) -> None:
    admitted = parse_json(document)
    assert admitted.value == value
    assert type(admitted.value) is int


@pytest.mark.parametrize("document", [b"1.5", b"1e400", b"-1e400", b"1e-5", b"9007199254740992", b"9" * 4_000])
def test_a_number_outside_the_profile_is_refused_at_its_pointer(document: bytes) -> None:
    error = refusal(parse_json, b'{"a":[0,' + document + b"]}")
    assert (error.code, error.path) == ("strict_json", "/a/1")
    assert error.expected == "an integer from -9007199254740991 to 9007199254740991"


@pytest.mark.parametrize("text", [b"1.0", b"-0.0", b"1e3", b"[1.0]"])
def test_a_profile_without_floats_refuses_every_float_token(text: bytes) -> None:
    strict = replace(IDENTITY_PROFILE, integral_floats=False)
    error = refusal(parse_json, text, strict)
    assert (error.code, error.path) == ("strict_json", "/0" if text.startswith(b"[") else "")


@pytest.mark.parametrize("depth", [65, 66, 199, 200, 201, 202, 1_000, 100_000])
def test_deeper_nesting_than_64_is_over_a_limit_however_deep(depth: int) -> None:
    for document in (b"[" * depth + b"]" * depth, b'{"":' * depth + b"1" + b"}" * depth):
        error = refusal(parse_json, document)
        assert error.code == "resource_limits"
        assert error.expected == "at most 64 nested containers"
        assert error.path
    assert parse_json(b"[" * 64 + b"]" * 64).canonical.depth == 64


def test_brackets_inside_text_nest_nothing() -> None:
    assert parse_json(b'"' + b"[" * 1_000 + b'\\""').canonical.depth == 0


def test_32_mebibytes_of_text_are_the_most() -> None:
    limit = 32 * MEBIBYTE
    assert parse_json(b"1" + b" " * (limit - 1)).value == 1
    over = b"1" + b" " * limit
    assert_refused("resource_limits", "", f"at most {limit} bytes of JSON text", f"{limit + 1} bytes", parse_json, over)


@pytest.mark.parametrize("character", ["a", "é", "€", "\U0001f600"])
@pytest.mark.parametrize("escaped", [False, True])
def test_a_text_of_one_mebibyte_of_utf8_is_the_longest(character: str, escaped: bool) -> None:
    width = len(character.encode())
    text = character * (MEBIBYTE // width) + "a" * (MEBIBYTE % width)
    for written, accepted in ((text, True), (text + "a", False)):
        for value, path in ([written], "/0"), ({"x": {written: 1}}, "/x"):
            document = json.dumps(value, ensure_ascii=escaped).encode()
            if accepted:
                assert parse_json(document).canonical.size == len(encode_canonical_json(value))
            else:
                expected = f"text of at most {MEBIBYTE} UTF-8 bytes"
                assert_refused("resource_limits", path, expected, "characters", parse_json, document)


def test_short_text_may_have_more_canonical_bytes_than_are_admitted() -> None:
    many = [b"1e15"] * 4_095
    rows = b"[" + b",".join(b"[" + b",".join(many) + b"]" for _ in range(15)) + b"]"
    assert parse_json(rows).canonical.size == len(encode_canonical_json([[10**15] * 4_095] * 15))


def test_4_mebibytes_of_canonical_bytes_are_the_most_in_text_too() -> None:
    items = ["a" * MEBIBYTE] * 3 + ["b" * (MEBIBYTE - 2 - 4 * 3)]
    document = json.dumps(items, separators=(",", ":")).encode()
    assert len(document) == 4 * MEBIBYTE - 1
    assert parse_json(document[:-2] + b'b"]').canonical.size == 4 * MEBIBYTE
    expected = f"at most {4 * MEBIBYTE} canonical bytes"
    actual = f"{4 * MEBIBYTE + 1} canonical bytes"
    assert_refused("resource_limits", "", expected, actual, parse_json, document[:-2] + b'bb"]')


@pytest.mark.parametrize(
    "document",
    [
        b"[" + b"0," * 99_999 + b"0]",
        b"9" * 5_000,
        b"[" * 100_000,
        b"{" + b",".join(b'"%d":0' % index for index in range(100_000)) + b"}",
        b'{"' + b"k" * (MEBIBYTE + 1) + b'":0}',
        b'{"a":' * 100_000,
        b"[" + b"[]," * 99_999 + b"[]]",
    ],
    ids=lambda document: repr(document[:8]),
)
def test_hostile_sizes_are_refused(document: bytes) -> None:
    assert refusal(parse_json, document).code in {"resource_limits", "strict_json"}


def test_a_valid_document_cut_anywhere_is_refused() -> None:
    document = json.dumps(rich().projections, ensure_ascii=False).encode()
    positions = random.Random(7).sample(range(len(document)), 200)
    for position in positions:
        assert refusal(parse_json, document[:position]).code == "strict_json"


def test_text_that_is_no_bytes_is_a_wrong_call() -> None:
    with pytest.raises(TypeError):
        parse_json("1")  # type: ignore[arg-type]  # the wrong call is the point
