"""Payload values keep exactly the shapes of section 7, each kind with its own refusal."""

from typing import Any

import pytest

from operatebench.cards.shapes import require_shape
from operatebench.errors import CardValidationError
from tests.cards.chain import facts

CODE = "semantic.payload_value"


def string(low: int = 0, high: int = 10, pattern: str | None = None, listed: list[str] | None = None) -> dict[str, Any]:
    return {"kind": "string", "min_length": low, "max_length": high, "pattern": pattern, "enum": listed}


def integer(low: int = -5, high: int = 5) -> dict[str, Any]:
    return {"kind": "integer", "minimum": low, "maximum": high}


def array(items: Any, low: int = 0, high: int = 3, *, unique: bool = False) -> dict[str, Any]:
    return {"kind": "array", "items": items, "min_items": low, "max_items": high, "unique_items": unique}


def record(**fields: tuple[bool, Any]) -> dict[str, Any]:
    entries = {name: {"required": required, "shape": shape} for name, (required, shape) in fields.items()}
    return {"kind": "object", "fields": entries}


BOOLEAN = {"kind": "boolean"}
NULL = {"kind": "null"}
PAIR = record(a=(True, integer()), b=(False, BOOLEAN))


@pytest.mark.parametrize(
    ("value", "shape"),
    [
        ("", string()),
        ("💧💧", string(2, 2)),
        ("abc", string(pattern="^[a-c]+$")),
        ("x", string(listed=["x", "y"])),
        (-5, integer()),
        (5, integer()),
        (False, BOOLEAN),
        (None, NULL),
        ([], array(NULL)),
        ([2, 1, 2], array(integer())),
        ([2, 1], array(integer(), unique=True)),
        ([[1, 2], [2, 1]], array(array(integer()), unique=True)),
        ({"a": 1}, PAIR),
        ({"b": True, "a": 1}, PAIR),
        ({}, record()),
        ([{"a": 1}, {"a": 2}], array(PAIR, unique=True)),
    ],
)
def test_values_of_the_shape_are_accepted(value: Any, shape: Any) -> None:
    require_shape(value, shape, CODE, "v")


@pytest.mark.parametrize(
    ("value", "shape", "path", "expected", "actual"),
    [
        (1, string(), "v", "text of 0 to 10 characters", "1"),
        (None, string(), "v", "text of 0 to 10 characters", "null"),
        ("", string(1), "v", "text of 1 to 10 characters", '""'),
        ("💧💧", string(0, 1), "v", "text of 0 to 1 characters", '"💧💧"'),
        ("x", string(2, 1), "v", "text of 2 to 1 characters", '"x"'),
        ("abd", string(pattern="^[abc]+$"), "v", "text matching ^[abc]+$", '"abd"'),
        ("abc\n", string(pattern="^[abc]+$"), "v", "text matching ^[abc]+$", '"abc\\n"'),
        ("X", string(listed=["x", "y"]), "v", "one of x, y", '"X"'),
        ("zz", string(pattern="z{2}", listed=["x"]), "v", "one of x", '"zz"'),
        (6, integer(), "v", "an integer from -5 to 5", "6"),
        (True, integer(), "v", "an integer from -5 to 5", "true"),
        ("1", integer(), "v", "an integer from -5 to 5", '"1"'),
        (3, integer(5, 1), "v", "an integer from 5 to 1", "3"),
        (1, BOOLEAN, "v", "a boolean", "1"),
        (None, BOOLEAN, "v", "a boolean", "null"),
        (False, NULL, "v", "null", "false"),
        ({}, array(NULL), "v", "an array of 0 to 3 items", "an object with 0 members"),
        ([None] * 4, array(NULL), "v", "an array of 0 to 3 items", "an array of 4 items"),
        ([], array(NULL, 1), "v", "an array of 1 to 3 items", "an array of 0 items"),
        ([1, 1], array(integer(), unique=True), "v", "an array without equal items", "an array of 2 items"),
        (
            [{"a": 1, "b": True}, {"b": True, "a": 1}],
            array(PAIR, unique=True),
            "v",
            "an array without equal items",
            "an array of 2 items",
        ),
        ([1, 9], array(integer()), "v/1", "an integer from -5 to 5", "9"),
        ([], PAIR, "v", "an object", "an array of 0 items"),
        ({}, PAIR, "v", "an object with a", "an object with 0 members"),
        ({"a": 1, "c~/": 2}, PAIR, "v/c~0~1", "no undeclared field", "2"),
        ({"a": "1"}, PAIR, "v/a", "an integer from -5 to 5", '"1"'),
        ([[{"a": 1, "b": 0}]], array(array(PAIR)), "v/0/0/b", "a boolean", "0"),
    ],
)
def test_other_values_are_refused_at_their_place(value: Any, shape: Any, path: str, expected: str, actual: str) -> None:
    with pytest.raises(CardValidationError) as refused:
        require_shape(value, shape, CODE, "v")

    assert facts(refused.value) == (CODE, path, expected, actual)


def test_true_and_one_are_different_items() -> None:
    value = [True, False]
    require_shape(value, array(BOOLEAN, unique=True), CODE, "v")

    with pytest.raises(CardValidationError):
        require_shape([True, True], array(BOOLEAN, unique=True), CODE, "v")


def test_a_text_too_long_to_match_has_its_own_code_and_none_without_a_pattern() -> None:
    require_shape("a" * 4_096, string(0, 9_999, "^a*$"), CODE, "v")
    require_shape("a" * 4_097, string(0, 9_999), CODE, "v")

    with pytest.raises(CardValidationError) as refused:
        require_shape("a" * 4_097, string(0, 9_999, "^a*$"), CODE, "v")

    expected = "at most 4096 characters under a pattern"
    assert facts(refused.value) == ("semantic.pattern_subject_too_long", "v", expected, "4097 characters")


def test_the_code_is_the_one_asked_for() -> None:
    with pytest.raises(CardValidationError) as refused:
        require_shape(1, NULL, "semantic.correlation_value", "v")

    assert refused.value.code == "semantic.correlation_value"
