"""Small values that keep a declared type: found for every satisfiable kind, quickly given up for the others."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from operatebench.cards.authoring.examples import example
from operatebench.cards.authoring.fields import Field, of_shape, of_state
from operatebench.cards.shapes import require_shape
from operatebench.cards.state import require_state


def text(low: int, high: int, pattern: str | None = None, enum: list[str] | None = None) -> dict[str, Any]:
    return {"kind": "string", "min_length": low, "max_length": high, "pattern": pattern, "enum": enum}


def array(items: Any, low: int, high: int, *, unique: bool = False) -> dict[str, Any]:
    return {"kind": "array", "items": items, "min_items": low, "max_items": high, "unique_items": unique}


def integer(low: int, high: int) -> dict[str, Any]:
    return {"kind": "integer", "minimum": low, "maximum": high}


@pytest.mark.parametrize(
    ("shape", "value"),
    [
        ({"kind": "null"}, None),
        ({"kind": "boolean"}, False),
        (integer(-5, 5), 0),
        (integer(3, 5), 3),
        (integer(-9, -4), -4),
        (text(0, 9), ""),
        (text(2, 9), "aa"),
        (text(1, 9, None, ["b", "c"]), "b"),
        (text(2, 9, "^[a-z]+$", ["b", "C9", "cd"]), "cd"),
        (text(8, 8, "^Q-[0-9]{6}$"), "Q-000000"),
        (text(3, 9, r"\d*x"), "00x"),
        (text(0, 9, "^$"), ""),
        (text(0, 9, "a{0}b"), "b"),
        (text(1, 1, r"[^ -~]"), "\x00"),
        (array(integer(1, 9), 2, 4), [1, 1]),
        (array(integer(1, 9), 3, 4, unique=True), [1, 2, 3]),
        (array({"kind": "boolean"}, 2, 2, unique=True), [False, True]),
        (array(array(integer(0, 9), 0, 3), 3, 3, unique=True), [[], [0], [0, 0]]),
        ({"kind": "object", "fields": {}}, {}),
    ],
)
def test_the_smallest_value(shape: dict[str, Any], value: Any) -> None:
    assert example(of_shape(shape)) == (True, value)
    require_shape(value, shape, "semantic.payload_value", "")


@pytest.mark.parametrize(
    "shape",
    [
        integer(5, 3),
        text(5, 3),
        text(1, 1, "^[A-Z]{2}$"),
        text(1, 9, None, ["a longer one than nine"]),
        text(5_000, 6_000, "^[a-z]+$"),
        text(2**62, 2**62),
        text(0, 0, "a"),
        text(1, 1, r"[^\d\D]"),
        array({"kind": "null"}, 2, 2, unique=True),
        array(array(array(integer(0, 1), 4_000, 4_000), 4_000, 4_000), 4_000, 4_000),
        array(integer(0, 1), 2**62, 2**62),
        {"kind": "object", "fields": {"a": {"required": True, "shape": integer(5, 3)}}},
    ],
)
def test_what_nothing_small_keeps_has_no_example(shape: dict[str, Any]) -> None:
    assert example(of_shape(shape)) == (False, None)


def test_an_object_has_what_it_needs_and_no_more() -> None:
    fields = {"a": {"required": True, "shape": text(1, 2)}, "b": {"required": False, "shape": integer(0, 1)}}
    assert example(of_shape({"kind": "object", "fields": fields})) == (True, {"a": "a"})


def test_different_objects_differ_in_one_member() -> None:
    fields = {"a": {"required": True, "shape": integer(0, 1)}, "b": {"required": False, "shape": {"kind": "boolean"}}}
    shape = array({"kind": "object", "fields": fields}, 4, 4, unique=True)
    assert example(of_shape(shape)) == (True, [{"a": 0}, {"a": 1}, {"a": 0, "b": False}, {"a": 0, "b": True}])


def test_sets_in_hidden_state_are_sorted_by_canonical_bytes() -> None:
    items = {"type": "integer", "minimum": 8, "maximum": 12}
    schema = {"type": "array", "items": items, "minItems": 4, "maxItems": 9, "uniqueItems": True}
    found, value = example(of_state(schema))
    assert (found, value) == (True, [10, 11, 8, 9])
    require_state(value, schema, "")


def test_a_needed_property_that_is_not_declared_cannot_be_given() -> None:
    schema = {"type": "object", "properties": {}, "required": ["a"], "additionalProperties": False}
    assert example(of_state(schema)) == (False, None)


SHAPES = st.recursive(
    st.one_of(
        st.just({"kind": "null"}),
        st.just({"kind": "boolean"}),
        st.builds(integer, st.integers(-9, 9), st.integers(-9, 9)),
        st.builds(
            text,
            st.integers(0, 6),
            st.integers(0, 6),
            st.sampled_from([None, "^[a-z]+$", r"\w{3}-?", "x*y", "[^a-z]{2}"]),
            st.sampled_from([None, ["abc"], ["-", "xxy"]]),
        ),
    ),
    lambda inner: st.one_of(
        st.builds(array, inner, st.integers(0, 3), st.integers(0, 3), unique=st.booleans()),
        st.builds(
            lambda shapes, required: {
                "kind": "object",
                "fields": {name: {"required": required, "shape": shape} for name, shape in shapes.items()},
            },
            st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
            st.booleans(),
        ),
    ),
    max_leaves=8,
)


@given(SHAPES)
def test_every_example_keeps_its_shape(shape: dict[str, Any]) -> None:
    found, value = example(of_shape(shape))
    if found:
        require_shape(value, shape, "semantic.payload_value", "")


def test_a_field_without_bounds_is_its_kind() -> None:
    assert of_shape({"kind": "null"}) == Field("null")
