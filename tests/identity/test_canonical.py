"""Canonical bytes are those of the identity contract, section 4, and those of two other libraries."""

import hashlib
from typing import Any

import pytest
import rfc8785
from canonicaljson import encode_canonical_json
from hypothesis import given, settings
from hypothesis import strategies as st

from operatebench.identity.admission import admit
from operatebench.identity.canonical import array, mapping, rfc8785_identical, scalar
from operatebench.identity.strictjson import parse_json
from tests.identity import oracle
from tests.identity.strategies import clean_text, clean_value


def canonical(value: Any) -> bytes:
    return bytes(admit(value).canonical)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, b"null"),
        (True, b"true"),
        (False, b"false"),
        (0, b"0"),
        (-0.0, b"0"),
        (0.0, b"0"),
        (1.0, b"1"),
        (-7, b"-7"),
        (1e3, b"1000"),
        (1e15, b"1000000000000000"),
        (2**53 - 1, b"9007199254740991"),
        (-(2**53) + 1, b"-9007199254740991"),
        (9007199254740991.0, b"9007199254740991"),
        ("", b'""'),
        ([], b"[]"),
        ({}, b"{}"),
        ([1, [2, {"b": [], "a": {}}]], b'[1,[2,{"a":{},"b":[]}]]'),
        ({"": 1, "a": 2}, b'{"":1,"a":2}'),
    ],
)
def test_scalars_and_containers_have_one_compact_form(value: Any, expected: bytes) -> None:
    assert canonical(value) == expected


def test_only_quote_backslash_and_controls_are_escaped() -> None:
    short = {'"': b'\\"', "\\": b"\\\\", "\b": b"\\b", "\t": b"\\t", "\n": b"\\n", "\f": b"\\f", "\r": b"\\r"}
    for code in [*range(0x300), 0x2028, 0x2029, 0xFEFF, 0xFFFE, 0xFFFF, 0x10FFFF, 0xFDD0]:
        character = chr(code)
        expected = short.get(character) or (f"\\u{code:04x}".encode() if code < 0x20 else character.encode())
        assert canonical(character) == b'"' + expected + b'"'
        assert canonical({character: 0}) == b'{"' + expected + b'":0}'


def test_names_sort_by_code_point_and_not_by_utf16() -> None:
    value = {"\U00010000": 1, "\ue000": 2, "\uffff": 3, "a": 4, "": 5, "Z": 6}
    expected = '{"":5,"Z":6,"a":4,"\ue000":2,"\uffff":3,"\U00010000":1}'.encode()
    assert canonical(value) == expected
    assert not rfc8785_identical(value)
    assert rfc8785.dumps(value) != expected


def test_composed_and_decomposed_text_differ() -> None:
    assert canonical("é") != canonical("e\u0301")


def test_an_array_keeps_its_order() -> None:
    assert canonical([3, 1, 2]) == b"[3,1,2]"


@settings(max_examples=500)
@given(clean_value)
def test_bytes_equal_those_of_canonicaljson_always_and_of_rfc_8785_where_it_is_said(value: Any) -> None:
    admitted = admit(value)
    assert bytes(admitted.canonical) == encode_canonical_json(admitted.value)
    assert admitted.value == oracle.normalize(value)
    assert (admitted.canonical.nodes, admitted.canonical.size) == oracle.measure(admitted.value)
    assert rfc8785_identical(admitted.value) == (rfc8785.dumps(admitted.value) == bytes(admitted.canonical))
    assert admitted.canonical.sha256() == hashlib.sha256(bytes(admitted.canonical)).hexdigest()


awkward_name = st.text(alphabet="a\ud7ff\ue000\ufffd\uffff\U00010000\U0001f600\U0010ffff", max_size=3)


@settings(max_examples=400)
@given(
    st.recursive(
        st.integers(0, 3),
        lambda child: st.lists(child, max_size=2) | st.dictionaries(awkward_name, child, max_size=4),
        max_leaves=8,
    )
)
def test_rfc_8785_is_judged_rightly_where_the_two_orders_part(value: Any) -> None:
    same = rfc8785.dumps(value) == canonical(value)
    assert rfc8785_identical(value) == same
    assert same != oracle.utf16_sorted_differs(value)


@settings(max_examples=100)
@given(clean_value)
def test_canonical_bytes_parse_back_to_themselves(value: Any) -> None:
    data = canonical(value)
    again = parse_json(data)
    assert bytes(again.canonical) == data
    assert again.value == oracle.normalize(value)


@settings(max_examples=100)
@given(st.lists(clean_value, max_size=4), st.dictionaries(clean_text, clean_value, max_size=4))
def test_a_composed_piece_is_the_piece_of_the_composed_value(items: list[Any], members: dict[str, Any]) -> None:
    pieces = [admit(item).canonical for item in items]
    named = {name: admit(value).canonical for name, value in members.items()}
    for composed, value in (
        (array(pieces), items),
        (mapping(named), members),
        (mapping({"x": array(pieces), "a": mapping(named)}), {"x": items, "a": members}),
    ):
        whole = admit(value).canonical
        assert bytes(composed) == bytes(whole)
        assert (composed.size, composed.nodes, composed.depth) == (whole.size, whole.nodes, whole.depth)
        assert composed.sha256() == whole.sha256()


@pytest.mark.parametrize("value", [None, True, 1, -5, "", "é\n\U0001f600"])
def test_a_scalar_piece_is_one_node_without_depth(value: Any) -> None:
    piece = scalar(value)
    assert bytes(piece) == encode_canonical_json(value)
    assert (piece.size, piece.nodes, piece.depth) == (len(bytes(piece)), 1, 0)
