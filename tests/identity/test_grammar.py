"""The four lexical languages accept and refuse exactly what the identity contract, section 6, lists."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from operatebench.identity.grammar import is_digest, is_field_path, is_name, is_predicate


class _Text(str):
    __slots__ = ()


@pytest.mark.parametrize("text", ["0" * 64, "0123456789abcdef" * 4])
def test_accepts_a_digest(text: str) -> None:
    assert is_digest(text)


@pytest.mark.parametrize(
    "value",
    [
        "",
        "0" * 63,
        "0" * 65,
        "0" * 64 + "\n",
        "0" * 63 + "\n",
        "A" * 64,
        "g" * 64,
        "\u0660" * 64,
        " " + "0" * 63,
        "0" * 1_000_000,
        _Text("0" * 64),
        b"0" * 64,
        None,
        0,
    ],
)
def test_refuses_what_is_no_digest(value: object) -> None:
    assert not is_digest(value)


@pytest.mark.parametrize("text", ["a.b", "a_b", "a-b", "a1.0", "a.0_1-z", "card_schema_content", "a_b.c-d"])
def test_accepts_a_namespaced_name(text: str) -> None:
    assert is_name(text)


@pytest.mark.parametrize(
    "value",
    [
        "",
        "root",
        "a",
        "1.a",
        "A.b",
        "a.B",
        "a..b",
        "a.",
        ".a",
        "a._b",
        "a.b\n",
        "a.b ",
        "a/b",
        "é.a",
        "a.é",
        "a.\ud800",
        "a.\u0660",
        _Text("a.b"),
        b"a.b",
        None,
    ],
)
def test_refuses_what_is_no_name(value: object) -> None:
    assert not is_name(value)


def test_a_name_may_have_one_mebibyte() -> None:
    assert is_name("a." + "b" * (1_048_576 - 2))
    assert not is_name("a." + "b" * (1_048_576 - 1))


@pytest.mark.parametrize(
    ("text", "expected"), [("a.b", True), ("a_b.c", True), ("a_b", False), ("a-b", False), ("a", False)]
)
def test_a_predicate_is_a_name_with_a_dot(text: str, expected: bool) -> None:
    assert is_predicate(text) is expected


@pytest.mark.parametrize(
    "text",
    [
        "/a",
        "/a/b",
        "/a~0",
        "/a~1b",
        "/~0~1",
        "/a\n",
        "/\n",
        "/ ",
        "/\x00",
        "/é",
        "/\U0001f600",
        "/a b/c",
        '/"',
        "/" + "a" * 1023,
        "/" + "\U0001f600" * 1023,
    ],
)
def test_accepts_a_field_path(text: str) -> None:
    assert is_field_path(text)


@pytest.mark.parametrize(
    "value",
    [
        "",
        "/",
        "/a/",
        "/a//b",
        "//a",
        "a",
        "a/b",
        "/a~",
        "/a~2b",
        "/~",
        "/a~/b",
        "/a/*",
        "/a*b",
        "/*",
        "/" + "a" * 1024,
        "\n/a",
        _Text("/a"),
        b"/a",
        None,
        7,
    ],
)
def test_refuses_what_is_no_field_path(value: object) -> None:
    assert not is_field_path(value)


@given(st.text(alphabet="/~01*a\n", max_size=12))
def test_a_field_path_is_what_the_contract_pattern_says(text: str) -> None:
    pattern = r"^/(?:[^/~*]|~0|~1)+(?:/(?:[^/~*]|~0|~1)+)*\Z"
    assert is_field_path(text) == bool(re.match(pattern, text))


@given(st.text(alphabet="ab0.-_A\n", max_size=10))
def test_a_name_is_what_the_contract_says(text: str) -> None:
    segments = re.split("[._-]", text)
    clean = all(segment and set(segment) <= set("abcdefghijklmnopqrstuvwxyz0123456789") for segment in segments)
    assert is_name(text) == (clean and len(segments) > 1 and text[0].isalpha())


@pytest.mark.parametrize(
    ("recognizes", "text"),
    [
        (is_name, "a" * 1_048_575 + "!"),
        (is_name, "a." * 500_000 + "!"),
        (is_field_path, "/" + "~0" * 511 + "~"),
        (is_field_path, "/a" * 511 + "/"),
        (is_digest, "0" * 2_000_000),
    ],
)
def test_no_text_makes_a_pattern_slow(recognizes: object, text: str) -> None:
    assert callable(recognizes)
    assert not recognizes(text)
